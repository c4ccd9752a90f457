import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import type { Checked } from '../../../src/attributes/evidence.ts';
import { bundleSorts, takeBundles } from '../../../src/attributes/workload-api/bundle.ts';
import { readCertificates } from '../../../src/attributes/workload-api/certificates.ts';
import { readX509Svids } from '../../../src/attributes/workload-api/messages.ts';
import { credentialsOf, readOwnSvids } from '../../../src/attributes/workload-api/svid.ts';
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
    const svids = read.ok ? readOwnSvids(read.value, Date.now()) : read;
    return svids.ok ? { ok: true as const, value: svids.value[0] } : svids;
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

  it('[WL5] comes with others, all of them or none, and with bounded bundles', () => {
    const of = (...bundles: readonly Uint8Array[]) => {
      const entries = bundles.map((bundle) =>
        svidEntry({ id, certificate: own, authority: home }, { bundle }),
      );
      const read = readX509Svids(svidMessage(...entries));
      const svids = read.ok ? readOwnSvids(read.value, Date.now(), 10) : read;
      return svids.ok ? svids.value.length : svids.refusal.code;
    };
    const bundle = ders(home.bundle);
    const many = (count: number) => Buffer.concat(Array<Uint8Array>(count).fill(bundle));
    expect(of(bundle, bundle, bundle)).toBe(3);
    expect(of(bundle, ders(foreign.bundle))).toBe('unknown-authority');
    expect(of(many(10), many(10))).toBe(2);
    expect(of(many(9), bundle)).toBe(2);
    expect(of(many(9), many(2))).toBe('limit');
  });

  it('[WL5] has bounded company', () => {
    const leaf = ders(own.chain);
    const chain = (count: number) => Buffer.concat(Array<Uint8Array>(count).fill(leaf));
    expect(refusal(readCertificates(chain(9), 9))).toBe('accepted');
    expect(refusal(readCertificates(chain(10), 9))).toEqual(refused('limit', /more than 9/));
    expect(refusal(take({ chain: chain(2 + limits.intermediates) }))).toMatchObject({ code: 'limit' });
  });
});

type Given = Parameters<typeof bundleMessage>[1];

describe('[WL6] bundles of the Workload API', () => {
  const status = () =>
    bundles
      .status()
      .map(
        ({ trustDomain, authorities, keys, refusal: why }) =>
          [trustDomain, authorities, keys, why?.code] as const,
      )
      .sort(([a], [b]) => (a < b ? -1 : 1));
  /** A new one each time. */
  const key = (kid: string, use?: string) => ({
    kid,
    ...(use === undefined ? {} : { use }),
    ...signer().publicKey.export({ format: 'jwk' }),
  });
  let bundles: Bundles;
  let take: { readonly [Sort in keyof typeof bundleSorts]: (bundles: Given) => Checked<true> };
  beforeEach(() => {
    bundles = new Bundles();
    const [x509, jwt] = [takeBundles(bundleSorts.x509, bundles, 10), takeBundles(bundleSorts.jwt, bundles)];
    take = {
      x509: (given) => x509(bundleMessage(2, given), 1),
      jwt: (given) => jwt(bundleMessage(1, given), 1),
    };
  });

  it('[WL6] X.509 bundles are certificates one after the other', () => {
    const both = Buffer.concat([ders(home.bundle), ders(next.bundle)]);
    const given = { 'spiffe://td.example': both, 'spiffe://other.example': ders(foreign.bundle) };
    expect(take.x509(given)).toEqual({ ok: true, value: true });
    expect(status()).toEqual([
      ['other.example', 1, 0, undefined],
      ['td.example', 2, 0, undefined],
    ]);
  });

  it('[WL6] JWT bundles are JWK Sets whose keys need not say what they are for', () => {
    const set = { keys: [key('a'), key('b', 'jwt-svid'), key('c', 'sig'), key('d', 'enc')] };
    take.jwt({ 'spiffe://td.example': JSON.stringify(set) });
    expect([...(bundles.keys('td.example')?.keys() ?? [])]).toEqual(['a', 'b', 'c']);
    take.jwt({ 'spiffe://td.example': JSON.stringify({ keys: [] }) });
    expect(bundles.keys('td.example')?.size).toBe(0);
  });

  it('[WL6] one that is unsound keeps its last good, and the others change', () => {
    const both = (td: Uint8Array | string, other: Uint8Array | string) =>
      take.x509({ 'spiffe://td.example': td, 'spiffe://other.example': other });
    both(ders(home.bundle), ders(foreign.bundle));
    for (const [broken, code] of [
      ['', 'encoding'],
      ['garbage', 'encoding'],
      [ders(own.chain), 'not-ca'],
    ] as const) {
      expect(both(ders(next.bundle), broken).ok).toBe(true);
      expect(status()).toEqual([
        ['other.example', 1, 0, code],
        ['td.example', 1, 0, undefined],
      ]);
    }
    expect(bundles.authorities('td.example')?.[0]?.native.toString()).toBe(next.bundle);
    expect(bundles.authorities('other.example')?.[0]?.native.toString()).toBe(foreign.bundle);
    both(ders(next.bundle), ders(foreign.bundle));
    expect(status().map(([, , , code]) => code)).toEqual([undefined, undefined]);
  });

  it('[WL6] one that is left out goes, and what files say of it stays', () => {
    take.x509({
      'spiffe://td.example': ders(home.bundle),
      'spiffe://other.example': ders(foreign.bundle),
    });
    const [inFile] = bundles.authorities('other.example') ?? [];
    bundles.load(
      'file',
      { trustDomain: 'td.example', authorities: inFile ? [inFile] : [], keys: new Map() },
      1,
    );
    take.x509({ 'spiffe://new.example': ders(home.bundle) });
    expect(bundles.trustDomains()).toEqual(['new.example', 'td.example']);
    expect(bundles.authorities('td.example')).toEqual([inFile]);
    take.x509({ 'spiffe://other.example': ders(foreign.bundle) });
    expect(bundles.trustDomains()).toEqual(['other.example', 'td.example']);
  });

  it('[WL6] of more authorities than the limit the small bundles are read, and what is as it was', () => {
    const many = (count: number) => Buffer.concat(Array<Uint8Array>(count).fill(ders(home.bundle)));
    const large = 9;
    take.x509({ 'spiffe://large': many(large), 'spiffe://small': many(1) });
    expect(status()).toEqual([
      ['large', large, 0, undefined],
      ['small', 1, 0, undefined],
    ]);
    take.x509({ 'spiffe://large': many(large), 'spiffe://small': many(2) });
    expect(status()).toEqual([
      ['large', large, 0, undefined],
      ['small', 2, 0, undefined],
    ]);
    take.x509({ 'spiffe://large': many(large + 1), 'spiffe://small': many(3) });
    expect(status()).toEqual([
      ['large', large, 0, 'limit'],
      ['small', 3, 0, undefined],
    ]);
    take.x509({ 'spiffe://large': many(6), 'spiffe://small': many(3) });
    take.x509({ 'spiffe://large': many(6), 'spiffe://small': many(3), 'spiffe://larger': many(7) });
    expect(status()).toEqual([
      ['large', 6, 0, undefined],
      ['larger', 7, 0, undefined],
      ['small', 3, 0, undefined],
    ]);
    const keys = (count: number, name: string) =>
      JSON.stringify({ keys: Array.from({ length: count }, (_, i) => ({ ...one, kid: `${name}${i}` })) });
    const one = key('');
    take.jwt({ 'spiffe://large': keys(limits.authorities, 'l'), 'spiffe://small': keys(1, 's') });
    expect(bundles.status().filter(({ source }) => source === bundleSorts.jwt.source)).toMatchObject([
      { trustDomain: 'small', keys: 1 },
      { trustDomain: 'large', keys: 0, refusal: { code: 'limit' } },
    ]);
  });

  it('[WL6] [B2] the same once more is no change', () => {
    const a = JSON.stringify({ keys: [key('a')] });
    const again = () => {
      take.x509({ 'spiffe://td.example': ders(home.bundle) });
      take.jwt({ 'spiffe://td.example': a });
      return bundles.version;
    };
    const version = again();
    expect(again()).toBe(version);
    // Other spaces, so that it is read anew.
    take.jwt({ 'spiffe://td.example': `${a} ` });
    expect(bundles.version).toBe(version);
    take.jwt({ 'spiffe://td.example': JSON.stringify({ keys: [key('a')] }) });
    expect(bundles.version).toBeGreaterThan(version);
  });
});
