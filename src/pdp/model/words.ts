import { nearest } from './text.ts';

/** Longer values are cut in messages; the place says where the whole of it stands. */
const shown = 80;

export function quote(text: string): string {
  const whole = text.length <= shown;
  return whole
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, shown).replace(/[\ud800-\udbff]$/, ''))}… (${text.length} characters)`;
}

/** A value as the reader of an error would call it. */
export function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return value === '' ? 'an empty string' : quote(value);
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`;
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** `"a", "b" or "c"` */
export function oneOf(words: readonly string[], join = 'or'): string {
  if (words.length < 2) return words[0] ?? 'nothing';
  return `${words.slice(0, -1).join(', ')} ${join} ${words.at(-1)}`;
}

/** What is wrong where one of some fields is wanted, and these of them are given. */
export function onlyOne(
  given: readonly string[],
  of: readonly string[],
): { readonly code: 'missing' | 'conflict'; readonly message: string } | undefined {
  if (given.length === 1) return undefined;
  const none = given.length === 0;
  const got = `${none ? 'none of ' : given.length === 2 ? 'both ' : ''}${oneOf((none ? of : given).map(quote), 'and')}`;
  return { code: none ? 'missing' : 'conflict', message: `got ${got}, want one of them` };
}

export function unknownFieldMessage(key: string, known: readonly string[]): string {
  const fields = [...new Set(known)].map(quote);
  const want = fields.length === 0 ? 'no fields' : oneOf(fields);
  return `got the unknown field ${quote(key)}, want ${want}`;
}

/** The same with the nearest field as a hint. */
export function unknownField(
  key: string,
  known: readonly string[],
): { readonly message: string; readonly hint?: string } {
  const hint = didYouMean(key, known);
  return { message: unknownFieldMessage(key, known), ...(hint === undefined ? {} : { hint }) };
}

export function didYouMean(got: string, known: Iterable<string>): string | undefined {
  const near = nearest(got, known);
  return near === undefined ? undefined : `did you mean ${quote(near)}?`;
}
