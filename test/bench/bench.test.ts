import { describe, expect, test } from 'vitest';
import { check } from './check.ts';
import { spread } from './measure.ts';
import { generatedRego } from './peers/generated-rego.ts';
import { openPlacet } from './placet.ts';
import { reference } from './reference.ts';
import { verdicts } from './report.ts';
import { generators } from './workloads/index.ts';
import { type Workload, workloadNames } from './workloads/types.ts';

const size = 2_000;
const made = new Map(workloadNames.map((name) => [name, generators[name](size, 2_000)]));
const workload = (name: (typeof workloadNames)[number]): Workload => made.get(name)!;

const near = (share: number, wanted: number, within: number): void => {
  expect(share).toBeGreaterThan(wanted - within);
  expect(share).toBeLessThan(wanted + within);
};
const shareOf = <T>(list: readonly T[], is: (one: T) => boolean): number =>
  list.filter(is).length / list.length;

describe('workloads', () => {
  test.each(workloadNames)('%s is the same each time and has the size it says', (name) => {
    expect(generators[name](size, 2_000)).toEqual(workload(name));
    expect(workload(name).rules).toHaveLength(size);
    expect(new Set(workload(name).requests).size).toBeGreaterThan(1_900);
  });

  test.each(['S', 'A', 'H', 'U'] as const)('%s denies with one rule in twenty', (name) => {
    near(
      shareOf(workload(name).rules, ({ tier }) => tier === 2),
      0.05,
      0.001,
    );
  });

  test('S: 70 % exact, requests of about 185 bytes, half of which hit', () => {
    const { rules, requests } = workload('S');
    near(
      shareOf(rules, ({ when }) => when[0]!.match === 'exact'),
      0.7,
      0.05,
    );
    near(requests.join('').length / requests.length, 185, 10);
    const hits = (text: string): boolean => {
      const { spiffeId } = (JSON.parse(text) as { source: { spiffeId: string } }).source;
      return rules.some(({ when }) => {
        const { match, values } = when[0]!;
        return match === 'exact' ? values[0] === spiffeId : spiffeId.startsWith(values[0]!);
      });
    };
    near(shareOf(requests, hits), 0.5, 0.05);
  });

  test.each(['A', 'H'] as const)('%s: 14 source and 6 destination attributes, about half allowed', (name) => {
    for (const text of workload(name).requests) {
      const { source, destination } = JSON.parse(text) as Record<string, { attributes: object }>;
      expect(Object.keys(source!.attributes)).toHaveLength(14);
      expect(Object.keys(destination!.attributes)).toHaveLength(6);
    }
    const expected = reference(workload(name));
    near(
      shareOf(workload(name).requests.slice(0, 500), (text) => expected(text).decision === 'allow'),
      0.5,
      0.1,
    );
  });

  test('H: its universe does not grow', () => {
    const services = (of: Workload): Set<string> =>
      new Set(
        of.rules.flatMap(({ when }) =>
          when.filter((one) => one.key === 'k8s:ns').flatMap((one) => one.values),
        ),
      );
    expect(services(generators.H(20_000, 0)).size).toBeLessThanOrEqual(100);
  });

  test('M: operators, paths, methods, shadows, floors and the list are there in their shares', () => {
    const { rules } = workload('M');
    const access = rules.filter(({ when }) => when.some(({ key }) => key === 'placet:namespace'));
    near(
      shareOf(access, ({ when }) => when.some(({ op }) => op !== 'in')),
      0.1,
      0.03,
    );
    near(
      shareOf(access, ({ when }) => when.some(({ floor }) => floor !== undefined)),
      0.05,
      0.02,
    );
    near(
      shareOf(access, ({ tier, shadow }) => tier !== shadow),
      0.05,
      0.02,
    );
    near(
      shareOf(rules, ({ when }) => when.some(({ side }) => side === 'request')),
      0.1,
      0.01,
    );
    expect(rules.filter(({ strength }) => strength !== undefined)).toHaveLength(200);
  });

  test('U: one value in ten is unknown', () => {
    let stated = 0;
    for (const text of workload('U').requests) {
      const { source, destination } = JSON.parse(text) as Record<string, { attributes: object }>;
      const values = [...Object.values(source!.attributes), ...Object.values(destination!.attributes)];
      stated += values.filter((value) => typeof value === 'string').length;
    }
    near(stated / (20 * workload('U').requests.length), 0.9, 0.01);
  });
});

describe('engines', () => {
  test.each(workloadNames)('Placet and the reference agree on %s', (name) => {
    const placet = openPlacet(workload(name).documents);
    const { checked, allowed } = check(workload(name), (request) => placet.decide(request), 1_000);
    expect(checked).toBe(1_000);
    near(allowed / checked, 0.5, 0.2);
  });

  test('an engine that differs is found', () => {
    expect(() => check(workload('A'), () => ({ decision: 'deny' }), 100)).toThrow(
      /want \{"decision":"allow"/,
    );
  });

  test('each rule is a rule of Rego', () => {
    for (const name of ['S', 'A'] as const) {
      expect(generatedRego(workload(name)).split('\n').length).toBeGreaterThan(size);
    }
  });
});

describe('figures', () => {
  test('medians with their spread', () => {
    expect(spread([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 });
    expect(spread([4, 1, 2, 3])).toEqual({ median: 2.5, low: 1, high: 4 });
  });

  test('a missed target is missed', () => {
    const flat = spread([1]);
    const figures = {
      workload: 'A',
      size: 10_000,
      perSec: flat,
      yardstick: flat,
      bytes: 0,
      openMs: 1,
      compileMs: 1,
      heapMb: 1,
      nodes: { median: 1, high: 1 },
      checked: 1,
      allowed: 1,
    } as const;
    const reached = (ratio: number): boolean[] =>
      verdicts([{ ...figures, ratio: spread([ratio]) }], []).map((one) => one.reached);
    expect(reached(3)).toEqual([true]);
    expect(reached(2.9)).toEqual([false]);
  });
});
