import { type DescField, type DescMessage, type DescOneof, getOption } from '@bufbuild/protobuf';
import { required, rules } from '../../../src/envoy/proto/generated/validate/validate_pb.js';

/**
 * What the definitions ask for beyond types, of which Envoy's own check takes notice too: least lengths and
 * required parts. Its other constraints (patterns, numbers) are left to Envoy.
 */

/** Why a value that is there is refused; undefined if it is not. */
export function valueFault(field: DescField, value: unknown): string | undefined {
  const { type } = getOption(field, rules);
  if (type.case === 'string' && typeof value === 'string' && value.length < Number(type.value.minLen)) {
    return 'got an empty string';
  }
  const least = type.case === 'repeated' ? Number(type.value.minItems) : 0;
  if (Array.isArray(value) && value.length < least) {
    return `got ${value.length} in the list, want at least ${least}`;
  }
  const isMap = type.case === 'map' && typeof value === 'object' && value !== null;
  if (isMap && Object.keys(value).length < Number(type.value.minPairs)) return 'got an empty map';
  return undefined;
}

/** Whether a field that is not there should be. Not given is empty, in proto3. */
export function isRequired(field: DescField): boolean {
  const { type, message } = getOption(field, rules);
  if (message?.required === true) return true;
  if (type.case === 'any') return type.value.required;
  if (type.case === 'string') return type.value.minLen > 0n;
  if (type.case === 'repeated') return type.value.minItems > 0n;
  return type.case === 'map' && type.value.minPairs > 0n;
}

export function needsOne(oneof: DescOneof): boolean {
  return getOption(oneof, required);
}

/** Fields of a oneof are asked for by the oneof. */
export function requiredFields(message: DescMessage): readonly DescField[] {
  return message.fields.filter((field) => field.oneof === undefined && isRequired(field));
}
