import { describe, expect, test } from 'vitest';
import { limits } from '../../../src/pdp/model/limits.ts';
import { serviceTag } from '../../../src/pdp/model/rule.ts';
import { type Clients, clientsOf, includes } from '../../../src/policy/merge/clients.ts';
import { overlapsOf } from '../../../src/policy/merge/overlaps.ts';
import { Random } from '../../oracle/random.ts';

const of = (tags: Record<string, string>, mesh = 'default'): Clients =>
  clientsOf(mesh, Object.entries(tags))!;

function shown(selections: readonly Clients[]): readonly string[] | undefined {
  return overlapsOf(selections)?.map(({ clients: { mesh, is, not }, of }) => {
    const tags = [...is].map(([tag, value]) => `${tag}=${value}`);
    const others = [...not].map(([tag, values]) => `${tag}!=${values.join('/')}`);
    return `${[mesh, ...tags, ...others].join(' ')}: ${of.join(' ')}`;
  });
}

describe('overlaps', () => {
  test('[MRG10] of services and everybody: each service is more than everybody', () => {
    expect(shown([of({}), of({ [serviceTag]: 'web' }), of({ [serviceTag]: 'pay' })])).toEqual([
      'default kuma.io/service=pay: 0 2',
      'default kuma.io/service=web: 0 1',
      'default: 0',
    ]);
  });

  test('[MRG10] what two selections have in common is told apart from either', () => {
    expect(shown([of({ zone: 'east' }), of({ version: 'v1' })])).toEqual([
      'default zone=east version=v1: 0 1',
      'default version=v1: 1',
      'default zone=east: 0',
    ]);
  });

  test('[MRG10] a value that is wanted and not wanted is nobody, one that is wanted settles the others', () => {
    expect(shown([of({ v: '!1' }), of({ v: '1' })])).toEqual(['default v=1: 1', 'default v!=1: 0']);
    expect(shown([of({ v: '!1' }), of({ v: '2' })])).toEqual(['default v=2: 0 1', 'default v!=1: 0']);
    expect(shown([of({ v: '!1' }), of({ v: '!2' })])).toEqual([
      'default v!=1/2: 0 1',
      'default v!=1: 0',
      'default v!=2: 1',
    ]);
  });

  test('[MRG10] clients of two meshes are different ones', () => {
    expect(shown([of({}), of({}, 'other')])).toEqual(['default: 0', 'other: 1']);
  });

  test('[MRG10] the first that a client is among says which selections hold for it, on random selections', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const random = new Random(seed);
      const selections = Array.from({ length: random.between(1, 7) }, () => {
        const tags = random.some([serviceTag, 'a', 'b'], 0, 3);
        const value = (): string => `${random.chance(0.3) ? '!' : ''}${random.below(3)}`;
        return of(Object.fromEntries(tags.map((tag) => [tag, value()])), random.pick(['x', 'x', 'y']));
      });
      const overlaps = overlapsOf(selections)!;
      for (let n = 0; n < 40; n++) {
        const tags = random
          .some([serviceTag, 'a', 'b'], 0, 3)
          .map((tag) => [tag, [`${random.below(4)}`]] as const);
        const client = { mesh: random.pick(['x', 'y']), tags: new Map(tags) };
        const holds = selections.flatMap((one, index) => (includes(one, client) ? [index] : []));
        const first = overlaps.find(({ clients }) => includes(clients, client));
        expect(first?.of ?? [], `seed ${seed}`).toEqual(holds);
      }
    }
  });

  test('[MRG11] 5,000 services are told apart, and too many ways to overlap are not counted to the end', () => {
    const services = Array.from({ length: limits.overlaps }, (_, i) => of({ [serviceTag]: `s${i}` }));
    expect(overlapsOf(services)).toHaveLength(limits.overlaps);
    expect(overlapsOf([...services, of({})])).toBeUndefined();
    const tangled = Array.from({ length: 200 }, (_, i) => of({ [`tag${i}`]: 'x' }));
    expect(overlapsOf(tangled)).toBeUndefined();
    const apart = (count: number) => Array.from({ length: count }, (_, i) => of({ tag: `${i}` }));
    // Of n selections without a service each is compared with all before it.
    const most = Math.floor((1 + Math.sqrt(1 + 4 * limits.overlapWork)) / 2);
    expect(overlapsOf(apart(most))).toHaveLength(most);
    expect(overlapsOf(apart(most + 1))).toBeUndefined();
  });
});

test('[MRG10] tags that contradict each other are nobody', () => {
  expect(
    clientsOf('m', [
      [serviceTag, 'web'],
      [serviceTag, 'api'],
    ]),
  ).toBeUndefined();
  expect(
    clientsOf('m', [
      [serviceTag, 'web'],
      [serviceTag, '!web'],
    ]),
  ).toBeUndefined();
  expect(
    clientsOf('m', [
      [serviceTag, 'web'],
      [serviceTag, '!api'],
    ]),
  ).toEqual(of({ [serviceTag]: 'web' }, 'm'));
});

test('[MRG10] a client with several values of a tag is among all that ask for one of them', () => {
  const client = { mesh: 'default', tags: new Map([[serviceTag, ['web', 'api']]]) };
  expect(includes(of({ [serviceTag]: 'api' }), client)).toBe(true);
  expect(includes(of({ [serviceTag]: '!api' }), client)).toBe(false);
  expect(includes(of({ [serviceTag]: '!pay' }), client)).toBe(true);
});
