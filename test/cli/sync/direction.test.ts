import { describe, expect, test } from 'vitest';
import { type DirectionFlags, directionOf } from '../../../src/cli/sync/direction.ts';

const of = (flags: Partial<DirectionFlags>) => {
  const { from, to } = directionOf({ from: 'x/one', to: 'x/two', ...flags });
  return [from.zone, to.zone, from.systemNamespace, to.systemNamespace];
};

describe('which end is a zone', () => {
  test.each<[Partial<DirectionFlags>, [string | undefined, string | undefined]]>([
    [{ fromZone: 'a' }, ['a', undefined]],
    [{ toZone: 'b' }, [undefined, 'b']],
    [{ from: 'zone-a/', to: 'global/' }, ['zone-a', undefined]],
    [{ from: './x/global', to: 'x/zone-b' }, [undefined, 'zone-b']],
    // A flag goes before the names of folders.
    [{ from: 'zone-a', to: 'global', fromZone: 'eu' }, ['eu', undefined]],
    [{ from: 'zone-a', to: 'global', toZone: 'eu' }, [undefined, 'eu']],
  ])('[ZON3] %j', (flags, zones) => {
    expect(of(flags)).toEqual([...zones, 'kuma-system', 'kuma-system']);
  });

  test.each<[Partial<DirectionFlags>, RegExp]>([
    [{}, /it was not said which/],
    [{ from: 'a/global', to: 'b/global' }, /it was not said which/],
    [{ fromZone: 'a', toZone: 'b' }, /two ways/],
    [{ fromZone: '' }, /no name of a zone/],
    [{ fromZone: '../x' }, /no name of a zone/],
    [{ toZone: '.a' }, /no name of a zone/],
    [{ toZone: 'a'.repeat(64) }, /no name of a zone/],
    [{ from: 'zone a', to: 'global' }, /no name of a zone/],
    [{ fromZone: 'a', systemNamespace: 'a/b' }, /no name of a namespace/],
    [{ fromZone: 'a', fromSystemNamespace: '' }, /no name of a namespace/],
    [{ fromZone: 'a', universal: true, systemNamespace: 'x' }, /contradict/],
  ])('[ZON3] %j is not understood', (flags, message) => {
    expect(() => of(flags)).toThrow(message);
  });

  test('[ZON5] where copies lie', () => {
    expect(of({ fromZone: 'a', systemNamespace: 'hub', fromSystemNamespace: 'mesh-system' })).toEqual([
      'a',
      undefined,
      'mesh-system',
      'hub',
    ]);
    expect(of({ fromZone: 'a', universal: true })).toEqual(['a', undefined, 'kuma-system', undefined]);
    expect(of({ toZone: 'a'.repeat(63) })[1]).toHaveLength(63);
  });
});
