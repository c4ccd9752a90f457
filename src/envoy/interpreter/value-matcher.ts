import { type Cursor, chosen, required, whole } from './cursor.ts';
import type { Metadata, MetadataStruct } from './evidence.ts';
import { own } from './evidence.ts';
import { readTextMatcher } from './text-matcher.ts';

/** Undefined where there is nothing at the path. */
export type ValueTest = (value: Metadata | undefined) => boolean;

const kinds = [
  'null_match',
  'double_match',
  'string_match',
  'bool_match',
  'present_match',
  'list_match',
  'or_match',
] as const;

/** `envoy.type.matcher.v3.ValueMatcher`. */
export function readValueMatcher(cursor: Cursor): ValueTest | undefined {
  const fields = cursor.fields(...kinds);
  const found = fields && chosen(cursor, fields, kinds);
  if (found === undefined) return undefined;
  const [kind, config] = found;
  switch (kind) {
    case 'null_match':
      return config.fields() && ((value) => value === null);
    case 'double_match':
      return readDouble(config);
    case 'string_match': {
      const test = readTextMatcher(config, 'envoy');
      return test && ((value) => typeof value === 'string' && test(value));
    }
    case 'bool_match': {
      const want = config.flag();
      return want === undefined ? undefined : (value) => value === want;
    }
    case 'present_match': {
      const want = config.flag();
      // False asks for nothing: Envoy matches neither what is there nor what is not.
      return want === undefined ? undefined : (value) => want && value !== undefined;
    }
    case 'list_match':
      return readList(config);
    default:
      return readEither(config);
  }
}

function readDouble(cursor: Cursor): ValueTest | undefined {
  const fields = cursor.fields('range', 'exact');
  const found = fields && chosen(cursor, fields, ['range', 'exact']);
  if (found === undefined) return undefined;
  const [kind, config] = found;
  if (kind === 'exact') {
    const want = config.number();
    return want === undefined ? undefined : (value) => value === want;
  }
  const range = config.fields('start', 'end');
  const start = range?.get('start')?.number() ?? 0;
  const end = range?.get('end')?.number() ?? 0;
  return range && ((value) => typeof value === 'number' && start <= value && value < end);
}

function readList(cursor: Cursor): ValueTest | undefined {
  const fields = cursor.fields('one_of');
  const config = fields && required(cursor, fields, 'one_of');
  const test = config && readValueMatcher(config);
  return test && ((value) => Array.isArray(value) && value.some((item: Metadata) => test(item)));
}

function readEither(cursor: Cursor): ValueTest | undefined {
  const fields = cursor.fields('value_matchers');
  const list = fields && required(cursor, fields, 'value_matchers');
  const tests = whole(list?.items(2)?.map(readValueMatcher));
  return tests && ((value) => tests.some((test) => test(value)));
}

/** The keys of a path, outermost first. */
export function readKeys(cursor: Cursor): string[] | undefined {
  return whole(
    cursor.items(1)?.map((segment) => {
      const fields = segment.fields('key');
      return fields && required(segment, fields, 'key')?.text(1);
    }),
  );
}

export function valueAt(metadata: MetadataStruct | undefined, filter: string, keys: readonly string[]) {
  let value: Metadata | undefined = own(metadata, filter);
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = own(value as MetadataStruct, key);
  }
  return value;
}
