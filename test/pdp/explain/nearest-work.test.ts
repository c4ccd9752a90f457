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

test('[NEAR1] anything else is a word that no policy writes', () => {
  const fresh = (...values: string[]) => {
    const demands = [{ condition: condition(`role notIn ${values.join(' ')}`), floor: undefined }];
    const seen = { state: 'known', values: [values[0] ?? ''], from: 'here' } as const;
    const states = statesOf(
      'source',
      'k8s:label:role',
      seen,
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
