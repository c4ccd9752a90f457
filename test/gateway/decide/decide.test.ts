import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channelFor } from '../../../src/gateway/decide/join.ts';
import { channelOf } from '../../../src/pdp/model/request.ts';
import { openWorld, snapshotOf, type World } from '../world.ts';

const policies = 'policies/40-shadow';
const allowed = { source: { attributes: { 'k8s:ns': 'legacy' } }, destination: { service: 'shadow/api' } };
const denied = { source: { attributes: { 'k8s:ns': 'nobody' } }, destination: { service: 'shadow/api' } };

let world: World;
beforeAll(async () => {
  world = await openWorld(policies);
});
afterAll(() => world.close());

describe('POST /decide', () => {
  test('[SVC1] answers as decide does for a caller of these roles, and names the decision', async () => {
    const { snapshot } = snapshotOf(policies);
    for (const roles of [
      ['decide', 'explain'],
      ['decide', 'explain', 'assert'],
    ] as const)
      for (const request of [allowed, denied]) {
        const { status, json, headers } = await world.post('/decide', request, { roles });
        expect(status).toBe(200);
        expect(headers.get('content-type')).toBe('application/json');
        const { decisionId, ttl, message, place, ...decision } = json;
        expect(decision).toEqual(snapshot.decide(request, channelFor(new Set(roles))));
        expect(typeof decisionId).toBe('string');
        expect(ttl).toBe(5);
        expect(message).toEqual(decision.decision === 'deny' ? 'this is not allowed' : undefined);
        expect(place?.file).toBe(decision.by === null ? undefined : 'policies/40-shadow/try-a-deny.yaml');
      }
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await world.post('/decide', allowed)).json.decisionId),
    );
    expect(new Set(ids).size).toBe(50);
  });

  test('[SVC1] tells whoever watches what was decided, as it can be decided again', async () => {
    world.decided.length = 0;
    const { json } = await world.post('/decide', allowed, { roles: ['decide'] });
    const [event] = world.decided;
    expect(event).toMatchObject({ id: json.decisionId, via: 'decide', caller: 'test', request: allowed });
    const { snapshot } = snapshotOf(policies);
    expect(snapshot.decide(event!.request, event!.channel)).toEqual(event!.decision);
  });

  test('[SVC2] names no policy to callers without the role explain', async () => {
    for (const request of [allowed, denied]) {
      const { text, json } = await world.post('/decide', request, { roles: ['decide', 'assert'] });
      expect(json).toMatchObject({ by: null, shadowBy: null });
      expect(json.place).toBeUndefined();
      expect(text).not.toContain('old-clients');
    }
    const { json } = await world.post('/decide', allowed, { roles: ['decide', 'assert', 'explain'] });
    expect([json.by.policy, json.shadowBy.policy]).toEqual(['old-clients', 'old-clients']);
  });

  test('[SVC2] explains to callers with the role explain, and to nobody else', async () => {
    const asked = { ...allowed, explain: true };
    const { json } = await world.post('/decide', asked);
    expect(json.explanation.decision.by).toEqual(json.by);
    expect(json.explanation.rules.length).toBeGreaterThan(0);
    const misspelt = { ...asked, destination: { service: 'shadow/apy' } };
    expect((await world.post('/decide', misspelt)).json.explanation.guard.hint).toMatch(
      /^there is "shadow\/api"; name /,
    );
    const refused = await world.post('/decide', asked, { roles: ['decide'] });
    expect([refused.status, refused.json.detail]).toEqual([403, expect.stringContaining('role explain')]);
    const not = await world.post('/decide', { ...allowed, explain: false }, { roles: ['decide'] });
    expect([not.status, not.json.explanation]).toEqual([200, undefined]);
    const odd = await world.post('/decide', { ...allowed, explain: 1 });
    expect([odd.status, odd.json.violations[0].field]).toEqual([400, 'explain']);
  });

  test('[SVC10] a field that is misspelt is told what else there is', async () => {
    const { json } = await world.post('/decide', { ...allowed, source: { certficate: 'x' }, explan: true });
    expect(json.violations).toMatchObject([
      { message: expect.stringMatching(/, "at" or "explain"$/), hint: 'did you mean "explain"?' },
      { message: expect.stringMatching(/"certificate", .* or "ip"$/), hint: 'did you mean "certificate"?' },
    ]);
  });

  test('[SVC2] an explanation that cannot be had is 503 and no verdict of its own', async () => {
    const { snapshot } = snapshotOf(policies);
    const other = await openWorld(policies, {
      live: {
        current: () => snapshot,
        explain: () => Promise.reject(new Error('gone')),
        readiness: () => ({ ready: true, sources: [] }),
      },
    });
    const { status, text, headers } = await other.post('/decide', { ...allowed, explain: true });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(text).not.toContain('gone');
    expect(other.failed).toHaveLength(1);
    await other.close();
  });

  test('[SVC6] what a policy says may be used again for a while, anything else may not', async () => {
    const ttls = await Promise.all(
      [
        allowed,
        denied,
        { destination: { service: 'no/such' } },
        { source: { spiffeId: 'x' }, destination: { service: 'shadow/api' } },
      ].map(async (request) => (await world.post('/decide', request)).json.ttl),
    );
    expect(ttls).toEqual([5, 5, 0, 0]);
  });

  test('[SVC7] nothing is decided before there are policies, and everything denied when they are too old', async () => {
    const { snapshot } = snapshotOf(policies);
    const live = {
      explain: () => Promise.reject(new Error()),
      readiness: () => ({ ready: false, sources: [] }),
    };
    const early = await openWorld(policies, { live: { ...live, current: () => undefined } });
    const reply = await early.post('/decide', allowed);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
    await early.close();
    const late = await openWorld(policies, { live: { ...live, current: () => snapshot, stale: () => true } });
    const { json } = await late.post('/decide', allowed);
    expect(json).toMatchObject({ decision: 'deny', shadow: 'deny', reason: 'stale', by: null, ttl: 0 });
    expect(late.decided[0]?.decision.reason).toBe('stale');
    await late.close();
  });

  test('[SVC7] what is only denied since the cluster could not be asked is stale too', async () => {
    const found = {
      source: { complete: { 'x:': 'observed' } },
      conflicts: [],
      refused: [],
      stale: true,
    } as const;
    const late = await openWorld(policies, { identify: () => found });
    const ask = async (more: object) =>
      (await late.post('/decide', { ...more, source: { ip: '::1', ...(more as typeof allowed).source } }))
        .json;
    expect(await ask(denied)).toMatchObject({ decision: 'deny', reason: 'stale', ttl: 0 });
    expect(await ask(allowed)).toMatchObject({ decision: 'allow', reason: 'rule' });
    await late.close();
  });

  test('[SVC3] roles are believed each for its own part', () => {
    expect(channelFor(new Set(['decide']))).toEqual(channelOf('decide'));
    expect(channelFor(new Set(['relay']))).toEqual(channelOf('relay'));
    expect(channelFor(new Set(['assert']))).toEqual(channelOf('assert'));
    const { identity } = channelOf('relay');
    expect(channelFor(new Set(['relay', 'assert']))).toEqual({ ...channelOf('assert'), identity });
  });

  test('[SVC1] asks for the role decide', async () => {
    const { status, json } = await world.post('/decide', allowed, { roles: ['admin'] });
    expect([status, json.title]).toEqual([403, 'not without the role decide']);
  });
});

describe('POST /decide/batch', () => {
  test('[SVC8] decides each request with the defaults of all, in order; one that is none spoils no other', async () => {
    const { status, json } = await world.post('/decide/batch', {
      defaults: { destination: { service: 'shadow/api' }, source: { attributes: { 'k8s:ns': 'legacy' } } },
      requests: [
        {},
        { source: { attributes: { 'k8s:ns': 'nobody' } } },
        7,
        { destination: { service: 1 } },
        { destination: { attributes: { 'service:name': 'api' }, namespace: 'shadow' } },
        { explain: true },
      ],
    });
    expect(status).toBe(200);
    const said = json.decisions.map(
      (one: { decision: string; reason: string }) => `${one.decision} ${one.reason}`,
    );
    expect(said).toEqual([
      'allow rule',
      'deny default',
      'deny invalid-request',
      'deny invalid-request',
      'allow rule',
      'deny invalid-request',
    ]);
    expect(json.decisions[3].violations).toEqual([expect.objectContaining({ field: 'destination.service' })]);
    const message = 'got the unknown field "explain", want "source", "destination", "request" or "at"';
    expect(json.decisions[5].violations).toEqual([{ field: 'explain', code: 'unknown-field', message }]);
  });

  test('[SVC8] gives what single requests give', async () => {
    const requests = [allowed, denied, { destination: { service: 'no/such' } }];
    const { json } = await world.post('/decide/batch', { requests });
    const bare = ({ decisionId, ...rest }: Record<string, unknown>) => [typeof decisionId, rest];
    const singles = await Promise.all(
      requests.map(async (one) => bare((await world.post('/decide', one)).json)),
    );
    expect(json.decisions.map(bare)).toEqual(singles);
  });

  test('[SVC8] takes up to 1,000 requests', async () => {
    const many = (count: number) => ({
      defaults: allowed,
      requests: Array.from({ length: count }, () => ({})),
    });
    const most = await world.post('/decide/batch', many(1_000));
    expect([most.status, most.json.decisions.length]).toEqual([200, 1_000]);
    const over = await world.post('/decide/batch', many(1_001));
    expect([over.status, over.json.violations]).toEqual([
      400,
      [expect.objectContaining({ field: 'requests', code: 'limit' })],
    ]);
    expect((await world.post('/decide/batch', many(0))).json).toEqual({ decisions: [] });
  });

  test.each([
    [[], '(root)'],
    [{}, 'requests'],
    [{ requests: {} }, 'requests'],
    [{ requests: [], defaults: [] }, 'defaults'],
    [{ requests: [], default: {} }, 'default'],
  ])('[SVC8] %j is refused as a whole, naming %s', async (body, field) => {
    const { status, json } = await world.post('/decide/batch', body);
    expect([status, json.violations[0].field]).toEqual([400, field]);
  });
});

describe('the text of a reply', () => {
  test('[SVC1] is what JSON.stringify would write of it', async () => {
    const { replyText } = await import('../../../src/gateway/decide/reply.ts');
    const { replyOf } = await import('./reply-of.ts');
    const { decisions } = await import('./decisions.ts');
    const { snapshot } = snapshotOf(policies);
    fc.assert(
      fc.property(decisions, fc.boolean(), (answered, detailed) => {
        const whole = { ...answered, snapshot };
        expect(replyText(whole, detailed)).toBe(JSON.stringify(replyOf(whole, detailed)));
      }),
      { numRuns: 300 },
    );
  });
});
