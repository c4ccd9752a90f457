import { describe, expect, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { access, db, service } from '../shop.ts';

/** Denies that only together, or only as far as was looked, leave no way. */

const unlike = (key: string, ...values: string[]) => ({ key: `k8s:label:${key}`, operator: 'NotIn', values });
const wanted = access('a', 'allow', { matchLabels: { 'k8s:label:x': '1' } });

function denying(name: string, ...matchExpressions: object[]) {
  return access(name, 'deny', { matchExpressions });
}

function missOf(...denies: ReturnType<typeof access>[]) {
  const placet = open([service, wanted, ...denies]);
  const missed = placet.explain({ source: { attributes: { 'k8s:label:z': '1' } }, destination: db })
    .nearestMiss!;
  const placed = (attributes: Record<string, string>) =>
    placet.decide({ source: { attributes }, destination: db }).decision;
  return { missed, placed };
}

describe('[NEAR4] denies that leave no way', () => {
  test('of which each leaves one, are named together, and no others', () => {
    const { missed } = missOf(
      denying('d1', unlike('k', 'v1')),
      denying('d2', unlike('k', 'v2')),
      denying('d3', unlike('other', '1')),
    );
    expect(missed.possible).toBe(false);
    expect(missed.approximate).toBeUndefined();
    expect(missed.denies.map(({ by }) => by.policy)).toEqual(['d1', 'd2']);
    expect(missed.words).toEqual([
      'cannot be had: together deny 0 of d1 and deny 0 of d2 deny whatever allow 0 of a would allow here',
    ]);
  });

  test('as far as was looked, are not said to leave none', () => {
    const keys = Array.from({ length: 10 }, (_, i) => `k${i}`);
    const denies = Array.from({ length: 13 }, (_, i) =>
      denying(
        `d${i}`,
        ...[0, 1, 2, 3, 4].map((j) => unlike(`k${(3 * i + 7 * j) % keys.length}`, `v${i}`, `w${j}`)),
      ),
    );
    const { missed, placed } = missOf(...denies);
    const way = Object.fromEntries(keys.map((key) => [`k8s:label:${key}`, 'w0']));
    expect(placed({ 'k8s:label:x': '1', ...way })).toBe('allow');
    expect(missed.possible).toBe(false);
    expect(missed.approximate).toBe(true);
    expect(missed.words).toEqual([
      'not found: of the ways to keep 13 denies off allow 0 of a not all were tried',
    ]);
  });
});

test('[NEAR2] what keeps off more denies than were worked out is not said to be nothing', () => {
  const { missed, placed } = missOf(
    ...Array.from({ length: 900 }, (_, i) => denying(`d${i}`, unlike(`k${i}`, 'v'))),
  );
  expect(missed.approximate).toBe(true);
  expect(placed({ 'k8s:label:x': '1' })).toBe('deny');
  expect(missed.words.at(-1)).toMatch(/^\d+ more denies would match; what keeps them off was not found$/);
});
