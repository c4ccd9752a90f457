import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { carryOut, type Disk, disk } from '../../../src/cli/sync/write.ts';
import type { Action } from '../../../src/policy/zones/plan.ts';
import { filesIn, put, withFiles } from './disk.ts';

const action = (what: Action['action'], file: string, text?: string): Action => ({
  action: what,
  kind: 'MeshTimeout',
  name: 'p',
  reason: 'r',
  file,
  ...(text === undefined ? {} : { text }),
});

const before = {
  'to/synced/k/old.yaml': 'old: before\n',
  'to/synced/k/gone.yaml': 'gone: before\n',
  'to/own.yaml': 'own: 1\n',
};
const plan = [
  action('create', 'synced/k/new.yaml', 'new: after\n'),
  action('create', 'synced/other/deep.yaml', 'deep: after\n'),
  action('update', 'synced/k/old.yaml', 'old: after\n'),
  action('delete', 'synced/k/gone.yaml'),
  action('skip', 'synced/k/old.yaml'),
];
const after = {
  'own.yaml': 'own: 1\n',
  'synced/k/new.yaml': 'new: after\n',
  'synced/k/old.yaml': 'old: after\n',
  'synced/other/deep.yaml': 'deep: after\n',
};

describe('carrying out a plan', () => {
  test('[ZON13] does what it says and leaves nothing beside', () =>
    withFiles(before, (root) => {
      carryOut(join(root, 'to'), plan);
      expect(Object.fromEntries(filesIn(join(root, 'to')))).toEqual(after);
    }));

  const steps = ['makeFolder', 'writeNew', 'rename', 'remove'] as const;
  /** A disk on which one step, the n-th of all, breaks off: what it writes, it writes half. */
  function breaking(at: number, code: string): { on: Disk; count: () => number } {
    let done = 0;
    const on = { ...disk } as { -readonly [K in keyof Disk]: Disk[K] };
    for (const step of steps)
      on[step] = (path: string, ...rest: string[]) => {
        if (done++ !== at) return (disk[step] as (...all: string[]) => void)(path, ...rest);
        if (step === 'writeNew') disk.writeNew(path, rest[0]!.slice(0, 3));
        throw Object.assign(new Error(code), { code });
      };
    return { on, count: () => done };
  }

  test('[ZON13] a step that fails, whichever it is, leaves every file whole, and the next run finishes', async () => {
    const { count, on } = breaking(-1, '');
    await withFiles(before, (root) => carryOut(join(root, 'to'), plan, on));
    expect(count()).toBe(8);
    const old = Object.fromEntries(Object.entries(before).map(([file, text]) => [file.slice(3), text]));
    for (let at = 0; at < count(); at++)
      await withFiles(before, (root) => {
        const folder = join(root, 'to');
        expect(() => carryOut(folder, plan, breaking(at, 'ENOSPC').on)).toThrow(
          /could not be (created|updated|deleted): ENOSPC/,
        );
        for (const [file, text] of filesIn(folder))
          expect([file, [old[file], after[file as keyof typeof after]]]).toEqual([
            file,
            expect.arrayContaining([text]),
          ]);
        carryOut(
          folder,
          plan.filter(({ action, file }) => action !== 'delete' || filesIn(folder).has(file!)),
        );
        expect(Object.fromEntries(filesIn(folder))).toEqual(after);
      });
  });

  test('[ZON13] what a run left behind that was killed does not stop the next one', () =>
    withFiles({ ...before, 'to/synced/k/.old.yaml.new': 'ol' }, (root) => {
      carryOut(join(root, 'to'), plan);
      expect(Object.fromEntries(filesIn(join(root, 'to')))).toEqual(after);
    }));

  test.each(['synced', 'synced/k'])('[ZON13] goes through no link: %s', (link) =>
    withFiles({ 'to/own.yaml': 'own: 1\n', 'elsewhere/k/old.yaml': 'theirs: 1\n' }, (root) => {
      const folder = join(root, 'to');
      if (link !== 'synced') put(join(folder, 'synced/'), '');
      symlinkSync(join(root, link === 'synced' ? 'elsewhere' : 'elsewhere/k'), join(folder, link));
      for (const one of plan.filter(({ file }) => file!.startsWith('synced/k')).slice(0, 3))
        expect(() => carryOut(folder, [one])).toThrow(/is no folder, so nothing is written there/);
      expect([...filesIn(join(root, 'elsewhere'))]).toEqual([['k/old.yaml', 'theirs: 1\n']]);
    }),
  );

  test.each(['create', 'update', 'delete'] as const)('[ZON13] %ss no link and no folder', (what) =>
    withFiles({ 'to/synced/k/folder.yaml/': '', 'theirs.yaml': 'theirs: 1\n' }, (root) => {
      const folder = join(root, 'to');
      symlinkSync(join(root, 'theirs.yaml'), join(folder, 'synced/k/link.yaml'));
      for (const file of ['synced/k/link.yaml', 'synced/k/folder.yaml'])
        expect(() => carryOut(folder, [action(what, file, 'ours: 1\n')])).toThrow(
          /is no file, so it is not touched/,
        );
      expect([...filesIn(root)]).toEqual([['theirs.yaml', 'theirs: 1\n']]);
    }),
  );

  test('[ZON13] a link in the place where a file is written first is taken away, not followed', () =>
    withFiles({ 'to/synced/k/': '', 'theirs.yaml': 'theirs: 1\n' }, (root) => {
      const folder = join(root, 'to');
      symlinkSync(join(root, 'theirs.yaml'), join(folder, 'synced/k/.new.yaml.new'));
      carryOut(folder, [action('create', 'synced/k/new.yaml', 'ours: 1\n')]);
      expect([...filesIn(root)]).toEqual([
        ['theirs.yaml', 'theirs: 1\n'],
        ['to/synced/k/new.yaml', 'ours: 1\n'],
      ]);
    }));
});
