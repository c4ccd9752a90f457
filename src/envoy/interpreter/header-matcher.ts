import { type Cursor, chosen, required } from './cursor.ts';
import type { HttpRequest, Test } from './evidence.ts';
import { type FilterKind, readHeaderName } from './inputs.ts';
import { readRegex, readTextMatcher, type TextTest } from './text-matcher.ts';

const plain = {
  exact_match: 'exact',
  prefix_match: 'prefix',
  suffix_match: 'suffix',
  contains_match: 'contains',
};
const kinds = ['string_match', 'safe_regex_match', 'present_match', 'range_match', ...Object.keys(plain)];

/** `envoy.config.route.v3.HeaderMatcher`. */
export function readHeaderMatcher(cursor: Cursor, filter: FilterKind): Test | undefined {
  if (filter === 'network') return cursor.refuse('value', 'got a header of a request in a network filter');
  const fields = cursor.fields('name', 'invert_match', 'treat_missing_header_as_empty', ...kinds);
  const name = fields && required(cursor, fields, 'name');
  const read = name && readHeaderName(name);
  if (fields === undefined || read === undefined) return undefined;
  const invert = fields.get('invert_match')?.flag() ?? false;
  const emptyIfMissing = fields.get('treat_missing_header_as_empty')?.flag() ?? false;
  const value = ({ request }: { request?: HttpRequest }) =>
    (request && read(request)) ?? (emptyIfMissing ? '' : undefined);
  // Without any of them the header must be there.
  const [kind, config] = kinds.some((one) => fields.has(one))
    ? (chosen(cursor, fields, kinds) ?? [])
    : ['present_match', undefined];
  if (kind === undefined) return undefined;
  if (kind === 'present_match') {
    const present = config === undefined ? true : config.flag();
    if (present === undefined) return undefined;
    return (seen) => (value(seen) !== undefined) === (present !== invert);
  }
  const test = readTest(kind, config!);
  // A header that is missing matches neither a test nor its inversion.
  return (
    test &&
    ((seen) => {
      const text = value(seen);
      return text !== undefined && test(text) !== invert;
    })
  );
}

function readTest(kind: string, config: Cursor): TextTest | undefined {
  if (kind === 'string_match') return readTextMatcher(config, 'envoy');
  if (kind === 'safe_regex_match') return readRegex(config, 'envoy');
  if (kind === 'range_match') return config.unknown('range_match');
  const pattern = plain[kind as keyof typeof plain];
  const want = config.text(kind === 'exact_match' ? 0 : 1);
  if (want === undefined) return undefined;
  if (want === '') return config.unknown('an exact_match without text');
  if (pattern === 'exact') return (text) => text === want;
  if (pattern === 'prefix') return (text) => text.startsWith(want);
  return pattern === 'suffix' ? (text) => text.endsWith(want) : (text) => text.includes(want);
}
