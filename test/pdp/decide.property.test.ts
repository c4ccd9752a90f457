import { describe, expect, test } from 'vitest';
import { openBoth } from '../oracle/compare.ts';
import { Counts } from '../oracle/count.ts';
import { generate } from '../oracle/generate.ts';
import { keptQuestions } from '../oracle/kept.ts';
import { compareSeeds, range, showFailure } from '../oracle/run.ts';

/** `decide` and `explain` against the twin of test/oracle, on worlds and requests drawn from seeds. */

const sets = 2_000;
const freshSets = 100;
/** Another one each run, printed with what fails, so that a failure can be had again. */
const fresh = Date.now() % 1_000_000_000;

function check(from: number, count: number): Counts {
  const counts = new Counts();
  const failures = compareSeeds(range(from, count), counts, 3);
  if (failures.length > 0) throw new Error(`differs from the twin:\n${failures.map(showFailure).join('\n')}`);
  return counts;
}

describe('decide and explain agree with a slow reading of SPEC.md', { timeout: 300_000 }, () => {
  test('[TIER1] [TIER2] [TIER3] on the same worlds every run, which hold enough of everything', () => {
    const counts = check(1, sets);
    console.log(counts.print());
    const share = (count: number) => count / counts.requests;
    expect(counts.requests).toBe(10 * sets);
    expect(share(counts.read)).toBeGreaterThanOrEqual(0.5);
    expect(share(counts.allows)).toBeGreaterThanOrEqual(0.3);
    expect(share(counts.crowded)).toBeGreaterThanOrEqual(0.25);
    expect(share(counts.fallbacks)).toBeGreaterThanOrEqual(0.05);
    expect(share(counts.shadows)).toBeGreaterThanOrEqual(0.1);
    expect([...counts.tiers.keys()].sort()).toEqual(['0', '1', '2', '3', '4', 'null']);
    expect([...counts.operators.keys()].sort()).toEqual(['exists', 'in', 'notExists', 'notIn']);
    for (const [target, least] of [
      ['kuma:tag in', 500],
      ['kuma:tag notIn', 100],
      ['unknown kuma:tag in', 30],
      ['kuma:route in', 100],
      ['unknown kuma:route in', 30],
      ['kuma:proxy-type in', 100],
    ] as const)
      expect([target, (counts.targets.get(target) ?? 0) >= least]).toEqual([target, true]);
    // `stale`, `peer-refused`, `token-refused` and `not-ready` are of the service's, not of decide's
    expect([...counts.reasons.keys()].sort()).toEqual([
      'ambiguous-path',
      'conflict',
      'default',
      'incomplete-request',
      'invalid-request',
      'invalid-source',
      'rule',
      'shared-identity',
      'unidentified',
      'unknown-attribute',
      'unknown-destination',
    ]);
  });

  test(`[TIER1] on worlds of this run alone, from seed ${fresh}`, () => {
    expect(check(fresh, freshSets).requests).toBe(10 * freshSets);
  });
});

test('[TIER2] decide agrees in sets of up to 1,500 rules too', { timeout: 300_000 }, () => {
  for (const seed of range(1, 40)) {
    const { documents, channel, requests } = generate(seed, 20, 1_500);
    const { difference } = openBoth(documents, channel);
    for (const request of requests) expect([seed, difference(request, false)]).toEqual([seed, undefined]);
  }
});

describe('what differed once agrees', () => {
  test.each(keptQuestions())('$name $note', ({ documents, channel, request, want }) => {
    const { twin, difference } = openBoth(documents, channel);
    expect(difference(request)).toBeUndefined();
    const { decision, tier, reason } = twin.decide(request);
    expect(`${decision} ${tier} ${reason}`).toBe(want);
  });
});
