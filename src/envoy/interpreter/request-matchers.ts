import { type Cursor, required } from './cursor.ts';
import type { Test } from './evidence.ts';
import { readTextMatcher } from './text-matcher.ts';
import { readKeys, readValueMatcher, valueAt } from './value-matcher.ts';

/** `envoy.type.matcher.v3.PathMatcher`: unlike the header `:path`, without query and fragment. */
export function readPathMatcher(cursor: Cursor): Test | undefined {
  const fields = cursor.fields('path');
  const path = fields && required(cursor, fields, 'path');
  const test = path && readTextMatcher(path, 'envoy');
  return (
    test && (({ request }) => request !== undefined && test((request.path ?? '').replace(/[?#].*$/s, '')))
  );
}

/** `envoy.type.matcher.v3.MetadataMatcher`. */
export function readMetadataMatcher(cursor: Cursor): Test | undefined {
  const fields = cursor.fields('filter', 'path', 'value', 'invert');
  if (fields === undefined) return undefined;
  const filter = required(cursor, fields, 'filter')?.text(1);
  const path = required(cursor, fields, 'path');
  const keys = path && readKeys(path);
  const value = required(cursor, fields, 'value');
  const test = value && readValueMatcher(value);
  const invert = fields.get('invert')?.flag() ?? false;
  if (filter === undefined || keys === undefined || test === undefined) return undefined;
  return ({ request }) => test(valueAt(request?.metadata, filter, keys)) !== invert;
}
