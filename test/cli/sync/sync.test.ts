import { symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../world.ts';
import { backend, filesIn, producer, put, stampOf, withFiles } from './disk.ts';

const world = {
  'zone-a/backend.yaml': backend,
  'zone-a/policies/producer.yaml': producer,
  'global/mesh.yaml': 'type: Mesh\nname: default\n',
  'zone-b/': '',
};

const sync = (root: string, from: string, to: string, ...flags: string[]) =>
  run(['sync', '--from', join(root, from), '--to', join(root, to), ...flags]);

/** Names of files, without suffixes. */
const names = (root: string, folder: string) =>
  [...filesIn(join(root, folder)).keys()].map((file) => file.replace(/-[a-z0-9]{16}\.yaml$/, '-*.yaml'));

describe('placet sync', () => {
  test('[ZON11] [ZON14] says what it would do, does it, and then has nothing to do', () =>
    withFiles(world, async (root) => {
      const before = filesIn(root);
      const dry = await sync(root, 'zone-a', 'global', '--dry-run');
      expect([dry.code, dry.err]).toEqual([0, '']);
      expect(dry.out).toMatch(/^create MeshService backend-ns\/backend: /);
      expect(dry.out).toMatch(
        /zone zone-a to global: 2 to create, 0 to update, 0 to delete, 0 to skip; nothing was written\n$/,
      );
      expect(filesIn(root)).toEqual(before);

      const done = await sync(root, 'zone-a', 'global');
      expect(done.out).toMatch(/zone zone-a to global: 2 created, 0 updated, 0 deleted, 0 skipped\n$/);
      expect(names(root, 'global')).toEqual([
        'mesh.yaml',
        'synced/meshservice/backend-*.yaml',
        'synced/meshtimeout/producer-*.yaml',
      ]);

      const files = [...filesIn(join(root, 'global')).keys()].map((file) => join(root, 'global', file));
      const stamps = files.map(stampOf);
      const again = await sync(root, 'zone-a', 'global');
      expect(again.out).toBe('zone zone-a to global: 0 created, 0 updated, 0 deleted, 2 skipped\n');
      expect(files.map(stampOf)).toEqual(stamps);
    }));

  test('[ZON7] [ZON9] [ZON10] through Global to another zone, and every place loads without a warning', () =>
    withFiles(world, async (root) => {
      for (const [from, to] of [
        ['zone-a', 'global'],
        ['global', 'zone-b'],
        ['global', 'zone-a'],
        ['zone-b', 'global'],
      ])
        expect((await sync(root, from!, to!)).code).toBe(0);
      expect(names(root, 'zone-b')).toEqual([
        'synced/mesh/default.yaml',
        'synced/meshservice/backend-*.yaml',
        'synced/meshtimeout/producer-*.yaml',
      ]);
      expect(names(root, 'zone-a')).toEqual([
        'backend.yaml',
        'policies/producer.yaml',
        'synced/mesh/default.yaml',
      ]);
      for (const place of ['zone-a', 'zone-b', 'global']) {
        const { code, out } = await run(['check', join(root, place), '--strict', '--json']);
        expect([place, code, JSON.parse(out).errors, JSON.parse(out).warnings]).toEqual([place, 0, [], []]);
      }
    }));

  test('[ZON11] what is gone goes, what changed changes, and nothing else is touched', () =>
    withFiles({ ...world, 'global/notes.txt': 'mine', 'global/synced/readme.md': 'mine' }, async (root) => {
      await sync(root, 'zone-a', 'global');
      const stamp = stampOf(join(root, 'global/mesh.yaml'));
      unlinkSync(join(root, 'zone-a/backend.yaml'));
      put(join(root, 'zone-a/policies/producer.yaml'), producer.replace('5s', '7s'));
      const { out } = await sync(root, 'zone-a', 'global');
      expect(out).toMatch(/0 created, 1 updated, 1 deleted, 0 skipped\n$/);
      expect(names(root, 'global')).toEqual([
        'mesh.yaml',
        'notes.txt',
        'synced/meshtimeout/producer-*.yaml',
        'synced/readme.md',
      ]);
      expect([...filesIn(join(root, 'global')).values()].join()).toContain('idleTimeout: 7s');
      expect(stampOf(join(root, 'global/mesh.yaml'))).toBe(stamp);
    }));

  test('[ZON14] a folder that holds nothing deletes nothing, unless that is meant', () =>
    withFiles(world, async (root) => {
      await sync(root, 'zone-a', 'global');
      unlinkSync(join(root, 'zone-a/backend.yaml'));
      unlinkSync(join(root, 'zone-a/policies/producer.yaml'));
      const refused = await sync(root, 'zone-a', 'global');
      expect([refused.code, refused.out]).toEqual([1, '']);
      expect(refused.err).toMatch(
        /holds no document, and 2 copies of what it held would be deleted\n {2}.*--allow-empty/,
      );
      expect(names(root, 'global')).toHaveLength(3);
      const meant = await sync(root, 'zone-a', 'global', '--allow-empty');
      expect(meant.out).toMatch(/2 deleted/);
      expect(names(root, 'global')).toEqual(['mesh.yaml']);
    }));

  test('[ZON14] as JSON: every action with its reason, in one object', () =>
    withFiles(world, async (root) => {
      const { out } = await sync(root, 'zone-a', 'global', '--json', '--dry-run');
      const { from, to, dryRun, actions } = JSON.parse(out);
      expect([from, to, dryRun]).toEqual([{ zone: 'zone-a' }, { zone: null }, true]);
      expect(actions).toHaveLength(2);
      expect(actions[1]).toEqual({
        action: 'create',
        kind: 'MeshTimeout',
        namespace: 'backend-ns',
        name: 'producer',
        reason: 'global sees what its zones have',
        place: { file: join(root, 'zone-a/policies/producer.yaml'), line: 1, column: 1 },
        file: expect.stringMatching(/^synced\/meshtimeout\/producer-[a-z0-9]{16}\.yaml$/),
      });
    }));

  test.each(['zone-a', 'global'])('[ZON12] with a problem in %s nothing is written', (place) =>
    withFiles(
      { ...world, [`${place}/bad.yaml`]: 'type: MeshTrafficPermission\nname: p\nspec: { defualt: {} }\n' },
      async (root) => {
        const before = filesIn(root);
        const { code, out, err } = await sync(root, 'zone-a', 'global');
        expect([code, out]).toEqual([1, '']);
        expect(err).toMatch(/bad\.yaml:3:.*defualt[\s\S]*so nothing is written\n$/);
        const json = await sync(root, 'zone-a', 'global', '--json');
        expect([json.code, JSON.parse(json.out).errors.length > 0]).toEqual([1, true]);
        expect(filesIn(root)).toEqual(before);
      },
    ),
  );

  test('[ZON12] Global has no policies of custom namespaces, and only the zones that it lists', () =>
    withFiles(world, async (root) => {
      put(join(root, 'global/zones.yaml'), 'type: Zone\nname: zone-1\n---\ntype: Zone\nname: zone-a\n');
      expect((await sync(root, 'zone-a', 'global')).code).toBe(0);
      const unknown = await sync(root, 'zone-a', 'global', '--from-zone', 'zone-x');
      expect([unknown.code, unknown.out]).toEqual([1, '']);
      expect(unknown.err).toMatch(
        /zones\.yaml:1:1: error: got the zone "zone-x", and global has "zone-1" and "zone-a"/,
      );
      put(join(root, 'global/own.yaml'), producer);
      const custom = await sync(root, 'global', 'zone-b');
      expect([custom.code, custom.out]).toEqual([1, '']);
      expect(custom.err).toMatch(/own\.yaml:5:\d+: error: metadata\.namespace: got .*"backend-ns"/);
    }));

  test('[ZON12] what would not load afterwards is not written', () =>
    withFiles(world, async (root) => {
      // A kind that only the zone describes.
      const kind = 'type: PolicyKind\nname: Mine\ndirections: [to]\nshortName: mine\n';
      put(join(root, 'zone-a/mine.yaml'), `${kind}---\n${producer.replace('MeshTimeout', 'Mine')}`);
      const { code, err } = await sync(root, 'zone-a', 'global');
      expect(code).toBe(1);
      expect(err).toMatch(
        /global\/synced\/mine\/producer-[a-z0-9]{16}\.yaml:3:7: error: kind: got the unknown kind "Mine"/,
      );
      expect(names(root, 'global')).toEqual(['mesh.yaml']);
    }));

  test('[ZON13] links that lead out of a folder are refused, those within it are read', () =>
    withFiles(
      { ...world, 'secret/other.yaml': backend.replace('name: backend', 'name: other') },
      async (root) => {
        symlinkSync(join(root, 'zone-a/backend.yaml'), join(root, 'zone-a/again.yaml'));
        expect((await sync(root, 'zone-a', 'global')).code).toBe(0);
        for (const [target, link] of [
          ['secret/other.yaml', 'zone-a/link.yaml'],
          ['secret', 'zone-a/folder'],
        ]) {
          symlinkSync(join(root, target!), join(root, link!));
          const { code, err } = await sync(root, 'zone-a', 'global');
          expect(code).toBe(1);
          expect(err).toMatch(/cannot be read: it leads out of the folder/);
          unlinkSync(join(root, link!));
        }
      },
    ));

  test('[ZON11] [ZON13] a copy that a link leads to is not changed', () =>
    withFiles(world, async (root) => {
      await sync(root, 'zone-a', 'global');
      const [file] = [...filesIn(join(root, 'global')).keys()].filter((name) => name.includes('producer'));
      const path = join(root, 'global', file!);
      const text = filesIn(join(root, 'global')).get(file!)!.replace('5s', '9s');
      unlinkSync(path);
      put(join(root, 'global/kept.yaml'), text);
      symlinkSync(join(root, 'global/kept.yaml'), path);
      const { code, err } = await sync(root, 'zone-a', 'global');
      expect(code).toBe(1);
      expect(err).toMatch(/differs from it, in a file that is not sync's to change/);
      expect(filesIn(join(root, 'global')).get('kept.yaml')).toBe(text);
    }));

  test.each([
    [['zone-a', 'zone-a', '--from-zone', 'a'], 2, /are one folder, or one lies in the other/],
    [['zone-a', 'zone-a/policies', '--from-zone', 'a'], 2, /are one folder, or one lies in the other/],
    [['zone-a/policies', 'zone-a', '--from-zone', 'a'], 2, /are one folder, or one lies in the other/],
    [['zone-a', 'zone-b'], 2, /was not said which/],
    [['nowhere', 'global'], 1, /nowhere: there is no such folder/],
    [['zone-a', 'nowhere', '--from-zone', 'a'], 1, /nowhere: there is no such folder/],
    [['zone-a/backend.yaml', 'global', '--from-zone', 'a'], 1, /backend\.yaml: it is no folder/],
  ])('[ZON3] [CLI4] %j ends with %d', ([from, to, ...flags], code, message) =>
    withFiles(world, async (root) => {
      const before = filesIn(root);
      const ran = await sync(root, from!, to!, ...flags!);
      expect([ran.code, ran.out]).toEqual([code, '']);
      expect(ran.err).toMatch(message);
      expect(filesIn(root)).toEqual(before);
    }),
  );

  test('[ZON5] to a Global without namespaces', () =>
    withFiles(world, async (root) => {
      expect((await sync(root, 'zone-a', 'global', '--universal')).code).toBe(0);
      const text = [...filesIn(join(root, 'global'))].find(([file]) => file.includes('producer'))![1];
      expect(text).toContain('\ntype: MeshTimeout\nname: producer-');
      expect(text).not.toMatch(/apiVersion|metadata|\n *namespace:/);
      expect((await sync(root, 'zone-a', 'global', '--universal')).out).toMatch(
        /0 created, 0 updated, 0 deleted/,
      );
    }));
});

test('[ZON2] [ZON11] policies with the longest names there are have files of their own', () =>
  withFiles(world, async (root) => {
    const many = Array.from({ length: 50 }, (_, index) =>
      producer.replace('name: producer', `name: ${'x'.repeat(251)}${String(index).padStart(2, '0')}`),
    );
    put(join(root, 'zone-a/many.yaml'), many.join('---\n'));
    const { code, out } = await sync(root, 'zone-a', 'global');
    expect([code, out.split('\n').at(-2)]).toEqual([
      0,
      'zone zone-a to global: 52 created, 0 updated, 0 deleted, 0 skipped',
    ]);
    expect(names(root, 'global')).toHaveLength(53);
  }));
