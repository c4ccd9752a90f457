import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Api } from '../../../src/attributes/kubernetes/client.ts';
import { type ReviewOptions, TokenReviewer } from '../../../src/attributes/kubernetes/token-review.ts';
import { type Signer, signer } from '../jwt/tokens.ts';

/** A server that reviews tokens as it is told; the real one is asked by live tests. */

const now = Date.UTC(2026, 0, 1);
const key: Signer = signer('RS256', 'sa');
const tokenOf = (more: object = {}) =>
  key.sign({ sub: 'system:serviceaccount:shop:web', exp: now / 1000 + 600, ...more });

const pod = {
  'authentication.kubernetes.io/pod-name': ['web-0'],
  'authentication.kubernetes.io/pod-uid': ['u-2'],
};
const user = { username: 'system:serviceaccount:shop:web', uid: 'u-1', extra: pod };
const good = { authenticated: true, audiences: ['placet'], user };

let server: Server;
let api: Api;
let asked: { path: string; body: { spec: { token: string; audiences: string[] } } }[];
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  asked = [];
  answer = (response) => reply(response, good);
  server = createServer(async (incoming, response) => {
    const body = (await json(incoming)) as (typeof asked)[number]['body'];
    asked.push({ path: incoming.url ?? '', body });
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  api = {
    server: 'test',
    async send(path, { method = 'GET', body, signal } = {}) {
      const sent = request({
        port,
        host: '127.0.0.1',
        path,
        method,
        ...(signal === undefined ? {} : { signal }),
      });
      sent.end(JSON.stringify(body));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      sent.on('error', () => undefined);
      return response;
    },
  };
});
afterEach(() => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

function reply(response: ServerResponse, status: object, code = 201): void {
  response.writeHead(code).end(JSON.stringify({ kind: 'TokenReview', status }));
}

const reviewer = (more: Partial<ReviewOptions> = {}) =>
  new TokenReviewer(api, { audiences: ['placet'], ...more });

async function outcome(token: string, options: Partial<ReviewOptions> = {}) {
  const result = await reviewer(options).verify(token, now);
  return result.ok ? result.value : result.refusal.code;
}

describe('[J7] a service account token, reviewed', () => {
  it('[J7] says namespace, account and pod, for an audience of ours', async () => {
    const token = await tokenOf();
    expect(await outcome(token)).toEqual({
      namespace: 'shop',
      name: 'web',
      pod: { name: 'web-0', uid: 'u-2' },
      validUntil: now + 600_000,
    });
    expect(asked).toEqual([
      {
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: expect.objectContaining({ spec: { token, audiences: ['placet'] } }),
      },
    ]);
  });

  it('[J7] one that was made for no pod names none', async () => {
    answer = (response) => reply(response, { ...good, user: { ...user, extra: {} } });
    expect(await outcome(await tokenOf())).toEqual({
      namespace: 'shop',
      name: 'web',
      validUntil: now + 600_000,
    });
  });

  it.each([
    [{ authenticated: false, error: 'token has been invalidated' }, 'unauthenticated'],
    [{}, 'unauthenticated'],
    [{ ...good, authenticated: 'true' }, 'unauthenticated'],
    [{ ...good, audiences: undefined }, 'audience'],
    [{ ...good, audiences: [] }, 'audience'],
    [{ ...good, audiences: ['https://kubernetes.default.svc'] }, 'audience'],
    [{ ...good, user: { ...user, username: 'admin' } }, 'claim'],
    [{ ...good, user: { ...user, username: 'system:serviceaccount:shop' } }, 'claim'],
    [{ ...good, user: { ...user, username: 'system:serviceaccount:shop:web:x' } }, 'claim'],
    [{ ...good, user: undefined }, 'claim'],
    [{ ...good, user: { ...user, extra: { 'authentication.kubernetes.io/pod-name': ['web-0'] } } }, 'claim'],
    [
      { ...good, user: { ...user, extra: { ...pod, 'authentication.kubernetes.io/pod-uid': ['a', 'b'] } } },
      'claim',
    ],
  ])('[J7] answered with %j it is refused', async (status, code) => {
    answer = (response) => reply(response, status);
    expect(await outcome(await tokenOf())).toBe(code);
  });

  it.each([
    ['no token', 'encoding'],
    [`${'a'.repeat(20_000)}.b.c`, 'limit'],
  ])('[J7] what is no token is not asked for', async (token, code) => {
    expect([await outcome(token), asked]).toEqual([code, []]);
  });

  it('[J7] nor is one that is over, or has no end', async () => {
    expect(await outcome(await tokenOf({ exp: now / 1000 - 60 }))).toBe('expired');
    expect(await outcome(await tokenOf({ exp: undefined }))).toBe('claim');
    expect(asked).toEqual([]);
  });
});

describe('[J8] an API server that does not answer accepts nothing', () => {
  it.each([
    ['a refusal', (response: ServerResponse) => reply(response, {}, 403)],
    ['an error', (response: ServerResponse) => reply(response, {}, 500)],
    ['what is no JSON', (response: ServerResponse) => response.writeHead(201).end('<html>')],
    ['a cut', (response: ServerResponse) => response.destroy()],
    [
      'half an answer',
      (response: ServerResponse) => response.writeHead(201).write('{"status": {') && response.destroy(),
    ],
  ])('[J8] %s', async (_, how) => {
    answer = how;
    const one = reviewer();
    const token = await tokenOf();
    const result = await one.verify(token, now);
    expect(result).toEqual({
      ok: false,
      refusal: { code: 'unavailable', message: expect.not.stringContaining(token) },
    });
    answer = (response) => reply(response, good);
    expect((await one.verify(token, now)).ok).toBe(true);
  });

  it('[J8] silence', async () => {
    answer = () => undefined;
    expect(await outcome(await tokenOf(), { timeout: 50 })).toBe('unavailable');
  });
});

describe('[J9] what was answered counts for a short time', () => {
  it('[J9] a token is asked for once in that time, and by all who wait together', async () => {
    const one = reviewer();
    const token = await tokenOf();
    const all = await Promise.all([one.verify(token, now), one.verify(token, now), one.verify(token, now)]);
    expect([all.every(({ ok }) => ok), asked.length]).toEqual([true, 1]);
    await one.verify(token, now);
    expect(asked).toHaveLength(1);
    await one.verify(await tokenOf({ jti: 'another' }), now);
    expect(asked).toHaveLength(2);
  });

  it('[J9] after it the server is asked again, and a pod that is gone is noticed', async () => {
    const one = reviewer({ maxAge: 10_000 });
    const token = await tokenOf();
    const clock = vi.spyOn(performance, 'now');
    const start = performance.now();
    clock.mockReturnValue(start);
    await one.verify(token, now);
    answer = (response) => reply(response, { authenticated: false });
    clock.mockReturnValue(start + 9_999);
    expect((await one.verify(token, now)).ok).toBe(true);
    clock.mockReturnValue(start + 10_000);
    expect((await one.verify(token, now)).ok).toBe(false);
  });

  it('[J9] no answer outlives its token, whatever the clock on the wall says', async () => {
    const one = reviewer({ maxAge: 60_000 });
    const token = await tokenOf({ exp: now / 1000 + 5 });
    const clock = vi.spyOn(performance, 'now');
    const start = performance.now();
    clock.mockReturnValue(start);
    await one.verify(token, now);
    clock.mockReturnValue(start + 5_000);
    await one.verify(token, now);
    expect(asked).toHaveLength(2);
  });

  it('[J9] as many answers are kept, and as many questions are open, as there is room for', async () => {
    const one = reviewer({ mostKept: 2, mostOpen: 2 });
    const tokens = await Promise.all([1, 2, 3].map((jti) => tokenOf({ jti })));
    for (const token of tokens) await one.verify(token, now);
    await one.verify(tokens[2]!, now);
    expect(asked).toHaveLength(3);
    await one.verify(tokens[0]!, now);
    expect(asked).toHaveLength(4);
    const more = await Promise.all([4, 5, 6].map((jti) => tokenOf({ jti })));
    const results = await Promise.all(more.map((token) => one.verify(token, now)));
    expect(results.map((result) => (result.ok ? 'ok' : result.refusal.code))).toEqual([
      'ok',
      'ok',
      'unavailable',
    ]);
  });
});
