import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connect, type Fetch, NoAnswer, type Options, Problem } from '../../../src/client/index.ts';
import { type Role, roles } from '../../../src/pdp/model/request.ts';
import { fixture, open, type World } from '../authzen/world.ts';

let world: World;
beforeAll(async () => {
  world = await open(fixture('certification.yaml'));
});
beforeEach(() => {
  world.roles = new Set(roles);
});
afterAll(() => world.close());

const question = {
  source: { attributes: { 'user:id': 'alice' } },
  destination: { attributes: { 'k8s:ns': 'records', 'action:name': 'read' }, complete: true },
};
const evaluation = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'record', id: 'record-1' },
};

describe('a client of a service', () => {
  const client = (more: Partial<Options> = {}) => connect({ url: `${world.url}/`, ...more });

  test('[CLT1] decides', async () => {
    const reply = await client().decide(question);
    expect(reply).toMatchObject({ decision: 'allow', by: { policy: 'readers' }, reason: 'rule', ttl: 5 });
    expect(reply.decisionId).toMatch(/./);
    const explained = await client().explain(question);
    expect(explained.explanation?.rules.length).toBeGreaterThan(0);
  });

  test('[CLT1] decides many at once, each with the defaults', async () => {
    const nobody = { source: { attributes: { 'user:id': 'nobody' } } };
    const replies = await client().decideBatch([{}, nobody, { destination: { service: 'x' } }], question);
    expect(replies.map(({ decision, reason }) => [decision, reason])).toEqual([
      ['allow', 'rule'],
      ['deny', 'default'],
      ['deny', 'invalid-request'],
    ]);
    expect(replies[2]?.violations?.[0]?.field).toBe('destination.service');
  });

  test('[CLT1] evaluates and searches', async () => {
    expect((await client().evaluate(evaluation)).decision).toBe(true);
    const { subject, ...others } = evaluation;
    const verdicts = await client().evaluateAll({ ...others, evaluations: [{ subject }, {}] });
    expect(verdicts.map(({ decision }) => decision)).toEqual([true, false]);
    expect(await client().evaluateAll(evaluation)).toMatchObject([{ decision: true }]);
    const users = await client().searchSubjects({ ...others, subject: { type: 'user' } });
    expect(users.results.map(({ id }) => id)).toEqual(['alice', 'bob']);
    const { action, ...without } = evaluation;
    const records = await client().searchResources({ subject, action, resource: { type: 'record' } });
    expect(records.results.map(({ id }) => id)).toEqual(['record-1', 'record-2']);
    const actions = await client().searchActions(without);
    expect(actions.results.map(({ name }) => name)).toEqual(['read', 'write']);
  });

  test('[CLT1] what is no question is a problem that says what is wrong', async () => {
    const wrong = client().decide({ destination: { service: 'x', more: 1 } as never });
    await expect(wrong).rejects.toThrow(Problem);
    await expect(wrong).rejects.toMatchObject({
      status: 400,
      title: 'this is not a request',
      violations: expect.arrayContaining([expect.objectContaining({ field: 'destination.more' })]),
    });
    world.roles = new Set<Role>(['decide']);
    await expect(client().explain(question)).rejects.toMatchObject({ status: 403 });
  });

  test('[CLT3] says whether it is allowed', async () => {
    expect(await client().allowed(question)).toBe(true);
    expect(await client().allowed({ ...question, source: {} })).toBe(false);
    expect(await client().permitted(evaluation)).toBe(true);
    expect(await client().permitted({ ...evaluation, subject: { type: 'user', id: 'x' } })).toBe(false);
  });
});

type Answer = { status?: number; body?: string; headers?: Record<string, string> };

/** What answers in place of a service, and what it was asked. */
function answering(...answers: readonly (Answer | Error)[]) {
  const asked: Parameters<Fetch>[] = [];
  const fetch: Fetch = async (...given) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? {};
    asked.push(given);
    if (answer instanceof Error) throw answer;
    const { status = 200, body = '', headers = {} } = answer;
    return { status, headers: { get: (name) => headers[name] ?? null }, text: async () => body };
  };
  return { fetch, asked };
}

const reply = (more: object) => ({
  body: JSON.stringify({ decision: 'allow', snapshot: 'a', ttl: 5, ...more }),
});

describe('a client without an answer', () => {
  const broken: readonly [string, Answer | Error][] = [
    ['an error of the network', new Error('refused')],
    ['no JSON', { body: '<html>' }],
    ['nothing', {}],
    ['null', { body: 'null' }],
    ['no decision', { body: '{}' }],
    ['another decision', { body: '{"decision":"ALLOW"}' }],
    ['a truth', { body: '{"decision":1}' }],
    ['a problem', { status: 503, body: '{"title":"not ready"}', headers: { 'retry-after': '1' } }],
    ['an allow with another status', { status: 500, ...reply({}) }],
    ['an allow without a body', { status: 204 }],
  ];
  test.each(broken)('[CLT2] [CLT3] %s is a denial', async (_, answer) => {
    const errors: unknown[] = [];
    const { fetch } = answering(answer);
    const client = connect({ url: 'http://a', fetch, keep: 10, onError: (error) => errors.push(error) });
    expect([await client.allowed(question), await client.permitted(evaluation)]).toEqual([false, false]);
    expect(errors).toHaveLength(2);
    for (const error of errors) expect(error).toBeInstanceOf(NoAnswer);
    await expect(client.decide(question)).rejects.toThrow(NoAnswer);
  });

  test('[CLT2] a problem says when to ask again', async () => {
    const { fetch } = answering({
      status: 503,
      body: '{"title":"not ready"}',
      headers: { 'retry-after': '1' },
    });
    await expect(connect({ url: 'http://a', fetch }).decide(question)).rejects.toMatchObject({
      status: 503,
      message: 'not ready',
      retryAfter: 1,
    });
  });

  test.each([['{"decisions":[]}'], ['{"decisions":[{"decision":"allow"}]}'], ['{"decisions":{}}'], ['{}']])(
    '[CLT2] a batch with other than two answers is none: %s',
    async (body) => {
      const { fetch } = answering({ body });
      await expect(connect({ url: 'http://a', fetch }).decideBatch([{}, {}])).rejects.toThrow(NoAnswer);
    },
  );

  test('[CLT2] a service that cannot be reached, and why', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const refused = connect({ url: `http://127.0.0.1:${port}` }).decide(question);
    await expect(refused).rejects.toThrow(/cannot be asked: .*: connect ECONNREFUSED 127\.0\.0\.1/);
    const failing = (cause: unknown) => async () => {
      throw new TypeError('fetch failed', { cause });
    };
    for (const [cause, why] of [
      [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), 'fetch failed: ECONNREFUSED'],
      [undefined, 'fetch failed'],
      ['x', 'fetch failed'],
    ] as const)
      await expect(
        connect({ url: 'http://a', fetch: failing(cause) }).decide(question),
      ).rejects.toMatchObject({
        name: 'NoAnswer',
        message: `http://a cannot be asked: ${why}`,
      });
  });

  test.each(['127.0.0.1:8483', '', 'localhost:8483', 'ftp://a', 'http://a?b', 'http://', undefined])(
    '[CLT2] %j is no address of a service',
    (url) => {
      expect(() => connect({ url: url as string })).toThrow(
        new TypeError(
          `url: got ${JSON.stringify(url)}, want where the service is, as in "https://pdp.example:8420"`,
        ),
      );
    },
  );

  test('[CLT2] a service that does not answer in time', async () => {
    const left = Promise.withResolvers<void>();
    const silent = createServer((request) => request.once('close', left.resolve));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const client = connect({ url, timeout: 50 });
    await expect(client.decide(question)).rejects.toThrow(`${url} did not answer in 50 ms`);
    await left.promise;
    expect(await client.allowed(question)).toBe(false);
    silent.closeAllConnections();
    silent.close();
  });

  test('[CLT5] a redirect is not followed, so that nobody else gets the token', async () => {
    let elsewhere = 0;
    const other = createServer((_, response) => {
      elsewhere++;
      response.end(reply({}).body);
    });
    const redirecting = createServer((_, response) => {
      response
        .writeHead(307, { location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/` })
        .end();
    });
    for (const server of [other, redirecting])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    await expect(connect({ url, token: 't' }).decide(question)).rejects.toThrow(NoAnswer);
    expect(elsewhere).toBe(0);
    for (const server of [other, redirecting]) server.close();
  });

  test('[CLT5] the token is had anew for each request', async () => {
    const { fetch, asked } = answering(reply({}));
    let count = 0;
    const client = connect({ url: 'http://a', fetch, token: async () => `t${++count}` });
    await client.decide(question);
    await client.decide(question);
    expect(asked.map(([, { headers }]) => headers['authorization'])).toEqual(['Bearer t1', 'Bearer t2']);
  });
});
