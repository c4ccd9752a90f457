import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPem } from '../../src/attributes/x509/pem.ts';
import { readSite, siteExtensionBytes } from '../../src/attributes/x509/site.ts';
import { run } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-pki-'));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const id = 'spiffe://td.example/ns/shop/sa/web';
beforeAll(async () => {
  await run(['pki', 'authority', 'td.example', '--out', folder]);
  await run([
    'pki',
    'svid',
    id,
    '--authority',
    at('td.example.pem'),
    '--out',
    folder,
    '--site',
    'site:name=eu-1',
  ]);
  await run(['pki', 'authority', 'default', '--out', folder]);
  await run([
    'pki',
    'tags',
    'default',
    'web',
    '--tag',
    'v=1',
    '--tag',
    'v=2',
    '--authority',
    at('default.pem'),
    '--out',
    folder,
  ]);
  writeFileSync(
    at('set.yaml'),
    'type: Mesh\nname: default\ncertificates: tags\n---\ntype: Site\nname: eu-1\ntrustDomains: [td.example]\n',
  );
});

describe('[CLI18] placet pki', () => {
  it('[CLI18] writes certificates, and keys that only their owner reads', () => {
    for (const name of ['td.example', 'ns-shop-sa-web', 'web']) {
      expect(readPem(readFileSync(at(`${name}.pem`), 'utf8'), 1).ok).toBe(true);
      expect(statSync(at(`${name}-key.pem`)).mode & 0o777).toBe(0o600);
    }
  });

  it('[CLI18] a gateway’s certificate carries its site', () => {
    const read = readPem(readFileSync(at('ns-shop-sa-web.pem'), 'utf8'), 1);
    const value = read.ok ? read.value[0]?.extensions.get(siteExtensionBytes) : undefined;
    expect(readSite(value ?? new Uint8Array())).toEqual({
      ok: true,
      value: new Map([['site:name', 'eu-1']]),
    });
  });

  it('[CLI18] nothing is overwritten, and what is wrong is said', async () => {
    const again = await run(['pki', 'authority', 'td.example', '--out', folder]);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('is not overwritten')]);
    expect(
      (await run(['pki', 'svid', 'spiffe://TD/x', '--authority', at('td.example.pem'), '--out', folder]))
        .code,
    ).toBe(2);
    const signed = async (authority: string) => {
      const { code, err } = await run(['pki', 'svid', id, '--authority', authority, '--out', folder]);
      return [code, err.replaceAll(folder, '').trimEnd()];
    };
    expect(await signed(at('none.pem'))).toEqual([1, 'placet: /none.pem: cannot be read: no such file']);
    expect(await signed(folder)).toEqual([1, 'placet: : cannot be read: it is a folder']);
    writeFileSync(at('alone.pem'), '');
    expect(await signed(at('alone.pem'))).toEqual([
      1,
      'placet: /alone-key.pem: cannot be read: no such file\n  its key is expected in /alone-key.pem',
    ]);
    expect(
      (
        await run([
          'pki',
          'svid',
          id,
          '--authority',
          at('td.example.pem'),
          '--out',
          folder,
          '--site',
          'k8s:ns=a',
        ])
      ).code,
    ).toBe(2);
  });
});

describe('[CERT3] [CLI18] placet pki tags', () => {
  const tags = (mesh: string, service: string, ...more: string[]) =>
    run(['pki', 'tags', mesh, service, '--authority', at('default.pem'), '--out', folder, ...more]);

  it('[CERT3] [CLI18] writes tags as they are read', async () => {
    const given = { 'my team': 'a/b', env: 'x%y', 'kuma.io/zone': 'é 1' };
    const flags = Object.entries(given).flatMap(([key, value]) => ['--tag', `${key}=${value}`]);
    expect((await tags('default', 'odd', ...flags)).code).toBe(0);
    const bundle = `default=${at('default.pem')}`;
    const set = at('set.yaml');
    const { out } = await run([
      'whois',
      '--cert',
      at('odd.pem'),
      '--bundle',
      bundle,
      '--policies',
      set,
      '--json',
    ]);
    const { 'my team': team, env, 'kuma.io/zone': zone } = JSON.parse(out).source.tags;
    expect([team, env, zone].flat()).toEqual(Object.values(given));
  });

  it('[CERT3] [CLI18] what a certificate cannot say is refused, and no file written', async () => {
    for (const [said, mesh, service, ...more] of [
      ['spiffe://Shop/bad: got "S" (0x53) at offset 9', 'Shop', 'bad'],
      ['spiffe://default/bad/1: got a path of 2 segments, want one', 'default', 'bad/1'],
      ['spiffe://default/bad 1: got " " (0x20) at offset 20', 'default', 'bad 1'],
      ['kuma://env/: got an empty part', 'default', 'bad', '--tag', 'env='],
      ['kuma://env/%09: got "%09", which holds a control character', 'default', 'bad', '--tag', 'env=\t'],
    ] as const) {
      const { code, err } = await tags(mesh, service, ...more);
      expect([code, err]).toEqual([2, expect.stringContaining(said)]);
    }
    expect(existsSync(at('bad.pem'))).toBe(false);
  });
});

describe('[CLI19] placet whois', () => {
  const whois = (...args: string[]) => run(['whois', ...args, '--policies', at('set.yaml')]);

  it('[CLI19] says what a certificate says, and what says so', async () => {
    const { code, out } = await whois(
      '--cert',
      at('ns-shop-sa-web.pem'),
      '--bundle',
      `td.example=${at('td.example.pem')}`,
      '--json',
    );
    const { values, refused, source } = JSON.parse(out);
    expect([code, refused]).toEqual([0, []]);
    expect(values).toContainEqual({
      key: 'k8s:sa',
      value: 'web',
      trust: 'attested',
      source: 'template of td.example',
    });
    expect(source).toMatchObject({ spiffeId: id, complete: { 'spiffe:': 'attested' } });
  });

  it('[CLI19] a client of a tag mesh, by the authorities of its mesh', async () => {
    const good = await whois('--cert', at('web.pem'), '--bundle', `default=${at('default.pem')}`);
    expect([good.code, good.out]).toEqual([
      0,
      expect.stringMatching(/tag mesh default\n {2}kuma\.io\/service=web\n {2}v=1, 2/),
    ]);
    const other = await whois('--cert', at('web.pem'), '--bundle', `default=${at('td.example.pem')}`);
    expect([other.code, other.out]).toEqual([1, expect.stringContaining('refused (unknown-authority)')]);
    const noMesh = await run(['whois', '--cert', at('web.pem')]);
    expect([noMesh.code, noMesh.out]).toEqual([
      1,
      expect.stringContaining('tags are read where a Mesh says "certificates: tags"'),
    ]);
  });

  it('[CLI19] evidence that is refused is told, whatever else there is', async () => {
    const { code, out } = await whois('--cert', at('ns-shop-sa-web.pem'), '--ip', '10.0.0.1');
    expect([code, out]).toEqual([1, expect.stringContaining('refused (no-bundle)')]);
    expect(out).toContain('--kubeconfig <file>');
    expect((await whois()).code).toBe(2);
  });
});
