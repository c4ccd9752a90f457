import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Checked } from '../../../src/attributes/evidence.ts';
import { Bundles } from '../../../src/attributes/index.ts';
import { bundleSorts, takeBundles } from '../../../src/attributes/workload-api/bundle.ts';
import { readCertificates } from '../../../src/attributes/workload-api/certificates.ts';
import {
  jwtSvidRequest,
  readJwtBundles,
  readJwtSvids,
  readX509Bundles,
  readX509Svids,
} from '../../../src/attributes/workload-api/messages.ts';
import { fieldOf, fieldsOf } from '../../../src/attributes/workload-api/protobuf.ts';
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
/** Field 1 as a number: a varint. */
const number = Uint8Array.from([0x08, 0x96, 0x01]);

describe('[WL4] messages', () => {
  it('[WL4] fields that nobody knows are skipped, of whatever type', () => {
    const fixed = [Uint8Array.from([0x11, ...new Uint8Array(8)]), Uint8Array.from([0x1d, 0, 0, 0, 0])];
    const unknown = [number, ...fixed, fieldOf(1_000, 'later'), fieldOf(2 ** 29 - 1, 'last')];
    expect([...fieldsOf(Buffer.concat([...unknown, fieldOf(7, 'a'), fieldOf(7, 'b')]), 9)]).toEqual([
      [1_000, [Buffer.from('later')]],
      [2 ** 29 - 1, [Buffer.from('last')]],
      [7, [Buffer.from('a'), Buffer.from('b')]],
    ]);
  });

  it.each<[string, number[], RegExp]>([
    ['a group', [0x0b], /wire type 3/],
    ['a wire type that is none', [0x0f], /wire type 7/],
    ['the field 0', [0x02, 0x00], /number 0/],
    ['a field number beyond the last', [0xfa, 0xff, 0xff, 0xff, 0x7f, 0x00], /the number/],
    ['a number that does not end', [0x08, 0x80], /ends inside a number/],
    ['a number that is too long', [0x08, ...Array<number>(10).fill(0x80), 0], /more than 10 bytes/],
    ['a field that is cut', [0x0a, 0x05, 0x61], /ends inside a field/],
    ['a length beyond everything', [0x0a, ...Array<number>(9).fill(0xff), 0x01], /ends inside a field/],
    ['a fixed field that is cut', [0x09, 0x00], /ends inside a field/],
  ])('[WL4] %s is refused', (_, given, message) => {
    for (const read of [readX509Svids, readX509Bundles, readJwtBundles, readJwtSvids])
      expect(refusal(read(Uint8Array.from(given)))).toEqual(refused('encoding', message));
  });

  it('[WL4] bytes of any sort are refused or read, and none throws', () => {
    const sound = svidMessage(svidEntry({ id, certificate: own, authority: home }));
    let refusals = 0;
    for (let i = 0; i < 2_000; i++) {
      const broken = Buffer.from(sound);
      const at = (i * 7_919) % broken.length;
      broken[at] = ((broken[at] ?? 0) + 1 + (i % 255)) & 0xff;
      const read = readX509Svids(i % 2 === 0 ? broken : broken.subarray(0, at));
      const taken = read.ok ? readOwnSvid(read.value[0], Date.now()) : read;
      if (!taken.ok) {
        refusals++;
        continue;
      }
      // The bundle is believed as it comes, and a key in PKCS #8 has parts that say nothing.
      expect(credentialsOf(taken.value)).toMatchObject({ cert: own.chain });
      expect(taken.value.spiffeId.toString()).toBe(id);
    }
    expect(refusals).toBeGreaterThan(1_500);
  });

  it('[WL4] so many fields, SVIDs and bundles, and not one more', () => {
    const many = (count: number, one: Uint8Array) => Buffer.concat(Array<Uint8Array>(count).fill(one));
    const svids = (count: number) =>
      readX509Svids(
        svidMessage(...Array<Uint8Array>(count).fill(svidEntry({ id, certificate: own, authority: home }))),
      );
    expect(refusal(readJwtBundles(many(limits.workloadFields, fieldOf(9, ''))))).toEqual(
      refused('encoding', /without bundles/),
    );
    expect(refusal(readJwtBundles(many(limits.workloadFields + 1, fieldOf(9, ''))))).toEqual(
      refused('encoding', /more than 10000 fields/),
    );
    expect(refusal(svids(limits.workloadSvids))).toBe('accepted');
    expect(refusal(svids(limits.workloadSvids + 1))).toEqual(refused('limit', /65 SVIDs/));
    const bundles = (count: number) =>
      readX509Bundles(
        bundleMessage(
          2,
          Object.fromEntries(Array.from({ length: count }, (_, i) => [`spiffe://td${i}`, ''])),
        ),
      );
    expect(refusal(bundles(limits.workloadBundles))).toBe('accepted');
    expect(refusal(bundles(limits.workloadBundles + 1))).toEqual(refused('limit', /1001 bundles/));
  });

  it('[WL4] what must be there and is not, or is there twice, is refused', () => {
    const entry = svidEntry({ id, certificate: own, authority: home });
    for (const name of ['id', 'chain', 'key', 'bundle'] as const) {
      const empty = svidEntry({ id, certificate: own, authority: home }, { [name]: '' });
      expect(refusal(readX509Svids(svidMessage(entry, empty)))).toEqual(refused('encoding', /empty/));
    }
    expect(refusal(readX509Svids(new Uint8Array()))).toEqual(refused('encoding', /without SVIDs/));
    expect(refusal(readX509Svids(svidMessage(Buffer.concat([entry, fieldOf(3, ders(own.key))]))))).toEqual(
      refused('encoding', /x509_svid_key twice/),
    );
    expect(
      refusal(readX509Svids(svidMessage(Buffer.concat([entry, fieldOf(5, Uint8Array.of(0xff))])))),
    ).toEqual(refused('encoding', /no UTF-8/));
    expect(refusal(readX509Bundles(number))).toEqual(refused('encoding', /without bundles/));
  });

  it('[WL4] a bundle is that of a trust domain, once', () => {
    const of = (...ids: readonly string[]) =>
      refusal(readX509Bundles(Buffer.concat(ids.map((one) => bundleMessage(2, { [one]: 'x' })))));
    expect(of('spiffe://td.example', 'spiffe://other')).toBe('accepted');
    expect(of('td.example')).toEqual(refused('spiffe-id', /no trust domain/));
    expect(of(id)).toEqual(refused('spiffe-id', /has no path/));
    expect(of('spiffe://td', 'spiffe://td')).toEqual(refused('encoding', /twice/));
    expect(of('')).toEqual(refused('encoding', /empty/));
  });

  it('[WL4] tokens come with their IDs, and are asked for by audience and ID', () => {
    const entry = Buffer.concat([fieldOf(1, id), fieldOf(2, 'a.b.c'), fieldOf(3, 'internal')]);
    expect(readJwtSvids(fieldOf(1, entry))).toEqual({
      ok: true,
      value: [{ spiffeId: id, token: 'a.b.c', hint: 'internal' }],
    });
    expect(refusal(readJwtSvids(fieldOf(1, fieldOf(1, id))))).toEqual(refused('encoding', /empty svid/));
    expect([...fieldsOf(jwtSvidRequest(['a', 'b'], id), 9)]).toEqual([
      [1, [Buffer.from('a'), Buffer.from('b')]],
      [2, [Buffer.from(id)]],
    ]);
    expect([...fieldsOf(jwtSvidRequest(['a']), 9)]).toEqual([[1, [Buffer.from('a')]]]);
  });
});

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
