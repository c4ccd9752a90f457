import { type Cursor, chosen, required } from './cursor.ts';
import { wholeMatch } from './regex/regex.ts';
import { RegexFault } from './regex/syntax.ts';

export type TextTest = (text: string) => boolean;

/** The matcher API has its own copy of Envoy's message, which wants `google_re2` to be named. */
export type Dialect = 'matcher-api' | 'envoy';

/** Envoy refuses longer programs outside the matcher API, unless its runtime says otherwise. */
const largest = { 'matcher-api': Number.POSITIVE_INFINITY, envoy: 100 };

const patterns = ['exact', 'prefix', 'suffix', 'contains', 'safe_regex', 'custom'] as const;

export function readTextMatcher(cursor: Cursor, dialect: Dialect): TextTest | undefined {
  const fields = cursor.fields(...patterns, 'ignore_case');
  const found = fields && chosen(cursor, fields, patterns);
  if (fields === undefined || found === undefined) return undefined;
  const [name, pattern] = found;
  const ignoreCase = fields.get('ignore_case')?.flag() ?? false;
  if (name === 'custom') return pattern.unknown('a custom string matcher');
  if (name === 'safe_regex') {
    if (ignoreCase)
      return cursor.refuse('conflict', 'got ignore_case beside safe_regex, which Envoy refuses');
    return readRegex(pattern, dialect);
  }
  const want = pattern.text(name === 'exact' ? 0 : 1);
  if (want === undefined) return undefined;
  const test = compare(name, ignoreCase ? asciiLower(want) : want);
  return ignoreCase ? (text) => test(asciiLower(text)) : test;
}

function compare(name: string, want: string): TextTest {
  switch (name) {
    case 'exact':
      return (text) => text === want;
    case 'prefix':
      return (text) => text.startsWith(want);
    case 'suffix':
      return (text) => text.endsWith(want);
    default:
      return (text) => text.includes(want);
  }
}

export function readRegex(cursor: Cursor, dialect: Dialect): TextTest | undefined {
  const fields = cursor.fields('google_re2', 'regex');
  const pattern = fields && required(cursor, fields, 'regex')?.text(1);
  if (fields === undefined || pattern === undefined) return undefined;
  if (dialect === 'matcher-api' && required(cursor, fields, 'google_re2') === undefined) return undefined;
  if (fields.get('google_re2')?.fields() === undefined && fields.has('google_re2')) return undefined;
  try {
    return wholeMatch(pattern, largest[dialect]);
  } catch (error) {
    if (!(error instanceof RegexFault)) throw error;
    const at = fields.get('regex')!;
    if (error.ours) return at.unknown(`the regular expression ${JSON.stringify(pattern)}: ${error.message}`);
    return at.refuse('value', `got the regular expression ${JSON.stringify(pattern)}: ${error.message}`);
  }
}

/** Letters outside ASCII keep their case, as in Envoy. */
export function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
