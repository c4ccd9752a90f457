import { describe, expect, test } from 'vitest';
import { limits } from '../../../src/pdp/model/limits.ts';
import { type Condition, keys } from '../../../src/pdp/model/rule.ts';
import { holds } from '../../../src/policy/lint/among.ts';
import type { TagSource } from '../../../src/policy/migrate/clients.ts';
import type { Item } from '../../../src/policy/migrate/ground.ts';
import { newcomer, Patience } from '../../../src/policy/migrate/newcomer.ts';
import { Random } from '../../oracle/random.ts';

const condition = (tag: string, op: 'in' | 'notIn', value: string): Condition => ({
  side: 'source',
  key: tag === 'mesh' ? keys.mesh : keys.tag + tag,
  op,
  values: [{ match: 'exact', value }],
});

function item(when: readonly Condition[]): Item {
  return { policy: 0, index: 0, enforced: 3, shadow: 3, when: [condition('mesh', 'in', 'm'), ...when] };
}

function matches({ when }: Item, { mesh, tags }: TagSource): boolean {
  return when.every((one) =>
    holds(one, one.key === keys.mesh ? [mesh] : (tags.get(one.key.slice(keys.tag.length)) ?? [])),
  );
}

const tagNames = ['x', 'y'];
const values = ['1', '2'];

/** Every set of values for every tag, and one that nobody names. */
function* all(): Generator<TagSource, void> {
  const sets = [[], ['1'], ['2'], ['1', '2'], ['3'], ['1', '3'], ['2', '3'], ['1', '2', '3']];
  for (const x of sets)
    for (const y of sets)
      yield {
        mesh: 'm',
        tags: new Map([
          ['x', x],
          ['y', y],
        ]),
      };
}

test('[MIG6] a client to come is found if there is one, and only then', () => {
  let [found, none] = [0, 0];
  for (let seed = 0; seed < 3_000; seed++) {
    const random = new Random(seed);
    const some = () =>
      item(
        Array.from({ length: random.below(4) }, () =>
          condition(random.pick(tagNames), random.chance(0.5) ? 'in' : 'notIn', random.pick(values)),
        ),
      );
    const one = random.chance(0.9) ? some() : undefined;
    const stronger = Array.from({ length: random.below(6) }, some);
    const got = newcomer('m', one, stronger, new Patience());
    const wins = (source: TagSource) =>
      (one === undefined || matches(one, source)) && !stronger.some((other) => matches(other, source));
    const exists = [...all()].some(wins);
    expect([seed, got === 'none']).toEqual([seed, !exists]);
    if (typeof got === 'string') none++;
    else {
      found++;
      expect(wins(got)).toBe(true);
      expect(got.tags.size).toBeGreaterThan(0);
    }
  }
  expect(Math.min(found, none)).toBeGreaterThan(300);
});

describe('what is too much or of another kind', () => {
  test.each([
    [4, 'none'],
    [12, 'unsettled'],
  ])('[MIG6] [MIG10] of %s choices in a row, none of which helps, %s', (count, wanted) => {
    const choices = Array.from({ length: count }, (_, at) =>
      item([condition(`a${at}`, 'notIn', '1'), condition(`b${at}`, 'notIn', '1')]),
    );
    expect(newcomer('m', undefined, [...choices, item([])], new Patience())).toBe(wanted);
  });

  test('[MIG10] what was spent stays spent', () => {
    const patience = new Patience();
    expect(patience.spend(limits.newcomerSteps)).toBe(true);
    expect(patience.isOver).toBe(false);
    expect(newcomer('m', undefined, [item([])], patience)).toBe('unsettled');
    expect(patience.isOver).toBe(true);
  });

  test('[MIG6] conditions that are not about exact tags settle nothing', () => {
    const prefix: Condition = { ...condition('x', 'in', '1'), values: [{ match: 'prefix', value: '1' }] };
    expect(newcomer('m', item([prefix]), [], new Patience())).toBe('unsettled');
    expect(
      newcomer('m', item([]), [item([{ ...condition('x', 'in', '1'), op: 'exists' }])], new Patience()),
    ).toBe('unsettled');
  });

  test('[MIG6] items about other meshes do not count', () => {
    const other: Item = { ...item([]), when: [condition('mesh', 'in', 'n')] };
    expect(newcomer('m', item([]), [other], new Patience())).toEqual({
      mesh: 'm',
      tags: new Map([['kuma.io/service', ['new-client']]]),
    });
  });

  test('[MIG6] a service that nobody names is named', () => {
    const stronger = ['new-client', 'new-client-2'].map((value) =>
      item([condition('kuma.io/service', 'in', value)]),
    );
    const got = newcomer('m', item([]), stronger, new Patience()) as TagSource;
    expect(got.tags.get('kuma.io/service')).toEqual(['new-client-3']);
  });
});
