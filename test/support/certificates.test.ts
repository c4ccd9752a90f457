import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  authority,
  brokenChains,
  brokenLeaves,
  brokenNames,
  type Certificate,
  dns,
  intermediate,
  leaf,
  type Maker,
  sound,
  svid,
  tagCertificate,
  uri,
  type World,
} from './certificates/index.ts';

/** The workshop itself: that a certificate is broken where it says and nowhere else. */

const id = 'spiffe://td.example/ns/shop/sa/web';
let world: World;
beforeAll(async () => {
  world = { home: await authority('td.example'), foreign: await authority('other.example'), id };
});

const make = (maker: Maker) => maker(world);
const all: readonly [string, Maker][] = [brokenNames, brokenLeaves, brokenChains, sound].flatMap((sorts) =>
  Object.entries(sorts),
);

/** Whether a TLS server that trusts the home root takes it for a client's. OpenSSL: no notion of SPIFFE. */
async function accepted({ chain, key }: Certificate): Promise<boolean> {
  const own = await svid(world.home, 'spiffe://td.example/server');
  const server = createServer({ cert: own.chain, key: own.key, ca: world.home.bundle, requestCert: true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const outcome = new Promise<boolean>((resolve) => {
    server.once('secureConnection', (socket) => resolve(socket.authorized));
    server.once('tlsClientError', () => resolve(false));
  });
  const { port } = server.address() as AddressInfo;
  let socket: TLSSocket | undefined;
  try {
    socket = connect({ port, host: '127.0.0.1', cert: chain, key, rejectUnauthorized: false });
    socket.on('error', () => undefined);
    return await outcome;
  } catch {
    // A client of OpenSSL's does not even present the weakest.
    return false;
  } finally {
    socket?.destroy();
    server.close();
  }
}

describe('every certificate', () => {
  test.each(all)('%s parses, and its key is its own', async (_, maker) => {
    const { leaf: parsed, key, chain } = await make(maker);
    expect(parsed.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(chain.startsWith('-----BEGIN CERTIFICATE-----\n')).toBe(true);
  });
});

describe('what a server that knows nothing of SPIFFE thinks', () => {
  /** What only somebody who knows better refuses. */
  const trusting = ['foreign-id', 'sha-1', 'intermediate-for-its-names', 'intermediate-for-names-critically'];

  test.each(Object.entries(sound))('%s is sound', async (_, maker) => {
    expect(await accepted(await make(maker))).toBe(true);
  });
  test.each(Object.entries(brokenNames))('%s is signed as it should be', async (_, maker) => {
    expect(await accepted(await make(maker))).toBe(true);
  });
  test.each(Object.entries(brokenChains).filter(([name]) => !trusting.includes(name)))(
    '%s is not vouched for',
    async (_, maker) => {
      expect(await accepted(await make(maker))).toBe(false);
    },
  );
});

describe('names', () => {
  const namesOf = (certificate: Certificate) => certificate.leaf.subjectAltName ?? '';

  test('keep their order', async () => {
    expect(namesOf(await leaf(world.home, { sans: [uri('a://b'), dns('c'), uri('d://e')] }))).toBe(
      'URI:a://b, DNS:c, URI:d://e',
    );
    expect(namesOf(await make(brokenNames['two-ids']))).toBe(`URI:${id}, URI:spiffe://td.example/other`);
    expect(namesOf(await make(brokenNames['two-ids-other-first']))).toBe(
      `URI:spiffe://td.example/other, URI:${id}`,
    );
  });

  test('of a tag mesh are those of its services and tags', async () => {
    const made = await tagCertificate(world.home, 'default', ['web', 'api'], { version: ['v1', 'v2'] });
    expect(namesOf(made).split(', ')).toEqual(
      [
        'spiffe://default/web',
        'spiffe://default/api',
        'kuma://kuma.io/service/web',
        'kuma://kuma.io/service/api',
        'kuma://version/v1',
        'kuma://version/v2',
      ].map((name) => `URI:${name}`),
    );
  });

  test('hold bytes that are no text of ASCII', async () => {
    const { raw } = (await make(brokenNames['a-nul-before-more'])).leaf;
    expect(raw.includes(Buffer.from(`${id}\0.evil`))).toBe(true);
    expect((await make(brokenNames['beyond-ascii'])).leaf.raw.includes(Buffer.from(`${id}é`))).toBe(true);
  });

  test('are where they are said to be', async () => {
    expect(namesOf(await make(brokenNames['cn-like-id']))).toBe('');
    expect((await make(brokenNames['cn-like-id'])).leaf.subject).toBe(`CN=${id}`);
    expect(namesOf(await make(brokenNames['dns-like-id']))).toContain('DNS:');
  });
});

describe('chains', () => {
  test('end below the root, nearest first', async () => {
    const below = await intermediate(await intermediate(world.home));
    const { chain } = await svid(below, id);
    const certificates = chain
      .match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----/g)!
      .map((p) => new X509Certificate(p));
    expect(certificates).toHaveLength(3);
    const root = new X509Certificate(world.home.bundle);
    for (const [index, certificate] of certificates.entries()) {
      expect(certificate.verify((certificates[index + 1] ?? root).publicKey)).toBe(true);
    }
  });

  test('may be signed by SHA-1', async () => {
    const { raw } = (await make(brokenChains['sha-1'])).leaf;
    // sha1WithRSAEncryption, RFC 8017 appendix C.
    expect(raw.includes(Buffer.from('06092a864886f70d010105', 'hex'))).toBe(true);
  });

  test('a second authority of the same name has another key', async () => {
    const next = await authority('td.example', { generation: 1 });
    expect(new X509Certificate(next.bundle).subject).toBe(new X509Certificate(world.home.bundle).subject);
    expect(next.bundle).not.toBe(world.home.bundle);
    const { leaf: made } = await svid(next, id);
    expect(made.verify(new X509Certificate(world.home.bundle).publicKey)).toBe(false);
  });
});

test('a thousand are made in seconds', async () => {
  const before = performance.now();
  for (let i = 0; i < 1_000; i++) await svid(world.home, `${id}${i}`);
  const took = performance.now() - before;
  console.log(`${(took / 1_000).toFixed(2)} ms for a certificate`);
  expect(took).toBeLessThan(20_000);
});
