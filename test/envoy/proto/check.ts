import { type DescField, type DescMessage, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { registry } from '../../../src/envoy/proto/registry.ts';
import { type Fields, isFields } from '../../../src/pdp/model/fields.ts';
import { messageOf, nearest } from '../../../src/pdp/model/text.ts';
import type { Violation, ViolationCode } from '../../../src/pdp/model/violation.ts';
import { needsOne, requiredFields, valueFault } from './constraints.ts';
import { newerFields } from './newer.ts';

type Path = readonly (string | number)[];

/** The JSON of a message by its full name: all that is wrong with it, at once. None: Envoy reads it as we mean it. */
export function checkMessage(type: string, json: unknown): readonly Violation[] {
  const found: Violation[] = [];
  new Checker(found).message(messageNamed(type), json, []);
  return found;
}

export const httpRbac = 'envoy.extensions.filters.http.rbac.v3.RBAC';
export const networkRbac = 'envoy.extensions.filters.network.rbac.v3.RBAC';

export function checkHttpRbac(json: unknown): readonly Violation[] {
  return checkMessage(httpRbac, json);
}

export function checkNetworkRbac(json: unknown): readonly Violation[] {
  return checkMessage(networkRbac, json);
}

/** A filter as it stands in a chain: `{ name, typed_config: { "@type", … } }`. */
export function checkFilter(json: unknown): readonly Violation[] {
  return checkMessage('envoy.config.core.v3.TypedExtensionConfig', json);
}

function messageNamed(type: string): DescMessage {
  const message = registry.getMessage(type);
  if (message === undefined) throw new Error(`${type}: no such message among those that are generated`);
  return message;
}

class Checker {
  readonly #found: Violation[];

  constructor(found: Violation[]) {
    this.#found = found;
  }

  #say(path: Path, code: ViolationCode, message: string, hint?: string): void {
    this.#found.push({ path, code, message, ...(hint === undefined ? {} : { hint }) });
  }

  message(message: DescMessage, json: unknown, path: Path): void {
    if (message.typeName === 'google.protobuf.Any') return this.#any(json, path);
    // The well-known types have JSON forms of their own.
    if (message.typeName.startsWith('google.protobuf.')) return this.#plain(message, json, path);
    if (!isFields(json)) return this.#say(path, 'type', `got ${kindOf(json)}, want an object`);
    const given = new Map<DescField, string>();
    for (const [key, value] of Object.entries(json)) {
      if (value === null) continue;
      const field = message.fields.find(({ name, jsonName }) => key === name || key === jsonName);
      const newer = newerFields(message.typeName);
      if (field !== undefined) this.#field(field, key, value, path, given);
      else if (Object.hasOwn(newer, key)) this.message(messageNamed(newer[key]!), value, [...path, key]);
      else this.#unknown(message, key, path);
    }
    this.#oneofs(message, json, given, path);
    for (const field of requiredFields(message)) {
      if (!given.has(field)) this.#say([...path, field.name], 'missing', 'not there, and it has to be');
    }
  }

  #unknown(message: DescMessage, key: string, path: Path): void {
    const meant = nearest(
      key,
      message.fields.map(({ name }) => name),
    );
    const hint = meant === undefined ? undefined : `did you mean ${meant}?`;
    this.#say([...path, key], 'unknown-field', `no field of ${message.typeName}`, hint);
  }

  #field(field: DescField, key: string, value: unknown, path: Path, given: Map<DescField, string>): void {
    const at = [...path, key];
    const before = given.get(field);
    if (before !== undefined) this.#say(at, 'conflict', `the same field as ${before}`);
    given.set(field, key);
    const fault = valueFault(field, value);
    if (fault !== undefined) this.#say(at, 'empty', fault);
    if (field.message === undefined) return this.#scalars(field, key, value, at);
    if (field.fieldKind === 'message') return this.message(field.message, value, at);
    const wrong = `got ${kindOf(value)}, want ${field.fieldKind === 'list' ? 'a list' : 'an object'}`;
    const isRight = field.fieldKind === 'list' ? Array.isArray(value) : isFields(value);
    if (!isRight) return this.#say(at, 'type', wrong);
    const entries: [string | number, unknown][] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(value as Fields);
    for (const [inner, one] of entries) this.message(field.message, one, [...at, inner]);
  }

  #scalars(field: DescField, key: string, value: unknown, at: Path): void {
    this.#plain(field.parent, { [key]: value }, at);
  }

  /** What one call of protobuf's own reader settles. */
  #plain(message: DescMessage, json: unknown, path: Path): void {
    try {
      fromJson(message, json as JsonValue);
    } catch (error) {
      this.#say(path, 'type', messageOf(error));
    }
  }

  #oneofs(message: DescMessage, json: Fields, given: ReadonlyMap<DescField, string>, path: Path): void {
    for (const oneof of message.oneofs) {
      const set = oneof.fields.flatMap((field) => given.get(field) ?? []);
      // A newer field of a message that has one oneof is of that oneof.
      set.push(...Object.keys(newerFields(message.typeName)).filter((key) => (json[key] ?? null) !== null));
      const names = oneof.fields.map(({ name }) => name).join(', ');
      if (set.length > 1) this.#say(path, 'conflict', `got ${set.join(' and ')}, of which one may be there`);
      if (set.length === 0 && needsOne(oneof)) {
        this.#say(path, 'missing', `got none of ${names}, want one`);
      }
    }
  }

  #any(json: unknown, path: Path): void {
    const url = isFields(json) ? json['@type'] : undefined;
    if (!isFields(json) || typeof url !== 'string') {
      return this.#say([...path, '@type'], 'missing', 'want the type of what is here');
    }
    const name = url.slice(url.lastIndexOf('/') + 1);
    const message = registry.getMessage(name);
    if (message === undefined || !url.includes('/')) {
      const hint = 'type.googleapis.com/ and the full name of a message';
      return this.#say([...path, '@type'], 'unknown-kind', `got ${JSON.stringify(url)}, unknown here`, hint);
    }
    const { '@type': _, ...fields } = json;
    // A well-known type stands in an Any under "value".
    const inner = name.startsWith('google.protobuf.') ? fields['value'] : fields;
    this.message(message, inner, path);
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`.replace('a object', 'an object');
}
