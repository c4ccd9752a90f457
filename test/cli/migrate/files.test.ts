import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../world.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'placet-')));
afterAll(() => rmSync(root, { recursive: true }));

const fixtures = join(import.meta.dirname, '../fixtures/migrate');
let here: string;
let count = 0;

beforeEach(() => {
  here = join(root, String(++count));
  cpSync(fixtures, join(here, 'in'), { recursive: true });
});

const migrate = (...args: string[]) => run(['migrate', join(here, 'in'), ...args]);

test('[MIG9] a file a policy, which are read as what they are', async () => {
  const { code, out, err } = await migrate('--out', join(here, 'a/b'));
  expect([code, err]).toEqual([1, '']);
  expect(out).toContain(`2 of 3 policies written to ${join(here, 'a/b')}`);
  expect(readdirSync(join(here, 'a/b'))).toEqual([
    'kri_mtp_default___docs-for-all_.yaml',
    'kri_mtp_default___web-to-backend_.yaml',
  ]);
  const check = await run(['check', join(here, 'in/mesh.yaml'), join(here, 'a/b')]);
  expect([check.code, check.out]).toEqual([0, expect.stringMatching(/^no errors/m)]);
});

test('[MIG9] a second time they are replaced, and nothing else is left behind', async () => {
  const target = join(here, 'out');
  await migrate('--out', target);
  const file = join(target, 'kri_mtp_default___docs-for-all_.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, 'changed');
  expect((await migrate('--out', target)).code).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(readdirSync(target).length).toBe(2);
});

describe('[MIG9] of an earlier run', () => {
  const wide = 'kri_mtp_default___new-web-to-admin_.yaml';
  let target: string;
  beforeEach(async () => {
    target = join(here, 'out');
    expect((await migrate('--out', target, '--allow-wider')).code).toBe(0);
    expect(readdirSync(target)).toContain(wide);
  });

  test('what this one does not write is taken away, and told', async () => {
    const { code, out, err } = await migrate('--out', target);
    expect([code, err]).toEqual([1, `taken away, of an earlier run: ${wide}\n`]);
    expect(out).toContain('2 of 3 policies written');
    expect(readdirSync(target)).toEqual([
      'kri_mtp_default___docs-for-all_.yaml',
      'kri_mtp_default___web-to-backend_.yaml',
    ]);
    expect((await migrate('--out', target)).err).toBe('');
  });

  test('all is taken away where nothing is written, and JSON stays JSON', async () => {
    const path = join(here, 'in/permissions.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').split('---\n')[2]!);
    const { out, err } = await migrate('--out', target, '--json');
    expect(JSON.parse(out).meshes.length).toBe(1);
    expect(err).toContain('taken away');
    expect(readdirSync(target)).toEqual([]);
  });

  test('what was changed since is not taken away, and nothing is written', async () => {
    const changed = `${readFileSync(join(target, wide), 'utf8')}# mine\n`;
    writeFileSync(join(target, wide), changed);
    rmSync(join(target, 'kri_mtp_default___docs-for-all_.yaml'));
    const { code, out, err } = await migrate('--out', target);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`${wide} is of an earlier run and was changed since`);
    expect(readFileSync(join(target, wide), 'utf8')).toBe(changed);
    expect(readdirSync(target).length).toBe(2);
  });

  test('what is read now is not taken away', async () => {
    const path = join(here, 'in/permissions.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').split('---\n').slice(0, 2).join('---\n'));
    const { code, err } = await run(['migrate', join(here, 'in'), join(target, wide), '--out', target]);
    expect([code, readdirSync(target).length]).toEqual([2, 3]);
    expect(err).toContain('is read, and would be taken away');
  });

  test('what others put there stays, and is named where it is read with the folder', async () => {
    const names = ['.hidden.yaml', 'a.yaml', 'notes.txt'];
    for (const name of names) writeFileSync(join(target, name), 'mine');
    mkdirSync(join(target, 'below'));
    symlinkSync(join(here, 'in'), join(target, 'link'));
    const { code, err } = await migrate('--out', target);
    expect(code).toBe(1);
    expect(err).toBe(
      `taken away, of an earlier run: ${wide}\nnot of this run, and read with the folder: a.yaml, below, link\n`,
    );
    expect(readdirSync(target)).toEqual(expect.arrayContaining([...names, 'below', 'link']));
    for (const name of names) expect(readFileSync(join(target, name), 'utf8')).toBe('mine');
  });
});

test('[MIG9] a name that is too long for a file is cut', async () => {
  const [first, second] = ['x', 'y'].map((end) => 'a'.repeat(252) + end);
  const policy = (name: string) =>
    `---\ntype: MeshTrafficPermission\nname: ${name}\nfrom: [{targetRef: {kind: MeshService, name: web}, default: {action: Allow}}]\n`;
  writeFileSync(join(here, 'in/long.yaml'), policy(first!) + policy(second!));
  await migrate('--out', join(here, 'out'));
  const files = readdirSync(join(here, 'out')).filter((file) => file.includes('aaa'));
  expect(files.length).toBe(2);
  for (const file of files) expect(file.length).toBeLessThan(255);
});

test.each(['in', 'in/below', 'link/below', 'in/permissions.yaml/x'])(
  '[MIG9] what is read is never written to: --out %s',
  async (target) => {
    symlinkSync(join(here, 'in'), join(here, 'link'));
    const before = readFileSync(join(here, 'in/permissions.yaml'), 'utf8');
    const { code, out, err } = await migrate('--out', join(here, target));
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/lies in .*, which is read|is no folder/);
    expect(readFileSync(join(here, 'in/permissions.yaml'), 'utf8')).toBe(before);
    expect(existsSync(join(here, 'in/below'))).toBe(false);
  },
);

test('[MIG9] nor is a file that is read, named like one that would be written', async () => {
  const target = join(here, 'out');
  mkdirSync(target);
  const file = join(target, 'kri_mtp_default___docs-for-all_.yaml');
  writeFileSync(file, 'type: Mesh\nname: other\n');
  const { code, err } = await run(['migrate', join(here, 'in'), file, '--out', target]);
  expect(code).toBe(2);
  expect(err).toContain('is read, and would be overwritten');
  expect(readFileSync(file, 'utf8')).toBe('type: Mesh\nname: other\n');
});

test('[MIG9] links in the folder are not followed', async () => {
  const target = join(here, 'out');
  mkdirSync(target);
  writeFileSync(join(here, 'mine'), 'mine');
  symlinkSync(join(here, 'mine'), join(target, 'kri_mtp_default___docs-for-all_.yaml'));
  const { code, err } = await migrate('--out', target);
  expect(code).toBe(1);
  expect(err).toContain('is no file, so it is not touched');
  expect(readFileSync(join(here, 'mine'), 'utf8')).toBe('mine');
});

test('[MIG9] documents go to stdout and what is told to stderr, and all of it is JSON with --json', async () => {
  const { out, err } = await migrate();
  expect(out).toMatch(/^type: MeshTrafficPermission\n/);
  expect(err).toContain('2 of 3 policies written');
  const json = await migrate('--json');
  expect(json.err).toBe('');
  const [mesh] = JSON.parse(json.out).meshes;
  expect(
    mesh.policies.map(({ policy, status, written }: Record<string, unknown>) => [policy, status, written]),
  ).toEqual(
    expect.arrayContaining([
      ['docs-for-all', 'equal', true],
      ['web-to-backend', 'equal-for-inventory', true],
      ['new-web-to-admin', 'narrower', false],
    ]),
  );
});

test('[MIG9] [MIG7] it ends with 0 where all is written', async () => {
  expect((await migrate('--allow-narrower')).code).toBe(0);
  expect((await migrate('--allow-wider')).code).toBe(0);
  expect((await migrate('--every-source')).code).toBe(1);
});
