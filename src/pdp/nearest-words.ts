import { showPattern } from './explain-rules.ts';
import type { Operator, Pattern } from './model/rule.ts';
import { type Trust, trustRank } from './model/trust.ts';
import { type Demand, witnessOf } from './nearest-keys.ts';
import type { Slot } from './nearest-search.ts';
import type { View } from './view.ts';

const opposite: Readonly<Record<Operator, Operator>> = {
  in: 'notIn',
  notIn: 'in',
  exists: 'notExists',
  notExists: 'exists',
};

/** All that a changed key must do, in words. */
export function wordsOf({ side, key, demands, witness }: Slot, view: View): string {
  const current = view.see(side, key);
  const by = (op: Operator) =>
    demands.filter(({ condition, want }) => (want === 'true' ? condition.op : opposite[condition.op]) === op);
  const among = by('in').flatMap(({ condition }) => condition.values);
  const kept = among.filter(
    (pattern) => witnessOf(key, current, [...demands, only(by('in')[0], pattern)]) !== undefined,
  );
  const not = by('notIn').flatMap(({ condition }) => condition.values);
  const parts: string[] = [];
  if (kept.length > 0) parts.push(`must be ${list(kept, 'one of')}`);
  else if (witness.is === 'absent') parts.push('must be absent');
  else if (by('exists').length > 0) parts.push('must be given');
  // What is written as it is cannot be among what is forbidden, since it was kept.
  const open = kept.length === 0 || kept.some(({ match }) => match !== 'exact');
  if (not.length > 0 && open && witness.is !== 'absent') parts.push(`must not be ${list(not, 'any of')}`);
  const words = `${key} ${parts.join(' and ')}`;
  if (current.is !== 'unknown') return words;
  if (current.cause === 'shared-identity') return `${words} for all workloads that carry the identity`;
  const floor = strongest(demands.map((demand) => demand.floor));
  return side !== 'source'
    ? words
    : `${words}, known${floor === undefined ? '' : ` with trust ${floor} or better`}`;
}

function only(demand: Demand | undefined, pattern: Pattern): Demand {
  const { condition, floor } = demand as Demand;
  return { condition: { ...condition, op: 'in', values: [pattern] }, floor, want: 'true' };
}

function list(patterns: readonly Pattern[], several: string): string {
  const words = [...new Set(patterns.map(showPattern))];
  return words.length === 1 ? (words[0] as string) : `${several} ${words.join(', ')}`;
}

function strongest(floors: readonly (Trust | undefined)[]): Trust | undefined {
  return floors.reduce(
    (a, b) => (a === undefined || (b !== undefined && trustRank[b] > trustRank[a]) ? b : a),
    undefined,
  );
}
