import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import { verifyJwtSvid } from '../../../src/attributes/jwt/svid.ts';
import { fetchJwtSvids } from '../../../src/attributes/workload-api/fetch.ts';
import { WorkloadApi } from '../../../src/attributes/workload-api/source.ts';
import { readPem } from '../../../src/attributes/x509/pem.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';
import { signer } from '../../attributes/jwt/tokens.ts';
import { run } from '../../cli/world.ts';
import { live } from '../../live.ts';
import { authority, svid } from '../../support/certificates/index.ts';
import { programsMissing } from '../../support/programs/missing.ts';
import { openHandshakes } from '../../support/spire/handshakes.ts';
import { spire } from '../../support/spire/recipe.ts';
import { openSpire, type Spire } from '../../support/spire/world.ts';

/** What a real SPIRE gives us, and how we live through what happens to it. In order: each begins where the last ended. */

const missing = programsMissing([spire]);
const id = 'spiffe://td.example/ns/shop/sa/placet';
const patient = { timeout: 40_000, interval: 50 };
const bundles = new Bundles();
const foreignKey = signer('ES256', 'foreign');
let world: Spire;
let api: WorkloadApi;
let followed: Promise<void>;
let entry: string;

/** The bundle of a trust domain that has nothing to do with this SPIRE. */
async function foreignBundle(...generations: readonly number[]): Promise<string> {
  const roots = await Promise.all(
    generations.map((generation) => authority('other.example', { generation })),
  );
  const x509 = roots
    .map(({ bundle }) => new X509Certificate(bundle))
    .map(({ raw, publicKey }) => ({
      use: 'x509-svid',
      ...publicKey.export({ format: 'jwk' }),
      x5c: [raw.toString('base64')],
    }));
  const jwt = { use: 'jwt-svid', kid: foreignKey.kid, ...foreignKey.publicKey.export({ format: 'jwk' }) };
  return JSON.stringify({ keys: [...x509, jwt], spiffe_sequence: generations.length });
}

const entryOptions = ['-federatesWith', 'spiffe://other.example'];

beforeAll(async () => {
  if (missing !== undefined) return;
  world = await openSpire('td.example');
  await world.federate('other.example', await foreignBundle(0));
  entry = await world.allow(id, ...entryOptions);
  api = new WorkloadApi({ path: world.socket }, bundles);
  followed = api.run();
  await world.startAgent();
});
afterAll(async () => {
  api?.close();
  await followed;
  await world?.stop();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const shown = () => api.current()?.chain[0].fingerprint;
const errors = () => api.status.streams.map(({ error }) => error);

live(missing, '[WL7] our SVID and the bundles arrive, those of other trust domains too', async () => {
  await expect.poll(shown, patient).toBeDefined();
  await expect.poll(() => bundles.trustDomains(), patient).toEqual(['other.example', 'td.example']);
  await expect.poll(errors, patient).toEqual([undefined, undefined, undefined]);
  const own = api.current();
  expect(own?.spiffeId.toString()).toBe(id);
  expect((own?.validUntil ?? 0) - Date.now()).toBeLessThanOrEqual(60_000);
  expect(new X509Verifier(bundles).verify(own?.chain ?? [])).toMatchObject({ ok: true });
  expect(bundles.keys('td.example')?.size).toBe(1);

  const verify = async (generation: number) => {
    const made = await svid(await authority('other.example', { generation }), 'spiffe://other.example/x');
    const read = readPem(made.chain, 1);
    return read.ok && new X509Verifier(bundles).verify(read.value).ok;
  };
  expect([await verify(0), await verify(1)]).toEqual([true, false]);
  await world.federate('other.example', await foreignBundle(0, 1));
  await expect.poll(() => bundles.authorities('other.example')?.length, patient).toBe(2);
  expect([await verify(0), await verify(1), await verify(2)]).toEqual([true, true, false]);
});

live(missing, '[WL10] [WL11] tokens of SPIRE are verified without it, as it verifies them', async () => {
  const fetched = await fetchJwtSvids({ path: world.socket }, ['placet'], id);
  if (!fetched.ok) throw new Error(fetched.refusal.message);
  const [{ token, spiffeId }] = fetched.value;
  expect(spiffeId).toBe(id);
  const now = Math.floor(Date.now() / 1000);
  const foreign = await foreignKey.sign({ sub: 'spiffe://other.example/x', aud: ['placet'], exp: now + 60 });
  const [head, claims, signature = ''] = token.split('.');
  const broken = `${head}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  for (const [one, audience, sound] of [
    [token, 'placet', true],
    [token, 'somebody-else', false],
    [broken, 'placet', false],
    [foreign, 'placet', true],
  ] as const) {
    const expected = { audiences: [audience], skew: 0 };
    const ours = await verifyJwtSvid(one, (name) => bundles.keys(name), expected, Date.now());
    const theirs = await world.agent('api', 'validate', 'jwt', '-audience', audience, '-svid', one).then(
      () => 'valid',
      (error: { readonly stderr: string }) => error.stderr,
    );
    expect(ours.ok).toBe(sound);
    expect(theirs).toMatch(sound ? /^valid$/ : /not valid/);
  }
  vi.stubEnv('SPIFFE_ENDPOINT_SOCKET', `unix://${world.socket}`);
  expect(await run(['whois', '--jwt', token, '--audience', 'placet'])).toMatchObject({
    code: 0,
    out: expect.stringContaining(id),
  });
  vi.unstubAllEnvs();
});

live(
  missing,
  '[WL7] an SVID is renewed twice, and no handshake fails',
  async () => {
    const handshakes = await openHandshakes(api, bundles);
    const seen = new Set<string>();
    const failed: string[] = [];
    let count = 0;
    const end = performance.now() + 90_000;
    while (seen.size < 3 && performance.now() < end) {
      const last = await handshakes
        .shake()
        .catch((error: Error) => ({ server: error.message, client: '', shown: '' }));
      count++;
      if (last.server !== id || last.client !== id) failed.push(`${last.server} / ${last.client}`);
      seen.add(last.shown);
      // Some thirty a second find a gap as well as all the processor can do, and leave it to others.
      await pause(25);
    }
    handshakes.close();
    console.log(`${count} handshakes over ${seen.size} certificates`);
    expect(failed).toEqual([]);
    expect(seen.size).toBe(3);
    expect(errors()).toEqual([undefined, undefined, undefined]);
  },
  100_000,
);

live(
  missing,
  '[WL8] an agent that is killed leaves the last good, and brings new when it is back',
  async () => {
    const before = shown();
    const { version } = bundles;
    await world.killAgent();
    await expect.poll(() => errors().every((error) => error !== undefined), patient).toBe(true);
    expect(shown()).toBe(before);
    expect(bundles.version).toBe(version);
    const handshakes = await openHandshakes(api, bundles);
    expect(await handshakes.shake()).toMatchObject({ server: id, client: id });
    handshakes.close();
    await world.startAgent();
    await expect.poll(() => shown() !== before, patient).toBe(true);
    await expect.poll(errors, patient).toEqual([undefined, undefined, undefined]);
    expect(bundles.version).toBe(version);
  },
);

live(
  missing,
  '[WL8] an entry that is deleted is told, and what there is serves until it comes back',
  async () => {
    const before = shown();
    await world.deny(entry);
    await expect
      .poll(() => api.status.streams.map(({ denied }) => denied), patient)
      .toEqual([true, true, true]);
    expect(api.status.streams[0]?.error).toBe('PermissionDenied: no identity issued');
    expect(api.current()?.spiffeId.toString()).toBe(id);
    expect(bundles.trustDomains()).toEqual(['other.example', 'td.example']);
    entry = await world.allow(id, ...entryOptions);
    await expect.poll(() => shown() !== before, patient).toBe(true);
    await expect.poll(errors, patient).toEqual([undefined, undefined, undefined]);
  },
);
