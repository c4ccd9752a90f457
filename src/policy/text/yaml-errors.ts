import type { ViolationCode } from '../../pdp/model/violation.ts';
import { shorten } from './faults.ts';

/** Hints for what the parser complains about most often, by its code and, where one code means several, its words. */
const hints: readonly (readonly [code: string, words: RegExp, hint: string])[] = [
  ['TAB_AS_INDENT', /./, 'indent with spaces'],
  ['BAD_SCALAR_START', /tab/, 'indent with spaces'],
  ['BAD_SCALAR_START', /./, 'put the value in quotes'],
  ['BLOCK_AS_IMPLICIT_KEY', /Nested/, 'put the value in quotes if it holds ": ", or check the indentation'],
  ['BLOCK_AS_IMPLICIT_KEY', /sequence/, 'start the list on a new line'],
  ['MULTILINE_IMPLICIT_KEY', /./, 'write ": " with a space after the colon, and close quotes on their line'],
  ['MISSING_CHAR', /Implicit map keys/, 'write ": " with a space after the colon'],
  ['MISSING_CHAR', /closing/, 'close the quote'],
  ['MISSING_CHAR', /indicator/, 'items of a list start with "- "'],
  ['MISSING_CHAR', /Comments/, 'put a space before "#", or quotes around the value'],
  ['BAD_INDENT', /./, 'check the indentation'],
  ['BAD_DQ_ESCAPE', /./, 'in double quotes a backslash is written \\\\; in single quotes it is itself'],
  ['BAD_ALIAS', /./, 'put a value that starts with "*" or "&" in quotes'],
  ['UNEXPECTED_TOKEN', /block-seq-ind/, 'start the list on a new line'],
];

/** The parser's own words in our style, with a hint where its code tells what to do. */
export function sayYamlError(
  code: string,
  words: string,
): { readonly code: ViolationCode; readonly message: string; readonly hint?: string } {
  if (code === 'RESOURCE_EXHAUSTION') return { code: 'limit', message: 'too deep to be read' };
  const first = words.split('\n', 1)[0]!;
  const text = shorten(inCharacters(first.charAt(0).toLowerCase() + first.slice(1).replace(/\.$/, '')), 160);
  const hint = hints.find(([of, pattern]) => of === code && pattern.test(words))?.[2];
  return { code: 'syntax', message: `not yaml: ${text}`, ...(hint === undefined ? {} : { hint }) };
}

const characters: Readonly<Record<string, string>> = {
  'flow-map-start': '"{"',
  'flow-map-end': '"}"',
  'flow-seq-start': '"["',
  'flow-seq-end': '"]"',
  'map-value-ind': '":"',
  'seq-item-ind': '"-"',
  'block-seq-ind': '"-"',
  'explicit-key-ind': '"?"',
  'block-scalar-header': '"|" or ">"',
  'double-quoted-scalar': 'string',
  'single-quoted-scalar': 'string',
};

/** The parser's names of tokens, as their writer typed them. */
function inCharacters(words: string): string {
  const typed = words.replace(/[a-z]+(?:-[a-z]+)+/g, (name) => characters[name] ?? name);
  return typed
    .replace('at node end', 'after the end of a value')
    .replace('in YAML stream', 'after the document');
}
