import { describe, expect, test } from 'vitest';
import { nearestMiss } from '../../../src/pdp/explain/nearest.ts';
import { statesOf } from '../../../src/pdp/explain/states.ts';
import { PatternWork } from '../../../src/pdp/model/pattern-work.ts';
import { operatorChannel, type Request } from '../../../src/pdp/model/request.ts';
import type { Rule } from '../../../src/pdp/model/rule.ts';
import { condition, from, id, inventory, rule } from './small.ts';

const most = 5_000_000;
const request: Request = from({ spiffeId: id, attributes: { 'k8s:label:role': 'reader' } });

function miss(rules: readonly Rule[], work: PatternWork) {
  return nearestMiss(rules, inventory(), request, operatorChannel, work);
}

/** An allow, and denies of everything but a list of values. */
function refusing(denies: number, values: number, suffix = ''): Rule[] {
  const list = Array.from({ length: values }, (_, i) => `v${i}${suffix}`).join(' ');
  const each = (i: number) => rule(2, [`key notIn w${i} ${list}`], { policy: `deny-${i}` });
  return [
    rule(3, ['role in writer'], { policy: 'allow' }),
    ...Array.from({ length: denies }, (_, i) => each(i)),
  ];
}

describe('[NEAR1] what is compared for a nearest miss is bounded', () => {
  test('exact values are compared by their value, not one by one', () => {
    const [denies, values] = [20, 1000];
    const work = new PatternWork(most);
    expect(miss(refusing(denies, values), work)).toMatchObject({ possible: true });
    // One by one the states of the key alone would come to 256 * 20 * 1000.
    expect(most - work.left).toBeLessThan(10 * denies * values);
  });

  test('patterns that reach further come to an end, with what was found so far', () => {
    const work = new PatternWork(100_000);
    const found = miss(refusing(20, 200, '/**'), work);
    expect(work.done).toBe(true);
    expect(found).toMatchObject({ allow: { id: 'allow' }, possible: true, approximate: true });
    expect(found?.words).toContain('k8s:label:role becomes writer');
  });

  test('with enough of it the least is found', () => {
    const found = miss(refusing(3, 20, '/**'), new PatternWork(most));
    expect(found).toMatchObject({ possible: true, denies: [{}, {}, {}] });
    expect(found).not.toHaveProperty('approximate');
  });
});

describe('[NEAR2] the least of up to 12 denies is known to be it', () => {
  const labelled = (count: number): Request => {
    const labels = Array.from({ length: count }, (_, i) => [`k8s:label:l${i}`, '1']);
    return from({ spiffeId: id, attributes: Object.fromEntries(labels) });
  };
  /** Each on labels that `at` names. */
  const denying = (count: number, each: number, at: (deny: number, i: number) => number): Rule[] => [
    ...Array.from({ length: count }, (_, deny) =>
      rule(
        2,
        Array.from({ length: each }, (_, i) => `l${at(deny, i)} in 1`),
      ),
    ),
    rule(3, []),
  ];
  test.each<[number, number, number, string, (deny: number, i: number) => number]>([
    [8, 4, 8, 'labels of its own', (deny, i) => deny * 4 + i],
    [12, 3, 12, 'labels of its own', (deny, i) => deny * 3 + i],
    [12, 6, 12, 'labels of its own', (deny, i) => deny * 6 + i],
    [12, 3, 4, 'labels of its neighbours', (deny, i) => deny + i],
    [12, 4, 4, 'labels of any other', (deny, i) => (deny * 7 + i * i * 5) % 17],
  ])('%i with %i conditions each fall by %i changes, %s', (count, each, least, _, at) => {
    const work = new PatternWork(most);
    const found = nearestMiss(denying(count, each, at), inventory(), labelled(80), operatorChannel, work);
    expect(found).toMatchObject({ possible: true });
    expect(found?.words).toHaveLength(least);
    expect(found).not.toHaveProperty('approximate');
    expect(most - work.left).toBeLessThan(50_000);
  });
});

test('[NEAR1] anything else is a word that no policy writes', () => {
  const fresh = (...values: string[]) => {
    const demands = [
      { id: 'role', condition: condition(`role notIn ${values.join(' ')}`), floor: undefined },
    ];
    const seen = { state: 'known', values: [values[0] ?? ''], from: 'here' } as const;
    const states = statesOf(
      'source',
      'k8s:label:role',
      () => seen,
      demands,
      { most: 'attested' },
      new PatternWork(most),
    );
    return states.find(({ step }) => step?.to?.is === 'other')?.seen.values;
  };
  expect(fresh('a')).toEqual(['other']);
  expect(fresh('other')).toEqual(['otherx']);
  expect(fresh('another', 'OTHERxX', 'x')).toEqual(['otherxxx']);
  expect(fresh('otherotherxx', 'otherxotherx')).toEqual(['otherxxx']);
  const long = `other${'x'.repeat(60_000)}`;
  expect(fresh(long)).toEqual([`${long}x`]);
});
