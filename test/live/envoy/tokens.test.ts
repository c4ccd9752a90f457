import { describe, expect } from 'vitest';
import { live } from '../../live.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { type Counts, compareSets } from './tokens/compare.ts';
import { sorts } from './tokens/drawn.ts';

/** The PDP, a real Envoy with its export, and the interpreter, on real tokens over real connections. */

async function agree(from: number, count: number): Promise<Counts> {
  const counts: Counts = {
    sets: 0,
    requests: 0,
    allowed: 0,
    shadowDiffers: 0,
    refused: 0,
    interpreted: 0,
    tiers: new Set(),
    operators: new Set(),
    floors: new Set(),
    sorts: new Map(),
  };
  const differences = await compareSets(from, count, 40, counts);
  const { tiers, operators, floors, sorts: tried, ...numbers } = counts;
  console.log(`seeds ${from} to ${from + count - 1}`, numbers, [...tiers], [...operators], [...floors]);
  console.log([...tried].map(([sort, times]) => `${times} ${sort}`).join(', '));
  expect(differences.length, JSON.stringify(differences[0], null, 1)).toBe(0);
  return counts;
}

const minutes = 60_000;

describe('tokens', () => {
  live(
    envoyMissing,
    '[XCH1] [XCH2] [ENV2] [ENV6] [ENV19] [ENV20] 80 sets whose clients come with tokens',
    async () => {
      const counts = await agree(1, 80);
      expect(counts.sets).toBeGreaterThanOrEqual(60);
      expect(counts.requests / counts.sets).toBeGreaterThanOrEqual(30);
      expect(counts.allowed / counts.requests).toBeGreaterThan(0.3);
      expect(counts.refused / counts.requests).toBeGreaterThan(0.15);
      expect(counts.shadowDiffers).toBeGreaterThan(100);
      expect(counts.interpreted / counts.requests).toBeGreaterThan(0.7);
      expect([...counts.tiers].sort()).toEqual(['0', '1', '2', '3', 'null', 'refused']);
      expect([...counts.operators].sort()).toEqual(['exists', 'in', 'notExists', 'notIn']);
      expect([...counts.floors].sort()).toEqual([
        'asserted',
        'attested',
        'configured',
        'observed',
        'reported',
      ]);
      expect([...sorts].filter((sort) => !counts.sorts.has(sort))).toEqual([]);
    },
    10 * minutes,
  );

  const fresh = Date.now() % 1_000_000_000;
  live(
    envoyMissing,
    `[XCH2] [ENV19] on sets of this run alone, from seed ${fresh}`,
    () => agree(fresh, 12).then(() => undefined),
    10 * minutes,
  );
});
