import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBundle } from '../../../src/attributes/bundles/document.ts';
import { BundleFiles } from '../../../src/attributes/bundles/files.ts';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import { verifyJwtSvid } from '../../../src/attributes/jwt/svid.ts';
import { type Authority, makeAuthority, makeSvid } from '../../../src/attributes/x509/make.ts';
import { signer } from '../jwt/tokens.ts';

const validity = { notBefore: new Date('2026-01-01'), notAfter: new Date('2027-01-01') };
const key = signer('ES256', 'jwt-1');
let one: Authority;
let other: Authority;
let leaf: string;
beforeAll(async () => {
  [one, other] = await Promise.all([makeAuthority('td', validity), makeAuthority('td', validity)]);
  leaf = (await makeSvid(one, 'spiffe://td/x', validity)).certificate;
});

const base64 = (pem: string) => pem.replaceAll(/-----[^-]+-----|\s/g, '');
const x509 = (pem: string) => ({ use: 'x509-svid', kty: 'EC', x5c: [base64(pem)] });
const jwt = (more = {}) => ({
  use: 'jwt-svid',
  kid: key.kid,
  ...key.publicKey.export({ format: 'jwk' }),
  ...more,
});
const document = (keys: unknown, more = {}) => JSON.stringify({ keys, ...more });
const refusal = (text: string) => {
  const read = readBundle('td', text);
  return read.ok ? 'accepted' : read.refusal;
};

describe('[B1] what a bundle may be', () => {
  it('[B1] PEM with one authority or several, and text between them', () => {
    const read = readBundle('td', `# ours\n${one.certificate}\nthe next one\n${other.certificate}`);
    expect(read.ok && read.value.authorities.length).toBe(2);
  });

  it('[B1] a SPIFFE bundle document, whose keys of an unknown use are skipped', () => {
    const text = document([x509(one.certificate), jwt(), { use: 'later', kty: 'NEW' }, {}], {
      spiffe_sequence: 7,
      spiffe_refresh_hint: 60,
    });
    const read = readBundle('td', text);
    expect(read).toMatchObject({ ok: true, value: { trustDomain: 'td', sequence: 7, refreshHint: 60 } });
    expect(read.ok && [read.value.authorities.length, [...read.value.keys.keys()]]).toEqual([1, ['jwt-1']]);
  });

  it.each([
    ['', 'encoding', /no certificate in PEM/],
    ['{"keys": 7}', 'encoding', /JSON object with "keys"/],
    ['{', 'encoding', /no SPIFFE bundle/],
    ['-----BEGIN CERTIFICATE-----\nAAAA', 'encoding', /without an end/],
    ['-----BEGIN CERTIFICATE-----\n****\n-----END CERTIFICATE-----', 'encoding', /no base64/],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'encoding', /no single DER/],
  ])('[B1] %j is refused', (text, code, message) => {
    expect(refusal(text)).toEqual({ code, message: expect.stringMatching(message) });
  });

  it('[B1] a workload’s certificate is no authority', () => {
    expect(refusal(leaf)).toMatchObject({ code: 'not-ca' });
    expect(refusal(document([x509(leaf)]))).toMatchObject({ code: 'not-ca' });
  });

  it('[B1] a private key in it is refused, whichever form it has', () => {
    expect(refusal(`${one.certificate}${one.key}`)).toMatchObject({
      code: 'encoding',
      message: expect.stringMatching(/private key/),
    });
    expect(refusal(document([jwt({ d: 'AAAA' })]))).toMatchObject({ code: 'key' });
  });

  it('[B1] keys without a name, twice, or with two certificates are refused', () => {
    expect(refusal(document([jwt({ kid: '' })]))).toMatchObject({ message: expect.stringMatching(/"kid"/) });
    expect(refusal(document([jwt(), jwt()]))).toMatchObject({
      message: expect.stringMatching(/second time/),
    });
    const two = { use: 'x509-svid', x5c: [base64(one.certificate), base64(other.certificate)] };
    expect(refusal(document([two]))).toMatchObject({ message: expect.stringMatching(/"x5c"/) });
  });
});

describe('[B2] several sources and trust domains', () => {
  const read = (pem: string, trustDomain = 'td') => {
    const bundle = readBundle(trustDomain, pem);
    if (!bundle.ok) throw new Error(bundle.refusal.message);
    return bundle.value;
  };

  it('[B2] what sources say of one trust domain adds up, and other domains keep theirs', () => {
    const bundles = new Bundles();
    bundles.load('a.pem', read(one.certificate), 1);
    bundles.load('b.pem', read(`${one.certificate}${other.certificate}`), 1);
    expect(bundles.authorities('td')).toHaveLength(2);
    expect(bundles.authorities('other')).toBeUndefined();
    bundles.drop('b.pem', 'td');
    expect(bundles.authorities('td')).toHaveLength(1);
    bundles.drop('a.pem', 'td');
    expect(bundles.authorities('td')).toBeUndefined();
  });

  it('[B2] of two keys that sources call by one name each counts, whichever came first', async () => {
    const [mine, theirs] = [signer('ES256', 'k'), signer('RS256', 'k')];
    const claims = { sub: 'spiffe://td/x', aud: 'p', exp: 2_000_000_000 };
    const tokens = await Promise.all([mine, theirs, signer('ES256', 'k')].map((one) => one.sign(claims)));
    const bundleOf = ({ kid, publicKey }: typeof mine) => ({
      trustDomain: 'td',
      authorities: [],
      keys: new Map([[kid, publicKey]]),
    });
    for (const order of [
      [mine, theirs],
      [theirs, mine],
    ] as const) {
      const bundles = new Bundles();
      const verified = () =>
        Promise.all(
          tokens.map(async (token) => {
            const expected = { audiences: ['p'], skew: 0 };
            const found = await verifyJwtSvid(token, (name) => bundles.keys(name), expected, 0);
            return found.ok ? 'held' : found.refusal.code;
          }),
        );
      for (const one of order) bundles.load(one.alg, bundleOf(one), 0);
      const { version } = bundles;
      expect(await verified()).toEqual(['held', 'held', 'signature']);
      for (const one of order) bundles.load(one.alg, bundleOf(one), 1);
      bundles.load('again', bundleOf(mine), 1);
      expect([bundles.version, bundles.keys('td')?.get('k')?.length]).toEqual([version, 2]);
      bundles.drop('again', 'td');
      bundles.drop(mine.alg, 'td');
      expect(bundles.version).toBe(version + 1);
      expect(await verified()).toEqual(['encoding', 'held', 'encoding']);
    }
  });

  it('[B2] every change of what is trusted has a version of its own, a failure has none', () => {
    const bundles = new Bundles();
    bundles.load('a.pem', read(one.certificate), 1);
    const { version } = bundles;
    bundles.fail('a.pem', 'td', { code: 'encoding', message: 'broken' });
    expect(bundles.version).toBe(version);
    bundles.load('a.pem', read(other.certificate), 2);
    expect(bundles.version).toBeGreaterThan(version);
  });

  it('[B3] an older bundle than the one in use is not taken', () => {
    const bundles = new Bundles();
    bundles.load('api', { ...read(one.certificate), sequence: 5 }, 1);
    bundles.load('api', { ...read(other.certificate), sequence: 4 }, 2);
    expect(bundles.authorities('td')?.[0]?.fingerprint).toBe(
      read(one.certificate).authorities[0]?.fingerprint,
    );
    expect(bundles.status()).toMatchObject([
      { sequence: 5, loadedAt: 1, refusal: { message: expect.stringMatching(/no older one/) } },
    ]);
  });
});

describe('[B3] files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'placet-bundles-'));
  const path = join(folder, 'td.pem');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('[B3] a file that breaks keeps the last good bundle, and status says so, until it is mended', async () => {
    const bundles = new Bundles();
    const files = new BundleFiles([{ trustDomain: 'td', path }], bundles, () => 1);
    await files.load();
    expect(bundles.status()).toMatchObject([
      { authorities: 0, refusal: { message: expect.stringMatching(/ENOENT/) } },
    ]);
    writeFileSync(path, one.certificate);
    await files.load();
    expect(bundles.status()).toEqual([
      { trustDomain: 'td', source: path, authorities: 1, keys: 0, loadedAt: 1 },
    ]);
    writeFileSync(path, one.certificate.slice(0, 99));
    await files.load();
    expect(bundles.authorities('td')).toHaveLength(1);
    expect(bundles.status()).toMatchObject([
      { authorities: 1, refusal: { message: expect.stringMatching(/without an end/) } },
    ]);
    writeFileSync(`${path}.new`, `${one.certificate}${other.certificate}`);
    renameSync(`${path}.new`, path);
    await files.load();
    expect(bundles.status()[0]).not.toHaveProperty('refusal');
    expect(bundles.authorities('td')).toHaveLength(2);
  });

  it('[B3] a watched file is seen to change, and nothing is read after the end', async () => {
    const bundles = new Bundles();
    const files = new BundleFiles([{ trustDomain: 'td', path }], bundles);
    writeFileSync(path, one.certificate);
    await files.load();
    files.watch(5);
    writeFileSync(path, other.certificate);
    const wanted = readBundle('td', other.certificate);
    const print = wanted.ok ? wanted.value.authorities[0]?.fingerprint : '';
    await expect.poll(() => bundles.authorities('td')?.[0]?.fingerprint).toBe(print);
    files.close();
    const { version } = bundles;
    writeFileSync(path, one.certificate);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(bundles.version).toBe(version);
  });

  it('[B3] a folder and a device are no files', async () => {
    const bundles = new Bundles();
    await new BundleFiles(
      [
        { trustDomain: 'a', path: folder },
        { trustDomain: 'b', path: '/dev/zero' },
      ],
      bundles,
    ).load();
    expect(bundles.status().map(({ refusal: found }) => found?.message)).toEqual([
      expect.stringMatching(/it is no file/),
      expect.stringMatching(/it is no file/),
    ]);
  });
});
