import { beforeAll, describe, expect, it } from 'vitest';
import { readBundle } from '../../../src/attributes/bundles/document.ts';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import { readCertificate } from '../../../src/attributes/x509/certificate.ts';
import { rawExtensions } from '../../../src/attributes/x509/extensions.ts';
import { readPem } from '../../../src/attributes/x509/pem.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import {
  authority,
  brokenChains,
  brokenLeaves,
  brokenNames,
  intermediate,
  type Maker,
  sound,
  svid,
  unknownCritical,
  type World,
} from '../../support/certificates/index.ts';

const id = 'spiffe://td.example/ns/shop/sa/web';
const day = 86_400_000;
let world: World;
let bundles: Bundles;
beforeAll(async () => {
  world = { home: await authority('td.example'), foreign: await authority('other.example'), id };
  bundles = new Bundles();
  for (const { trustDomain, bundle } of [world.home, world.foreign]) load(bundles, trustDomain, bundle);
});

function load(into: Bundles, trustDomain: string, text: string): void {
  const read = readBundle(trustDomain, text);
  if (!read.ok) throw new Error(read.refusal.message);
  into.load('test', read.value, Date.now());
}

/** The ID, or the reason for which there is none. */
function verify(chain: string, verifier = new X509Verifier(bundles)): string {
  const read = readPem(chain, 1 + limits.intermediates);
  const result = read.ok ? verifier.verify(read.value) : read;
  return result.ok ? result.value.spiffeId.toString() : result.refusal.code;
}

const made = async (maker: Maker): Promise<string> => verify((await maker(world)).chain);

describe('[X1] what is accepted', () => {
  it.each(Object.entries(sound))('[X1] %s', async (_, maker) => {
    expect(await made(maker)).toMatch(/^spiffe:\/\/td\.example\/ns\/shop\/sa\/webx*$/);
  });
});

describe('[X2] names', () => {
  const codes: Record<keyof typeof brokenNames, string> = {
    'no-san': 'san',
    'two-ids': 'san',
    'two-ids-other-first': 'san',
    'the-same-twice': 'san',
    'id-then-kuma': 'san',
    'kuma-then-id': 'san',
    'dns-only': 'san',
    'dns-like-id': 'san',
    'dns-like-id-beside-other': 'accepted as the other',
    'cn-like-id': 'san',
    'email-only': 'san',
    'email-like-id': 'san',
    'comma-in-uri': 'spiffe-id',
    'comma-before-id': 'spiffe-id',
    'no-spiffe-uri': 'spiffe-id',
    'upper-case-scheme': 'spiffe-id',
    'upper-case-trust-domain': 'spiffe-id',
    'escaped-path': 'spiffe-id',
    'dot-segments': 'spiffe-id',
    'escaped-dot-segments': 'spiffe-id',
    'empty-segment': 'spiffe-id',
    'trailing-slash': 'spiffe-id',
    'with-query': 'spiffe-id',
    'with-fragment': 'spiffe-id',
    'with-port': 'spiffe-id',
    'with-user': 'spiffe-id',
    'no-trust-domain': 'spiffe-id',
    'a-space': 'spiffe-id',
    'a-nul': 'spiffe-id',
    'a-nul-before-more': 'spiffe-id',
    'a-line-break': 'spiffe-id',
    'beyond-ascii': 'spiffe-id',
    'an-empty-uri': 'spiffe-id',
    'too-long': 'spiffe-id',
    'trust-domain-too-long': 'spiffe-id',
    'id-of-the-trust-domain': 'spiffe-id',
  };
  it.each(Object.entries(brokenNames))('[X2] %s', async (name, maker) => {
    const wanted = codes[name as keyof typeof brokenNames];
    expect(await made(maker)).toBe(wanted.startsWith('accepted') ? 'spiffe://td.example/other' : wanted);
  });
});

describe('[X3] what the leaf may be used for', () => {
  const codes: Record<keyof typeof brokenLeaves, string> = {
    'a-ca': 'is-ca',
    'ca-flag-alone': 'is-ca',
    'may-sign-certificates': 'key-usage',
    'may-sign-crls': 'key-usage',
    'no-digital-signature': 'key-usage',
    'no-key-usage': 'key-usage',
    'for-servers-only': 'extended-key-usage',
    'for-mail': 'extended-key-usage',
    'unknown-critical': 'extension',
  };
  it.each(Object.entries(brokenLeaves))('[X3] %s', async (name, maker) => {
    expect(await made(maker)).toBe(codes[name as keyof typeof brokenLeaves]);
  });
});

describe('[X4] who vouches for it', () => {
  const codes: Record<keyof typeof brokenChains, string> = {
    'self-signed': 'unknown-authority',
    'self-signed-as-the-root': 'signature',
    'foreign-id': 'unknown-authority',
    'foreign-signer': 'unknown-authority',
    expired: 'expired',
    'not-yet-valid': 'not-yet-valid',
    'another-root-of-that-name': 'signature',
    'intermediate-not-sent': 'unknown-authority',
    'intermediate-expired': 'expired',
    'intermediate-no-ca': 'not-ca',
    'too-many-intermediates': 'path-length',
    'intermediate-of-another-root': 'unknown-authority',
    'intermediate-for-other-names': 'extension',
    'intermediate-for-its-names': 'extension',
    'intermediate-for-names-critically': 'extension',
    'intermediate-for-mail': 'extended-key-usage',
    'intermediate-for-servers-only': 'extended-key-usage',
    'weak-rsa': 'key',
    'sha-1': 'algorithm',
  };
  it.each(Object.entries(brokenChains))('[X4] %s', async (name, maker) => {
    expect(await made(maker)).toBe(codes[name as keyof typeof brokenChains]);
  });

  it('[X4] a trust domain of which there is no bundle', async () => {
    const stranger = await authority('stranger.example');
    expect(verify((await svid(stranger, 'spiffe://stranger.example/x')).chain)).toBe('no-bundle');
  });

  it('[X4] while roots rotate, certificates of both hold, in whatever order they are trusted', async () => {
    const next = await authority('td.example', { generation: 1 });
    for (const text of [world.home.bundle + next.bundle, next.bundle + world.home.bundle]) {
      const both = new Bundles();
      load(both, 'td.example', text);
      for (const root of [world.home, next])
        expect(verify((await svid(root, id)).chain, new X509Verifier(both))).toBe(id);
    }
  });

  it('[X4] intermediates may come in any order, and with others that lead nowhere', async () => {
    const one = await intermediate(world.home);
    const two = await intermediate(one);
    const astray = await intermediate(world.foreign);
    const leaf = (await svid(two, id, { alone: true })).chain;
    const [near = '', far = ''] = two.intermediates;
    expect(verify(leaf + far + astray.intermediates[0] + near)).toBe(id);
  });

  it('[X4] how much is tried is bounded', async () => {
    const rivals = await Promise.all(
      Array.from({ length: limits.pathSteps + 2 }, (_, i) => authority('td.example', { generation: i + 2 })),
    );
    const many = new Bundles();
    load(many, 'td.example', rivals.map(({ bundle }) => bundle).join('') + world.home.bundle);
    expect(verify((await svid(world.home, id)).chain, new X509Verifier(many))).toBe('signature');
  });
});

describe('[X5] bounds and encodings', () => {
  it('[X5] one intermediate more than may be', async () => {
    let below = world.home;
    for (let i = 0; i <= limits.intermediates; i++) below = await intermediate(below);
    expect(verify((await svid(below, id)).chain)).toBe('limit');
  });

  it('[X5] bytes behind a certificate, none, too many, and what is no DER', async () => {
    const { raw } = (await svid(world.home, id)).leaf;
    const code = (bytes: Uint8Array) => {
      const read = readCertificate(bytes);
      return read.ok ? 'accepted' : read.refusal.code;
    };
    expect(code(raw)).toBe('accepted');
    expect(code(Buffer.concat([raw, Buffer.from([0])]))).toBe('encoding');
    expect(code(raw.subarray(0, -1))).toBe('encoding');
    expect(code(new Uint8Array())).toBe('encoding');
    expect(code(Uint8Array.from([0x30, 0x80, 0, 0]))).toBe('encoding');
    expect(code(new Uint8Array(limits.certificateBytes + 1))).toBe('limit');
  });

  it('[X5] an extension that says in another form than DER’s whether it is critical', async () => {
    const { raw } = (await svid(world.home, id, { more: [unknownCritical()] })).leaf;
    const oid = rawExtensions(raw)!.find(({ critical, value }) => critical && value[0] === 0x05)!.oid;
    const yes = Buffer.from('0101ff', 'hex');
    const at = raw.indexOf(Buffer.concat([Buffer.from(oid, 'hex'), yes])) + oid.length / 2 + 2;
    for (const byte of [0x00, 0x01, 0x7f, 0xfe]) {
      const bytes = Buffer.from(raw);
      bytes[at] = byte;
      expect(readCertificate(bytes), `${byte}`).toMatchObject({ ok: false, refusal: { code: 'encoding' } });
    }
  });

  it.each([
    [undefined, false],
    [[0xff], true],
    [[0x01], undefined],
    [[0x00], undefined],
    [[], undefined],
    [[0xff, 0xff], undefined],
    [[0xff, 0x00], undefined],
  ])('[X5] an extension with the truth %j', (truth, critical) => {
    const said = truth === undefined ? [] : [0x01, truth.length, ...truth];
    const wrapped = (tag: number, content: readonly number[]) => [tag, content.length, ...content];
    const extension = wrapped(0x30, [0x06, 0x01, 0x2a, ...said, 0x04, 0x00]);
    const certificate = wrapped(0x30, wrapped(0x30, wrapped(0xa3, wrapped(0x30, extension))));
    expect(rawExtensions(Uint8Array.from(certificate))?.[0]?.critical).toBe(critical);
  });

  it('[X5] 10,000 mutations: none is accepted whose signed part differs, none throws, none takes long', async () => {
    const { raw } = (await svid(world.home, id)).leaf;
    let state = 509;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >>> 4) % below;
    };
    const outcomes = new Map<string, number>();
    const verifier = new X509Verifier(bundles);
    for (let i = 0; i < 10_000; i++) {
      const bytes = Buffer.from(raw);
      for (let n = 1 + random(3); n > 0; n--) bytes[random(bytes.length)] = random(256);
      if (bytes.equals(raw)) continue;
      const read = readCertificate(bytes);
      const result = read.ok ? verifier.verify([read.value]) : read;
      const outcome = result.ok ? 'accepted' : result.refusal.code;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect(outcomes.get('accepted') ?? 0).toBe(0);
    expect(outcomes.get('signature')).toBeGreaterThan(1_000);
    expect(outcomes.get('encoding')).toBeGreaterThan(500);
  }, 120_000);
});

describe('[X6] what was verified is remembered', () => {
  it('[X6] and counted: once verified, then remembered; what was refused is verified again', async () => {
    const verifier = new X509Verifier(bundles);
    const { chain } = await svid(world.home, id);
    for (let i = 0; i < 3; i++) verify(chain, verifier);
    const stranger = await svid(await authority('elsewhere.example'), 'spiffe://elsewhere.example/a');
    for (let i = 0; i < 2; i++) verify(stranger.chain, verifier);
    expect([verifier.hits, verifier.misses]).toEqual([2, 3]);
  });

  it('[X6] with the intermediates that proved it, and not without them or with others', async () => {
    const verifier = new X509Verifier(bundles);
    const below = await intermediate(world.home);
    const { chain } = await svid(below, id);
    const [leaf = '', ...others] = chain.split(/(?=-----BEGIN)/);
    const foreign = await intermediate(world.foreign);
    const stranger = foreign.intermediates.join('');
    expect(verify(leaf, verifier)).toBe('unknown-authority');
    expect(verify(chain, verifier)).toBe(id);
    expect(verify(leaf, verifier)).toBe('unknown-authority');
    expect(verify(leaf + stranger, verifier)).toBe('unknown-authority');
    expect(verify(leaf + stranger + others.join(''), verifier)).toBe(id);
    expect([verifier.hits, verifier.misses]).toEqual([0, 5]);
    expect(verify(chain, verifier)).toBe(id);
    expect(verifier.hits).toBe(1);
  });

  it('[X6] never beyond the end of a certificate on the path, nor before its beginning', async () => {
    let now = Date.now();
    const verifier = new X509Verifier(bundles, 10, () => now);
    const { chain } = await svid(world.home, id);
    expect(verify(chain, verifier)).toBe(id);
    now += day + 1;
    expect(verify(chain, verifier)).toBe('expired');
    now -= 2 * day;
    expect(verify(chain, verifier)).toBe('not-yet-valid');
  });

  it('[X6] never beyond a change of a bundle', async () => {
    const own = new Bundles();
    load(own, 'td.example', world.home.bundle);
    const verifier = new X509Verifier(own);
    const { chain } = await svid(world.home, id);
    expect(verify(chain, verifier)).toBe(id);
    load(own, 'td.example', (await authority('td.example', { generation: 1 })).bundle);
    expect(verify(chain, verifier)).toBe('signature');
    own.drop('test', 'td.example');
    expect(verify(chain, verifier)).toBe('no-bundle');
  });
});
