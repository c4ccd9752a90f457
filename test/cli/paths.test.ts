import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('paths without policies', () => {
  const nothing = 'there are no policies in these paths';
  const others = written('others.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');
  const cases = written('x.cases.yaml', 'cases: [{request: {destination: {service: a/b}}, want: deny}]\n');
  const empty = join(folder, 'folder');
  mkdirSync(empty);
  writeFileSync(join(empty, 'blank.yaml'), '');
  const mesh = written('mesh.yaml', 'type: Mesh\nname: default\n');

  test.each([['policies/schema'], [empty], [others], [cases]])('[CLI15] %s holds none', async (path) => {
    const check = await run(['check', path]);
    expect([check.code, check.out]).toEqual([1, expect.stringContaining(`error: ${nothing}\n`)]);
    const json = JSON.parse((await run(['check', path, '--json'])).out);
    expect(json.errors).toEqual([expect.objectContaining({ code: 'empty', message: nothing })]);
    const asked = ['--service', 'a/b'];
    for (const args of [
      ['test', path],
      ['lint', path],
      ['decide', '-p', path, ...asked],
      ['explain', '-p', path, ...asked],
    ]) {
      const { code, out, err } = await run(args);
      expect([args[0], code, out]).toEqual([args[0], 1, '']);
      expect(err).toContain(`placet: ${nothing}\n`);
    }
  });

  test('[CLI15] a file that is blank is named', async () => {
    const files = [written('empty.yaml', ''), written('comments.yaml', '# later\n---\n# or never\n')];
    // Of the same content as another.
    files.push(written('again.yaml', ''));
    const said = `there are no documents in ${files.join(', ')}, want at least one`;
    expect((await run(['check', ...files])).out).toContain(`error: ${said}\n`);
    expect((await run(['lint', ...files])).err).toContain(`placet: ${said}\n`);
    expect((await run(['check', files[0]!, mesh])).code).toBe(0);
  });

  test('[CLI15] an inventory alone is a set, and beside it the rest may be of others', async () => {
    expect((await run(['check', mesh])).code).toBe(0);
    expect((await run(['check', mesh, others])).code).toBe(0);
    expect((await run(['lint', mesh])).code).toBe(0);
  });

  test('[CLI15] a path that is not there is said without a line, and that is all', async () => {
    const missing = join(folder, 'nowhere');
    const { code, out } = await run(['check', missing]);
    expect(code).toBe(1);
    expect(out).toBe(`${missing}: error: cannot be read: no such file or folder\n1 error in 0 documents\n`);
  });
});

describe('paths that cannot be read', () => {
  const policies = ['--policies', 'policies/40-shadow'];
  test.each<[string, string[], string]>([
    [
      'a folder of requests',
      ['decide', ...policies, '-r', folder],
      `${folder}: cannot be read: it is a folder`,
    ],
    ['a log', ['replay', folder, ...policies], `${folder}: cannot be read: it is a folder`],
    ['evidence', ['whois', '--jwt', `@${folder}`], `${folder}: cannot be read: it is a folder`],
    ['settings', ['config', '--config', folder], `${folder}: cannot be read: it is a folder`],
    ['an empty path of requests', ['decide', ...policies, '-r', ''], '"": cannot be read: no such file'],
    ['of policies', ['lint', ''], '"": error: cannot be read: no such file or folder'],
    [
      'of an export',
      ['export', 'envoy', ...policies, '--all', '--out', ''],
      '"": cannot be written: no such folder',
    ],
  ])('[CLI22] %s: in words', async (_, args, words) => {
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([args[0] === 'config' ? 2 : 1, '']);
    expect(err).toContain(words);
    expect(err).not.toMatch(/E[A-Z]{4,}|Error/);
  });

  test('[CLI22] documents do not come from stdin, and that is said', async () => {
    const { code, out } = await run(['check', '-'], 'type: Mesh\nname: a\n');
    expect(code).toBe(1);
    expect(out).toMatch(
      /^-: error: cannot be read: .*\n {4}documents come from files and folders, not from stdin\n/,
    );
  });
});

describe('what is ignored', () => {
  const kinds = ['ConfigMap', 'Secret', 'Pod', 'Namespace', 'Node'];
  const map = (i: number) => `apiVersion: v1\nkind: ${kinds[i - 1]}\nmetadata: {name: map-${i}}\n`;
  const mesh = 'type: Mesh\nname: default\nmtls: {}\n';
  const maps = (n: number) => Array.from({ length: n }, (_, i) => map(i + 1));
  const check = async (documents: readonly string[]) => {
    const file = written('ignored.yaml', documents.join('---\n'));
    const { code, out } = await run(['check', file]);
    expect(code).toBe(0);
    return out.replaceAll(file, 'x').split('\n');
  };

  test('[CLI16] five are named, documents and fields', async () => {
    const lines = await check([mesh, ...maps(4)]);
    const from = lines.indexOf('5 documents and fields that Placet does not use:');
    expect(lines.slice(from + 1, from + 7)).toEqual([
      expect.stringMatching(/^ {2}x:3:\d+: Mesh default: mtls$/),
      '  x:5:1: ConfigMap map-1',
      '  x:9:1: Secret map-2',
      '  x:13:1: Pod map-3',
      '  x:17:1: Namespace map-4',
      expect.stringContaining('snapshot'),
    ]);
  });

  test('[CLI16] of more, how many', async () => {
    const lines = await check([mesh, ...maps(5)]);
    expect(lines).toContain('  x:17:1: Namespace map-4');
    expect(lines.join('\n')).not.toContain('map-5');
    expect(lines).toContain('  and 1 more; --json lists all');
  });

  test('[CLI16] what many have in common is named once', async () => {
    const proxy = (i: number) =>
      `type: Dataplane\nname: d-${i}\nnetworking:\n  address: 10.0.0.${i}\n  inbound:\n    - {port: 80, health: {}}\n    - {port: 81, health: {}}\n`;
    const lines = await check([map(1), map(1), ...[1, 2, 3].map(proxy), mesh]);
    const from = lines.indexOf('12 documents and fields that Placet does not use:');
    expect(lines.slice(from + 1, from + 5)).toEqual([
      '  x:1:1: ConfigMap map-1, and 1 other',
      expect.stringMatching(/^ {2}x:\d+:\d+: Dataplane d-1: networking\.address, and 2 others$/),
      expect.stringMatching(/^ {2}x:\d+:\d+: Dataplane d-1: networking\.inbound\[0\]\.health, and 5 others$/),
      expect.stringMatching(/^ {2}x:\d+:\d+: Mesh default: mtls$/),
    ]);
  });
});

describe('encode images', () => {
  const encode = (...images: string[]) => run(['encode', 'images', ...images]);

  test.each([
    'web',
    'registry.example/team/web_1:1.0-rc.1',
    'registry.example:5000/web@sha256:0123abcd',
    '[2001:db8::1]:5000/web:1.0',
  ])('[CLI17] %s is an image', async (image) => {
    expect(await encode(image)).toEqual({ code: 0, out: `${image}\n`, err: '' });
  });

  test.each(['', ' ', 'a,b', 'a b', 'web:', 'web@', 'web/', '/web', '_web', 'a\nb', 'wéb'])(
    '[CLI17] [CLI4] %j is none',
    async (image) => {
      const { code, out, err } = await encode('web', image);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain(`${JSON.stringify(image)}: no image reference`);
    },
  );
});
