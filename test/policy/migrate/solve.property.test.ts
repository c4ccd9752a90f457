import { expect, test } from 'vitest';
import { Bits } from '../../../src/policy/migrate/bits.ts';
import type { Clients } from '../../../src/policy/migrate/clients.ts';
import { afterwards } from '../../../src/policy/migrate/compare.ts';
import type { Ground } from '../../../src/policy/migrate/ground.ts';
import { solve } from '../../../src/policy/migrate/solve.ts';
import type { Wanted } from '../../../src/policy/migrate/wanted.ts';
import { Random } from '../../oracle/random.ts';

/** One ID, some policies and the inbounds that each governs: every way to allow or deny is tried. */
function canBeSaid(scopes: readonly (readonly number[])[], wanted: readonly boolean[]): boolean {
  const ways = 3 ** scopes.length;
  for (let way = 0; way < ways; way++) {
    const says = scopes.map((_, policy) => Math.floor(way / 3 ** policy) % 3);
    const isRight = wanted.every((want, group) => {
      const here = says.filter((_, policy) => scopes[policy]!.includes(group));
      return want === (here.includes(1) && !here.includes(2));
    });
    if (isRight) return true;
  }
  return false;
}

function bits(isIn: boolean): Bits {
  return Bits.of(1, isIn ? [0] : []);
}

test('[MIG4] lists are found wherever there are some', () => {
  let [yes, no] = [0, 0];
  for (let seed = 0; seed < 2_000; seed++) {
    const random = new Random(seed);
    const groups = random.between(1, 4);
    const scopes = Array.from({ length: random.between(1, 4) }, () =>
      Array.from({ length: groups }, (_, group) => group).filter(() => random.chance(0.6)),
    );
    const want = Array.from({ length: groups }, () => random.chance(0.5));
    const ground = {
      mesh: 'm',
      policies: scopes.map((_, scope) => ({ info: { shadow: false }, items: [], scope })),
      scopes: scopes.map((own, scope) => ({ policies: [scope], groups: own })),
      groups: want.map((_, group) => ({
        inbounds: [],
        scopes: [...scopes.keys()].filter((scope) => scopes[scope]!.includes(group)),
        others: [],
      })),
    } as unknown as Ground;
    const clients: Clients = {
      sources: [],
      ids: ['spiffe://a/b'],
      trustDomains: [],
      kinds: [],
      declared: new Set(),
    };
    const lets = scopes.map(() => random.chance(0.5));
    const wanted: Wanted = {
      allow: want.map((one) => ({ enforced: bits(one), shadow: bits(one) })),
      lets: lets.map((one) => ({ enforced: bits(one), shadow: bits(one) })),
      bans: scopes.map(() => bits(random.chance(0.3))),
      others: want.map(() => undefined),
      overruled: new Set(),
    };
    const marks = solve({ ground, clients, wanted, mode: 'narrow', isLost: () => false });
    for (const world of ['enforced', 'shadow'] as const) {
      const got = want.map((_, group) => afterwards(marks.sum(group), undefined, world, 1).has(0));
      const isRight = got.every((one, group) => one === want[group]);
      expect([seed, world, isRight]).toEqual([seed, world, canBeSaid(scopes, want)]);
      // What cannot be said is narrower, never wider.
      for (const [group, one] of got.entries()) if (one) expect([seed, want[group]]).toEqual([seed, true]);
      if (isRight) yes++;
      else no++;
    }
  }
  expect(Math.min(yes, no)).toBeGreaterThan(200);
});
