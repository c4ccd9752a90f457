import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import { bundleSorts } from '../../../src/attributes/workload-api/bundle.ts';
import { fetchBundles, fetchJwtSvids } from '../../../src/attributes/workload-api/fetch.ts';
import type { Method } from '../../../src/attributes/workload-api/grpc.ts';
import { fieldOf, fieldsOf } from '../../../src/attributes/workload-api/protobuf.ts';
import {
  quietFor,
  WorkloadApi,
  type WorkloadApiOptions,
} from '../../../src/attributes/workload-api/source.ts';
import { type Authority, authority, type Certificate, svid } from '../../support/certificates/index.ts';
import { signer } from '../jwt/tokens.ts';
import { bundleMessage, ders, svidEntry, svidMessage, TestServer } from './server.ts';

const id = 'spiffe://td.example/ns/shop/sa/placet';
let home: Authority;
let foreign: Authority;
let one: Certificate;
let two: Certificate;
beforeAll(async () => {
  [home, foreign] = await Promise.all([authority('td.example'), authority('other.example')]);
  [one, two] = await Promise.all([svid(home, id), svid(home, id, { keyName: 'rotated' })]);
});

let server: TestServer;
let bundles: Bundles;
let api: WorkloadApi;
let run: Promise<void>;
const keySet = JSON.stringify({ keys: [{ kid: 'a', ...signer().publicKey.export({ format: 'jwk' }) }] });
const entry = (certificate: Certificate, more = {}) => svidEntry({ id, certificate, authority: home }, more);
const x509Message = () =>
  bundleMessage(2, {
    'spiffe://td.example': ders(home.bundle),
    'spiffe://other.example': ders(foreign.bundle),
  });

beforeEach(async () => {
  server = await new TestServer().listen();
  server.answers.FetchX509SVID = (call) => call.say(svidMessage(entry(one)));
  server.answers.FetchX509Bundles = (call) => call.say(x509Message());
  server.answers.FetchJWTBundles = (call) => call.say(bundleMessage(1, { 'spiffe://td.example': keySet }));
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  api?.close();
  await run;
  await server.remove();
});

function follow(options: WorkloadApiOptions = {}): void {
  bundles = new Bundles();
  api = new WorkloadApi({ path: server.path }, bundles, options);
  run = api.run();
}

const streamOf = (method: Method) => api.status.streams.find((stream) => stream.method === method);
const messages = () => api.status.streams.map((stream) => stream.messages);
const arrived = () => expect.poll(messages).toEqual([1, 1, 1]);
const certificate = () => api.current()?.chain[0].native.toString();

describe('[WL7] what is followed', () => {
  it('[WL7] our identities and everybody’s bundles arrive', async () => {
    server.answers.FetchX509SVID = (call) =>
      call.say(
        svidMessage(entry(one), svidEntry({ id, certificate: two, authority: home, hint: 'external' })),
      );
    follow();
    expect(api.current()).toBeUndefined();
    await arrived();
    expect(certificate()).toBe(one.chain);
    expect(api.svids().map(({ hint }) => hint)).toEqual(['', 'external']);
    expect(bundles.trustDomains()).toEqual(['other.example', 'td.example']);
    expect(bundles.keys('td.example')?.size).toBe(1);
    expect(api.status).toMatchObject({
      endpoint: `unix://${server.path}`,
      svids: [{ spiffeId: id, validUntil: new Date(one.leaf.validTo).getTime() }, { spiffeId: id }],
    });
    expect(JSON.stringify(api.status)).not.toMatch(/PRIVATE|-----/);
  });

  it('[WL7] a message puts all of it in the place of what was, and whoever listens is told', async () => {
    follow();
    const told: string[] = [];
    const stop = api.onChange((svid) => void told.push(svid.chain[0].native.toString()));
    await arrived();
    const [call] = server.callsOf('FetchX509SVID');
    call?.say(svidMessage(entry(two)));
    await expect.poll(certificate).toBe(two.chain);
    expect(told).toEqual([one.chain, two.chain]);
    stop();
    call?.say(svidMessage(entry(one)));
    await expect.poll(certificate).toBe(one.chain);
    expect(told).toHaveLength(2);
    expect(server.callsOf('FetchX509SVID')).toHaveLength(1);
  });

  it('[WL7] several messages in one piece count one after the other', async () => {
    server.answers.FetchX509SVID = (call) =>
      call.say(svidMessage(entry(one)), svidMessage(entry(two)), svidMessage(entry(one), entry(two)));
    follow();
    await expect.poll(() => streamOf('FetchX509SVID')?.messages).toBe(3);
    expect(api.svids()).toHaveLength(2);
  });
});

describe('[WL8] what was good is kept', () => {
  const kept = () => {
    expect(certificate()).toBe(one.chain);
    expect(bundles.trustDomains()).toEqual(['other.example', 'td.example']);
  };

  it('[WL8] while the server is away, and is renewed when it is back', async () => {
    follow();
    await arrived();
    await server.stop();
    await expect.poll(() => api.status.streams.every(({ error }) => error !== undefined)).toBe(true);
    await expect
      .poll(() => streamOf('FetchX509SVID')?.error)
      .toMatch(/cannot be reached or was lost: .*ENOENT/);
    kept();
    server.answers.FetchX509SVID = (call) => call.say(svidMessage(entry(two)));
    await server.listen();
    await expect.poll(certificate, { timeout: 20_000 }).toBe(two.chain);
    await expect.poll(messages, { timeout: 20_000 }).toEqual([2, 2, 2]);
    expect(api.status.streams.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  });

  it('[WL8] while the server says that we have no identity, which status says too', async () => {
    follow();
    await arrived();
    for (const method of ['FetchX509SVID', 'FetchX509Bundles', 'FetchJWTBundles'] as const) {
      server.answers[method] = (call) => call.end(7, 'no identity issued');
      for (const call of server.callsOf(method)) call.end(7, 'no identity issued');
    }
    await expect.poll(() => api.status.streams.every(({ denied }) => denied)).toBe(true);
    expect(streamOf('FetchX509SVID')?.error).toBe('PermissionDenied: no identity issued');
    kept();
    server.answers.FetchX509SVID = (call) => call.say(svidMessage(entry(two)));
    await expect.poll(certificate, { timeout: 20_000 }).toBe(two.chain);
    expect(streamOf('FetchX509SVID')).toMatchObject({ denied: false, error: undefined });
  });

  it.each<[string, (call: TestServer['calls'][number]) => void, RegExp]>([
    ['is garbage', (call) => call.say(Buffer.from('garbage')), /refused \(encoding\)/],
    [
      'has a key that is another’s',
      (call) => call.say(svidMessage(entry(two), entry(two, { key: ders(one.key) }))),
      /refused \(key\)/,
    ],
    [
      'has another trust domain’s bundle',
      (call) => call.say(svidMessage(entry(two, { bundle: ders(foreign.bundle) }))),
      /refused \(unknown-authority\)/,
    ],
    ['has no SVID', (call) => call.say(new Uint8Array()), /refused \(encoding\)/],
    ['is compressed', (call) => call.send(Uint8Array.of(1, 0, 0, 0, 0)), /compressed/],
    ['is too long', (call) => call.send(Uint8Array.of(0, 255, 0, 0, 0)), /at most/],
  ])('[WL8] where a message %s, and the stream is opened anew', async (_, answer, why) => {
    follow();
    await arrived();
    server.answers.FetchX509SVID = (call) => call.say(svidMessage(entry(two)));
    const errors: (string | undefined)[] = [];
    const [call] = server.callsOf('FetchX509SVID');
    if (call !== undefined) answer(call);
    await expect
      .poll(
        () => {
          errors.push(streamOf('FetchX509SVID')?.error);
          if (server.callsOf('FetchX509SVID').length === 1) kept();
          return errors.some((error) => error?.match(why));
        },
        { interval: 1 },
      )
      .toBe(true);
    await expect.poll(certificate).toBe(two.chain);
    expect(server.callsOf('FetchX509SVID')).toHaveLength(2);
  });

  it('[WL8] until it ends, by a clock that nobody sets', async () => {
    follow();
    await arrived();
    const day = 86_400_000;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * day });
    expect(certificate()).toBe(one.chain);
    vi.setSystemTime(Date.now() - 4 * day);
    expect(certificate()).toBe(one.chain);
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 2 * day);
    expect(api.current()).toBeUndefined();
    expect(api.status.svids).toEqual([]);
    expect(bundles.trustDomains()).toEqual(['other.example', 'td.example']);
  });
});

describe('[WL9] a stream that says nothing', () => {
  it('[WL9] after a while is opened anew, and nothing is missing meanwhile', async () => {
    follow({ quiet: 20 });
    await expect.poll(certificate).toBe(one.chain);
    server.answers.FetchX509SVID = (call) => call.say(svidMessage(entry(two)));
    await expect.poll(certificate).toBe(two.chain);
    await expect.poll(() => server.callsOf('FetchX509SVID').length).toBeGreaterThan(4);
    expect(api.status.streams.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    const [first] = server.callsOf('FetchX509SVID');
    expect(first?.stream.destroyed).toBe(true);
  });

  it('[WL9] may say nothing for two thirds of the life that our identity has left, and not for long', () => {
    expect(quietFor(60_000, 300_000)).toBe(40_000);
    expect(quietFor(86_400_000, 300_000)).toBe(300_000);
    expect(quietFor(900, 300_000)).toBe(5_000);
    expect(quietFor(-900, 300_000)).toBe(5_000);
  });

  it('[WL9] from the first is an error, and is tried again', async () => {
    server.answers.FetchX509SVID = () => undefined;
    follow({ patience: 20 });
    await expect.poll(() => streamOf('FetchX509SVID')?.error).toBe('got no message within 20 ms');
    server.answers.FetchX509SVID = (call) => call.say(svidMessage(entry(one)));
    await expect.poll(certificate).toBe(one.chain);
  });

  it('[WL9] because the server has no such thing for us is not asked again, and status says why', async () => {
    server.answers.FetchJWTBundles = (call) => call.end(12, 'not here');
    server.answers.FetchX509SVID = (call) => call.end(3, 'security header missing');
    server.answers.FetchX509Bundles = (call) => {
      call.say(x509Message());
      call.end(0);
    };
    follow();
    await expect
      .poll(() => server.callsOf('FetchX509Bundles').length, { timeout: 20_000 })
      .toBeGreaterThan(3);
    expect(server.callsOf('FetchJWTBundles')).toHaveLength(1);
    expect(server.callsOf('FetchX509SVID')).toHaveLength(1);
    expect(streamOf('FetchJWTBundles')).toMatchObject({ ended: true, error: 'Unimplemented: not here' });
    expect(streamOf('FetchX509SVID')).toMatchObject({
      ended: true,
      error: 'InvalidArgument: security header missing',
    });
    expect(streamOf('FetchX509Bundles')).toMatchObject({ ended: false });
  });

  it('[WL9] ends with us: nothing is taken after the end, and no call is left open', async () => {
    follow();
    await arrived();
    api.close();
    await run;
    const { version } = bundles;
    for (const call of server.calls)
      call.say(bundleMessage(2, { 'spiffe://new.example': ders(home.bundle) }));
    await expect.poll(() => server.connections).toBe(0);
    expect(bundles.version).toBe(version);
    expect(server.calls).toHaveLength(3);
  });
});

describe('[WL10] what is asked once', () => {
  it('[WL10] bundles as they are now', async () => {
    const asked = new Bundles();
    expect(await fetchBundles({ path: server.path }, bundleSorts.x509, asked)).toEqual({
      ok: true,
      value: true,
    });
    expect(asked.trustDomains()).toEqual(['other.example', 'td.example']);
    await expect.poll(() => server.connections).toBe(0);
  });

  it('[WL10] tokens for an audience', async () => {
    let asked: Buffer | undefined;
    server.answers.FetchJWTSVID = (call) => {
      void call.request.then((request) => {
        asked = request.subarray(5);
        call.say(fieldOf(1, Buffer.concat([fieldOf(1, id), fieldOf(2, 'a.b.c')])));
        call.end(0);
      });
    };
    expect(await fetchJwtSvids({ path: server.path }, ['us'], id)).toEqual({
      ok: true,
      value: [{ spiffeId: id, token: 'a.b.c', hint: '' }],
    });
    expect([...fieldsOf(asked ?? new Uint8Array(), 9)].map(([, [value]]) => String(value))).toEqual([
      'us',
      id,
    ]);
  });

  it('[WL10] and a server that is silent, denies or says nothing is no answer', async () => {
    const ask = () => fetchJwtSvids({ path: server.path }, ['us'], undefined, 50);
    await expect(ask()).rejects.toThrow('got no answer within 50 ms');
    server.answers.FetchJWTSVID = (call) => call.end(7, 'no identity issued');
    await expect(ask()).rejects.toThrow('PermissionDenied: no identity issued');
    server.answers.FetchJWTSVID = (call) => call.end(0);
    await expect(ask()).rejects.toThrow('without a message');
  });
});
