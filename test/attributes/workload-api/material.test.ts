import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Checked } from '../../../src/attributes/evidence.ts';
import { Bundles } from '../../../src/attributes/index.ts';
import { bundleSorts, takeBundles } from '../../../src/attributes/workload-api/bundle.ts';
import { readCertificates } from '../../../src/attributes/workload-api/certificates.ts';
import { readX509Svids } from '../../../src/attributes/workload-api/messages.ts';
import { credentialsOf, readOwnSvid } from '../../../src/attributes/workload-api/svid.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import { type Authority, authority, type Certificate, svid } from '../../support/certificates/index.ts';
import { signer } from '../jwt/tokens.ts';
import { bundleMessage, ders, svidEntry, svidMessage } from './server.ts';

const id = 'spiffe://td.example/ns/shop/sa/placet';
let home: Authority;
let next: Authority;
let foreign: Authority;
let own: Certificate;
beforeAll(async () => {
  [home, next, foreign] = await Promise.all([
    authority('td.example'),
    authority('td.example', { generation: 1 }),
    authority('other.example'),
  ]);
  own = await svid(home, id);
});

const refusal = (checked: Checked<unknown>) => (checked.ok ? 'accepted' : checked.refusal);
const refused = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) });

describe('[WL5] an SVID of our own', () => {
  const take = (
    wrong: Parameters<typeof svidEntry>[1] = {},
    of: { readonly certificate?: Certificate } = {},
  ) => {
    const entry = svidEntry({ id, certificate: own, authority: home, hint: 'internal', ...of }, wrong);
    const read = readX509Svids(svidMessage(entry));
    return read.ok ? readOwnSvid(read.value[0], Date.now()) : read;
  };

  it('[WL5] is verified as a peer’s is, and has its key', () => {
    const taken = take();
    if (!taken.ok) throw new Error(taken.refusal.message);
    const { spiffeId, chain, hint, validUntil } = taken.value;
    expect([spiffeId.toString(), chain.length, hint]).toEqual([id, 1, 'internal']);
    expect(validUntil).toBe(new Date(own.leaf.validTo).getTime());
    expect(credentialsOf(taken.value)).toEqual({ cert: own.chain, key: own.key });
  });

  it('[WL5] whose key is not that of its certificate is refused', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const key = other.export({ format: 'der', type: 'pkcs8' });
    expect(refusal(take({ key }))).toEqual(refused('key', /not that of the certificate of spiffe:/));
    const locked = other.export({ format: 'der', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' });
    expect(refusal(take({ key: locked }))).toEqual(refused('key', /want its own in PKCS #8/));
    expect(refusal(take({ key: 'no key' }))).toMatchObject({ code: 'key' });
  });

  it('[WL5] of another trust domain than its bundle is refused', () => {
    expect(refusal(take({ bundle: ders(foreign.bundle) }))).toMatchObject({ code: 'unknown-authority' });
    expect(refusal(take({ bundle: ders(next.bundle) }))).toMatchObject({ code: 'signature' });
  });

  it('[WL5] of another ID than it is said to be is refused', () => {
    expect(refusal(take({ id: 'spiffe://td.example/other' }))).toEqual(
      refused('spiffe-id', /as the SVID of another ID/),
    );
  });

  it('[WL5] without its certificate, with bytes behind it, or with a bundle that is none is refused', async () => {
    expect(refusal(take({ chain: Buffer.concat([ders(own.chain), Uint8Array.of(0)]) }))).toEqual(
      refused('encoding', /no DER after 1/),
    );
    expect(refusal(take({ chain: ders(own.chain).subarray(0, 99) }))).toEqual(
      refused('encoding', /no DER after 0/),
    );
    expect(refusal(take({ bundle: ders(own.chain) }))).toMatchObject({ code: 'not-ca' });
    const expired = await svid(home, id, { validity: 'expired' });
    expect(refusal(take({}, { certificate: expired }))).toMatchObject({ code: 'expired' });
  });

  it('[WL5] has bounded company', () => {
    const leaf = ders(own.chain);
    const chain = (count: number) => Buffer.concat(Array<Uint8Array>(count).fill(leaf));
    expect(refusal(readCertificates(chain(9), 9))).toBe('accepted');
    expect(refusal(readCertificates(chain(10), 9))).toEqual(refused('limit', /more than 9/));
    expect(refusal(take({ chain: chain(2 + limits.intermediates) }))).toMatchObject({ code: 'limit' });
  });
});

describe('[WL6] bundles of the Workload API', () => {
  const status = (bundles: Bundles) =>
    bundles
      .status()
      .map(({ trustDomain, authorities, keys, refusal: why }) => [trustDomain, authorities, keys, why?.code]);
  const { x509, jwt } = bundleSorts;

  it('[WL6] X.509 bundles are certificates one after the other', () => {
    const bundles = new Bundles();
    const both = Buffer.concat([ders(home.bundle), ders(next.bundle)]);
    const message = bundleMessage(2, {
      'spiffe://td.example': both,
      'spiffe://other.example': ders(foreign.bundle),
    });
    expect(takeBundles(x509, message, bundles, 1)).toEqual({ ok: true, value: true });
    expect(status(bundles)).toEqual([
      ['td.example', 2, 0, undefined],
      ['other.example', 1, 0, undefined],
    ]);
  });

  it('[WL6] JWT bundles are JWK Sets whose keys need not say what they are for', () => {
    const key = (kid: string, more = {}) => ({
      kid,
      ...signer().publicKey.export({ format: 'jwk' }),
      ...more,
    });
    const set = {
      keys: [key('a'), key('b', { use: 'jwt-svid' }), key('c', { use: 'sig' }), key('d', { use: 'enc' })],
    };
    const bundles = new Bundles();
    takeBundles(jwt, bundleMessage(1, { 'spiffe://td.example': JSON.stringify(set) }), bundles, 1);
    expect([...(bundles.keys('td.example')?.keys() ?? [])]).toEqual(['a', 'b', 'c']);
    const none = JSON.stringify({ keys: [] });
    takeBundles(jwt, bundleMessage(1, { 'spiffe://td.example': none }), bundles, 1);
    expect(bundles.keys('td.example')?.size).toBe(0);
  });

  it('[WL6] one that is unsound keeps its last good, and the others change', () => {
    const bundles = new Bundles();
    const take = (td: Uint8Array | string, other: Uint8Array | string) =>
      takeBundles(
        x509,
        bundleMessage(2, { 'spiffe://td.example': td, 'spiffe://other.example': other }),
        bundles,
        1,
      );
    take(ders(home.bundle), ders(foreign.bundle));
    for (const [broken, code] of [
      ['', 'encoding'],
      ['garbage', 'encoding'],
      [ders(own.chain), 'not-ca'],
    ] as const) {
      expect(take(ders(next.bundle), broken).ok).toBe(true);
      expect(status(bundles)).toEqual([
        ['td.example', 1, 0, undefined],
        ['other.example', 1, 0, code],
      ]);
    }
    expect(bundles.authorities('td.example')?.[0]?.native.toString()).toBe(next.bundle);
    expect(bundles.authorities('other.example')?.[0]?.native.toString()).toBe(foreign.bundle);
  });

  it('[WL6] one that is left out goes, and what files say of it stays', () => {
    const bundles = new Bundles();
    takeBundles(
      x509,
      bundleMessage(2, {
        'spiffe://td.example': ders(home.bundle),
        'spiffe://other.example': ders(foreign.bundle),
      }),
      bundles,
      1,
    );
    const [inFile] = bundles.authorities('other.example') ?? [];
    bundles.load(
      'file',
      { trustDomain: 'td.example', authorities: inFile ? [inFile] : [], keys: new Map() },
      1,
    );
    takeBundles(x509, bundleMessage(2, { 'spiffe://new.example': ders(home.bundle) }), bundles, 2);
    expect(bundles.trustDomains()).toEqual(['new.example', 'td.example']);
    expect(bundles.authorities('td.example')).toEqual([inFile]);
  });

  it('[WL6] [B2] the same once more is no change', () => {
    const bundles = new Bundles();
    const keySet = JSON.stringify({ keys: [{ kid: 'a', ...signer().publicKey.export({ format: 'jwk' }) }] });
    const again = () => {
      takeBundles(x509, bundleMessage(2, { 'spiffe://td.example': ders(home.bundle) }), bundles, 1);
      takeBundles(jwt, bundleMessage(1, { 'spiffe://td.example': keySet }), bundles, 1);
      return bundles.version;
    };
    const version = again();
    expect(again()).toBe(version);
    const otherKey = JSON.stringify({
      keys: [{ kid: 'a', ...signer().publicKey.export({ format: 'jwk' }) }],
    });
    takeBundles(jwt, bundleMessage(1, { 'spiffe://td.example': otherKey }), bundles, 1);
    expect(bundles.version).toBeGreaterThan(version);
  });
});
