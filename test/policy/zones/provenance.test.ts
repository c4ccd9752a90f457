import { describe, expect, test } from 'vitest';
import { formatViolation } from '../../../src/pdp/model/violation.ts';
import { changes, Folder, global, plan, sync, universal, type Value, zone } from './syncing.ts';

/** Who a document is of, and what a lie about it comes to. */

const policy = (name: string, namespace: string, labels: object = {}) =>
  JSON.stringify({
    apiVersion: 'kuma.io/v1alpha1',
    kind: 'MeshTimeout',
    metadata: { name, namespace, labels },
    spec: { to: [{ targetRef: { kind: 'MeshService', name: 'backend' }, default: {} }] },
  });
const together = (...texts: string[]) => texts.join('\n---\n');
const fromOne = () => new Folder(zone('zone-1'), policy('p', 'ns'));

/** Zones that have each other's, through Global. */
function settled(): { one: Folder; two: Folder; middle: Folder } {
  const [one, two] = [fromOne(), new Folder(zone('zone-2'), policy('q', 'ns'))];
  const middle = new Folder(global);
  sync(one, middle);
  sync(two, middle);
  sync(middle, one);
  sync(middle, two);
  return { one, two, middle };
}

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

describe('copies that go', () => {
  test('[ZON11] go with their source, in Global and then in the other zone', () => {
    const { one, two, middle } = settled();
    const copy = middle.copy('MeshTimeout', 'p').metadata.name;
    one.own = [];
    expect(changes(sync(one, middle))).toEqual([`delete MeshTimeout ${copy}`]);
    expect(middle.kinds()).toEqual(['MeshTimeout q']);
    expect(changes(sync(middle, two))).toEqual([`delete MeshTimeout ${copy}`]);
    expect(two.kinds()).toEqual([]);
    expect(two.own).toHaveLength(1);
  });

  test("[ZON11] a zone's run removes copies of that zone alone, and nothing of Global's own", () => {
    const { two, middle } = settled();
    middle.own = new Folder(global, policy('g', 'kuma-system')).own;
    two.own = [];
    sync(two, middle);
    expect(middle.kinds()).toEqual(['MeshTimeout p']);
    expect(middle.own).toHaveLength(1);
  });

  test('[ZON11] stay where somebody put them into another file', () => {
    const { one, middle } = settled();
    middle.own = [...middle.files.values()].flatMap((text) => new Folder(global, text).own);
    middle.files.clear();
    expect(changes(plan(one, middle).actions)).toEqual([]);
    one.own = [];
    const { actions } = plan(one, middle);
    expect(changes(actions)).toEqual([]);
    expect(actions.map(({ reason }) => reason)).toContain(
      'the zone "zone-1" has nothing for this side that it is a copy of, but its file is not sync\'s to remove',
    );
  });

  test('[ZON8] [ZON11] go when a producer becomes a consumer', () => {
    const { one, two, middle } = settled();
    one.own = new Folder(
      zone('zone-1'),
      policy('p', 'ns').replace('"name":"backend"', '"name":"backend","namespace":"other"'),
    ).own;
    expect(changes(sync(one, middle))).toEqual(['update MeshTimeout p']);
    expect(changes(sync(middle, two))).toEqual([
      `delete MeshTimeout ${middle.copy('MeshTimeout', 'p').metadata.name}`,
    ]);
  });
});

describe('copies that somebody changed', () => {
  test('[ZON11] are what their source says again', () => {
    const { one, middle } = settled();
    const [file, text] = [...middle.files].find(([name]) => name.includes('/p-'))!;
    middle.files.set(file, text.replace('default: {}', 'default: { idleTimeout: 1s }'));
    expect(changes(sync(one, middle))).toEqual(['update MeshTimeout p']);
    expect(middle.files.get(file)).toBe(text);
  });

  test('[ZON11] in a file of another make are refused, with where', () => {
    const { one, middle } = settled();
    const changed = [...middle.files.values()]
      .find((text) => text.includes('name: p-'))!
      .replace('default: {}', 'default: { idleTimeout: 1s }');
    middle.own = new Folder(global, changed).own;
    middle.files.clear();
    expect(plan(one, middle).violations.map(formatViolation)).toEqual([
      "own.yaml:2:1: (root): got a copy of the MeshTimeout ns/p that differs from it, in a file that is not sync's to change (remove it from there)",
    ]);
  });

  test('[ZON2] [ZON11] a document that has the name of a copy and is none is not overwritten', () => {
    const { one, middle } = settled();
    const { name } = middle.copy('MeshTimeout', 'p').metadata;
    const there = new Folder(global, policy(name, 'kuma-system'));
    expect(plan(one, there).violations.map(formatViolation)).toEqual([
      `own.yaml:1:1: (root): got a MeshTimeout kuma-system/${name} that is no copy from the zone "zone-1", where that of the MeshTimeout ns/p is to be`,
    ]);
  });

  test('[ZON11] in other namespaces anybody may call things as they like', () => {
    const { one, middle } = settled();
    const forged = middle.copy('MeshTimeout', 'q');
    const { name } = forged.metadata;
    one.own.push(...new Folder(zone('zone-1'), policy(name, 'team')).own);
    const labelled: Value = {
      ...forged,
      metadata: {
        ...forged.metadata,
        namespace: 'team',
        labels: { ...forged.metadata.labels, 'kuma.io/origin': 'global' },
      },
    };
    one.own.push(...new Folder(zone('zone-1'), JSON.stringify(labelled)).own);
    const result = plan(middle, one);
    expect([result.violations, changes(result.actions)]).toEqual([[], []]);
  });

  test('[ZON11] another file in the place of a copy is not overwritten', () => {
    const middle = new Folder(global);
    const [file] = changesFile(fromOne(), middle);
    middle.files.set(file!, 'type: Mesh\nname: default\n');
    expect(plan(fromOne(), middle).violations.map(formatViolation)).toEqual([
      `${file}:1:1: (root): got something else in the file that the copy of the MeshTimeout ns/p is to be in (move it to another file)`,
    ]);
  });

  test('[ZON5] [ZON11] follow the system namespace when it gets another name', () => {
    const one = fromOne();
    const middle = new Folder(global);
    sync(one, middle);
    const moved = new Folder({ zone: undefined, systemNamespace: 'mesh-system' });
    for (const [file, text] of middle.files) moved.files.set(file, text);
    expect(changes(sync(one, moved))).toEqual(['update MeshTimeout p']);
    expect(moved.copies().map(({ metadata }) => metadata.namespace)).toEqual(['mesh-system']);
    const flat = new Folder(universal());
    for (const [file, text] of middle.files) flat.files.set(file, text);
    expect(changes(sync(one, flat))).toEqual(['update MeshTimeout p']);
    expect(flat.copies()[0].spec.to[0].targetRef).toEqual({
      kind: 'MeshService',
      name: expect.stringMatching(/^backend-[a-z0-9]{16}$/),
    });
  });
});

describe('two sources of one copy', () => {
  test('[ZON2] are refused, both places named', () => {
    const one = new Folder(zone('zone-1'), together(policy('p', 'ns'), policy('p', 'ns')));
    expect(plan(one, new Folder(global)).violations.map(formatViolation)).toEqual([
      'own.yaml:3:1: (root): got a MeshTimeout ns/p that has the same copy as the MeshTimeout ns/p at own.yaml:1:1',
    ]);
  });

  test('[ZON2] are not: one name in two meshes, namespaces, kinds or zones', () => {
    const mesh = policy('p', 'ns', { 'kuma.io/mesh': 'other' });
    const kind = policy('p', 'ns').replace('MeshTimeout', 'MeshRetry');
    const middle = new Folder(global);
    sync(new Folder(zone('zone-1'), together(policy('p', 'ns'), mesh, kind, policy('p', 'ns-2'))), middle);
    sync(new Folder(zone('zone-2'), policy('p', 'ns')), middle);
    expect(middle.copies().map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toHaveLength(5);
    expect(new Set(middle.files.keys()).size).toBe(5);
  });
});

function changesFile(from: Folder, to: Folder): string[] {
  return plan(from, to).actions.flatMap(({ file }) => file ?? []);
}
