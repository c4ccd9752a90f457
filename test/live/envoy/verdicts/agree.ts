import { expect } from 'vitest';
import type { Counts } from './counts.ts';
import { type Compare, compareSets, type Plan } from './run.ts';
import { type Differs, small } from './small.ts';

export const minutes = 60_000;

/** Fails with the first difference, made small. */
export async function agree<C extends Counts>(
  plan: Plan,
  counts: C,
  compare: Compare<C>,
  differs: Differs,
): Promise<C> {
  const differences = await compareSets(plan, counts, compare);
  console.log(`seeds ${plan.from} to ${plan.from + plan.count - 1}\n${counts.print}`);
  const [first] = differences;
  const shown = first && JSON.stringify(await small(first, differs), null, 1);
  expect(differences.length, shown).toBe(0);
  return counts;
}

/** `peers`: sorts of clients at the least. */
export function expectAllKinds(counts: Counts, peers: number): void {
  expect([...counts.tiers].sort()).toEqual(['0', '1', '2', '3', '4', 'null']);
  expect([...counts.operators].sort()).toEqual(
    ['exact', 'exists', 'in', 'notExists', 'notIn', 'prefix', 'under'].sort(),
  );
  expect([...counts.kinds].sort()).toEqual([
    'AccessPolicy',
    'MeshTrafficPermission',
    'PrivilegedAccessPolicy',
  ]);
  expect(counts.peers.size).toBeGreaterThanOrEqual(peers);
}
