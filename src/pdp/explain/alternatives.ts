import { matches } from '../model/condition.ts';
import { normalisePath } from '../model/path.ts';
import { keys, type Pattern, type Side } from '../model/rule.ts';
import { isSpiffeId } from '../model/spiffe-id.ts';
import { weaker } from '../model/trust.ts';
import { type Anew, absent, known, type Seen } from './seen.ts';
import type { Wanted } from './steps.ts';

/** Patterns of one key that are tried; with more, what is found need not be the least. */
export const mostPatterns = 256;

const supposed = 'supposed';

export interface Alternative {
  readonly seen: Seen;
  readonly to: Wanted;
}

/** What a key could be otherwise, as far as patterns tell it apart. */
export function alternatives(
  side: Side,
  key: string,
  seen: Seen,
  patterns: readonly Pattern[],
  { trust: stated, most }: Anew,
): Alternative[] {
  if (side === 'destination' && key === keys.route) return routes(seen, patterns);
  const trust = seen.state === 'unknown' ? stated : seen.trust;
  const bounded = trust === undefined || most === undefined ? trust : weaker(trust, most);
  const found: Alternative[] = [];
  for (const { value, to } of representatives(side, key, patterns)) {
    if (isLegal(side, key, value)) found.push({ seen: known([value], supposed, bounded), to });
  }
  const always = side === 'request' ? key !== keys.sni : key === keys.namespace;
  if (!always && seen.state !== 'absent') found.push({ seen: absent(supposed, trust), to: { is: 'absent' } });
  return found;
}

/**
 * [DST8] A route is given with its namespace or without. Its name without one is a pattern too: it stands for that name
 * in every namespace. One that is given without can only be given with it.
 */
function routes(seen: Seen, patterns: readonly Pattern[]): Alternative[] {
  const found: Alternative[] = [];
  const suppose = (to: Wanted, ...values: readonly string[]) => {
    const all = known(values, supposed);
    found.push({ seen: values.length > 1 ? all : { ...all, anyNamespace: true }, to });
  };
  const fresh = unwritten(patterns);
  const [given] = seen.anyNamespace === true ? seen.values : [];
  const names = new Set<string>();
  for (const { value } of patterns) {
    const name = value.slice(value.indexOf('/') + 1);
    if (given !== undefined && name !== given) continue;
    if (name !== value) suppose({ is: 'value', value }, value, name);
    else if (given === undefined) suppose({ is: 'value', value }, value);
    if (name === value || given !== undefined) names.add(name);
  }
  for (const name of names) {
    const pattern: Pattern = { match: 'exact', value: name };
    suppose({ is: 'within', pattern, except: [] }, `${fresh}/${name}`, name);
  }
  if (given === undefined) suppose({ is: 'other', than: [] }, fresh);
  return found;
}

/** A value for each set of patterns that some value can match. */
function representatives(
  side: Side,
  key: string,
  patterns: readonly Pattern[],
): { value: string; to: Wanted }[] {
  const word = unwritten(patterns);
  const fresh = side === 'request' && key === keys.method ? word.toUpperCase() : word;
  const elsewhere = freshOf(side, key, fresh, patterns);
  const found: { value: string; to: Wanted }[] = [];
  for (const pattern of patterns) {
    const { match, value } = pattern;
    if (match !== 'exact') {
      const below = after(match === 'under' ? `${value}/` : value, fresh, patterns);
      const inside = [below, elsewhere].find((one) => isLegal(side, key, one) && matches(pattern, one));
      if (inside !== undefined) found.push({ value: inside, to: { is: 'within', pattern, except: [] } });
    }
    found.push({ value, to: { is: 'value', value } });
  }
  found.push({ value: elsewhere, to: { is: 'other', than: [] } });
  return found;
}

/** A word that no pattern has in it: `other`, with one x more than any of them has after it. */
function unwritten(patterns: readonly Pattern[]): string {
  let most = -1;
  for (const { value } of patterns) {
    for (const [word] of value.matchAll(/otherx*/gi)) most = Math.max(most, word.length - 'other'.length);
  }
  return `other${'x'.repeat(most + 1)}`;
}

const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789-_~'];

/** The word after a beginning, with a letter between where a longer prefix would match it too: `o`, of `other`. */
function after(beginning: string, word: string, patterns: readonly Pattern[]): string {
  const next = new Set<string | undefined>();
  for (const { match, value } of patterns) {
    if (match === 'prefix' && value.startsWith(beginning)) next.add(value[beginning.length]);
  }
  if (!next.has(word[0])) return beginning + word;
  const upper = word === word.toUpperCase();
  const other = letters.map((letter) => (upper ? letter.toUpperCase() : letter));
  return beginning + (other.find((letter) => !next.has(letter)) ?? '') + word;
}

function freshOf(side: Side, key: string, fresh: string, patterns: readonly Pattern[]): string {
  if (key === keys.spiffeId) return `${after('spiffe://', fresh, patterns)}/${fresh}`;
  return after(side === 'request' && key === keys.path ? '/' : '', fresh, patterns);
}

function isLegal(side: Side, key: string, value: string): boolean {
  if (key === keys.spiffeId) return isSpiffeId(value);
  if (side !== 'request') return true;
  if (key === keys.path) return normalisePath(value) === value;
  return value !== '' && (key === keys.method || value === value.toLowerCase());
}
