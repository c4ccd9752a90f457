import { describe, expect, test } from 'vitest';
import { formatViolation } from '../../../src/pdp/model/violation.ts';
import { fromOne, policy, settled, together } from './settled.ts';
import { changes, Folder, global, plan, sync, universal, type Value, zone } from './syncing.ts';

/** What is done with copies that are there. */

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

  test('[ZON11] stay where somebody wrote more into their file', () => {
    const { one, middle } = settled();
    const [file, text] = [...middle.files].find(([name]) => name.includes('/p-'))!;
    middle.files.set(file, `${text}---\n${policy('g', 'kuma-system')}\n`);
    one.own = [];
    const { actions, violations } = plan(one, middle);
    expect([changes(actions), violations]).toEqual([[], []]);
    expect(actions.map(({ reason }) => reason).join('\n')).toMatch(/but its file is not sync's to remove$/m);
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
