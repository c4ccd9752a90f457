import { describe, expect, test } from 'vitest';
import { policy, settled, together } from './settled.ts';
import { changes, Folder, global, plan, sync, zone } from './syncing.ts';

/** Who a document is of, and what a lie about it comes to. */

describe('no echo', () => {
  test('[ZON10] a second round does nothing in any direction', () => {
    const { one, two, middle } = settled();
    expect([middle.kinds(), one.kinds(), two.kinds()]).toEqual([
      ['MeshTimeout p', 'MeshTimeout q'],
      ['MeshTimeout q'],
      ['MeshTimeout p'],
    ]);
    for (const [from, to] of [
      [one, middle],
      [two, middle],
      [middle, one],
      [middle, two],
    ] as const)
      expect(changes(sync(from, to))).toEqual([]);
  });

  test('[ZON10] what came from Global is not sent back, with the reason', () => {
    const { one, middle } = settled();
    const reasons = plan(one, middle).actions.map(({ reason }) => reason);
    expect(reasons).toEqual(['a copy: it came from the zone "zone-2" through global', 'up to date']);
  });

  test('[ZON10] what a zone finds of itself in it, brought there by hand, is not sent again', () => {
    const { one, middle } = settled();
    one.own.push(...middle.documents());
    const { actions } = plan(one, middle);
    expect(changes(actions)).toEqual([]);
    expect(actions.map(({ reason }) => reason)).toContain('a copy of what this zone has itself');
  });

  test("[ZON10] Global's own comes from no zone", () => {
    const middle = new Folder(global, policy('g', 'kuma-system'));
    const one = new Folder(zone('zone-1'));
    sync(middle, one);
    const { actions } = plan(one, middle);
    expect(actions.map(({ action, reason }) => `${action}: ${reason}`)).toEqual([
      'skip: a copy: it came from global',
    ]);
  });
});

describe('lies', () => {
  test('[ZON3] [ZON10] a document that says it is of another zone goes nowhere', () => {
    const one = new Folder(zone('zone-1'), policy('p', 'ns', { 'kuma.io/zone': 'zone-2' }));
    const { actions } = plan(one, new Folder(global));
    expect(changes(actions)).toEqual([]);
    expect(actions[0]!.reason).toBe('says that it is of the zone "zone-2", and lies in the zone "zone-1"');
  });

  test('[ZON3] [ZON10] nor does it with a name that would be a copy of that zone', () => {
    const { two, middle } = settled();
    const forged = middle.copy('MeshTimeout', 'p');
    // A copy as Global has it, laid into zone-2 as its own.
    two.own = new Folder(zone('zone-2'), JSON.stringify(forged)).own;
    two.files.clear();
    const { actions } = plan(two, middle);
    expect(actions.filter(({ name }) => name === forged.metadata.name).map(({ reason }) => reason)).toEqual([
      'says that it is of the zone "zone-1", and lies in the zone "zone-2"',
    ]);
    // Of zone-1's copies in Global a run for zone-2 removes none.
    const { name } = middle.copy('MeshTimeout', 'q').metadata;
    expect(changes(sync(two, middle))).toEqual([`delete MeshTimeout ${name}`]);
    expect(middle.kinds()).toEqual(['MeshTimeout p']);
  });

  test('[ZON10] a document that says it is from Global, by no name of a copy, goes nowhere', () => {
    const one = new Folder(zone('zone-1'), policy('p', 'ns', { 'kuma.io/origin': 'global' }));
    const { actions } = plan(one, new Folder(global));
    expect(actions.map(({ action, reason }) => `${action}: ${reason}`)).toEqual([
      "skip: says that it is from global, and its name is no copy's",
    ]);
  });

  test('[ZON10] in Global, what says it is of a zone by no name of a copy goes to nobody', () => {
    const labels = {
      'kuma.io/zone': 'zone-1',
      'kuma.io/origin': 'zone',
      'kuma.io/display-name': 'p',
      'k8s.kuma.io/namespace': 'ns',
      'kuma.io/policy-role': 'producer',
    };
    const text = policy('p-0000000000000000', 'kuma-system', labels);
    const { actions } = plan(new Folder(global, text), new Folder(zone('zone-2')));
    expect(actions.map(({ action, reason }) => `${action}: ${reason}`)).toEqual([
      'skip: says that it is of the zone "zone-1", and its name is no copy\'s',
    ]);
  });

  test.each(['zone', 'global'])('[ZON10] a namespace that is not its own (%s)', (side) => {
    const from =
      side === 'zone'
        ? new Folder(zone('zone-1'), policy('p', 'ns', { 'k8s.kuma.io/namespace': 'other' }))
        : new Folder(global, policy('p', 'kuma-system', { 'k8s.kuma.io/namespace': 'other' }));
    const { actions } = plan(from, new Folder(side === 'zone' ? global : zone('zone-1')));
    expect(actions[0]!.action).toBe('skip');
    expect(actions[0]!.reason).toMatch(
      /^says that it is of the namespace "other", and lies in "(ns|kuma-system)"$/,
    );
  });

  test('[ZON4] a display name of its own choice does not make it the copy of another', () => {
    const middle = new Folder(global);
    sync(
      new Folder(
        zone('zone-1'),
        together(policy('p', 'ns'), policy('x', 'ns', { 'kuma.io/display-name': 'p' })),
      ),
      middle,
    );
    expect(middle.kinds()).toEqual(['MeshTimeout p', 'MeshTimeout x']);
  });

  test("[ZON4] labels that are nobody's to write are written anew", () => {
    const middle = new Folder(global);
    const labels = {
      'kuma.io/origin': 'zone',
      'kuma.io/zone': 'zone-1',
      'kuma.io/mesh': 'default',
      team: 'a',
    };
    sync(new Folder(zone('zone-1'), policy('p', 'ns', labels)), middle);
    expect(middle.copies()[0].metadata.labels).toEqual({
      'k8s.kuma.io/namespace': 'ns',
      'kuma.io/display-name': 'p',
      'kuma.io/mesh': 'default',
      'kuma.io/origin': 'zone',
      'kuma.io/policy-role': 'producer',
      'kuma.io/zone': 'zone-1',
      team: 'a',
    });
  });
});
