import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../src/pdp/model/limits.ts';
import { type Role, roles } from '../../../src/pdp/model/request.ts';
import { settings } from '../given.ts';
import { fixture, open, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await open(fixture('certification.yaml'));
});
beforeEach(() => {
  world.roles = new Set(roles);
  world.decided.length = 0;
});
afterAll(() => world.close());

const evaluation = '/access/v1/evaluation';
const evaluations = '/access/v1/evaluations';
const alice = { type: 'user', id: 'alice' };
const bob = { type: 'user', id: 'bob' };
const read = { name: 'read' };
const write = { name: 'write' };
const record = { type: 'record', id: 'record-1' };
const question = { subject: alice, action: read, resource: record };

describe('an evaluation', () => {
  test('[AZ1] [AZ5] tells the decision, why, and for how long', async () => {
    expect((await world.post(evaluation, question)).json).toEqual({
      decision: true,
      context: {
        reason: 'rule',
        decisionId: expect.stringMatching(/./),
        snapshot: world.snapshot.name,
        ttl: 5,
        tier: 3,
        trust: 'reported',
        by: expect.objectContaining({ policy: 'readers' }),
        shadow: 'allow',
        shadowBy: expect.objectContaining({ policy: 'readers' }),
      },
    });
  });

  test('[AZ1] [AZ5] a denial is 200, and without the role explain names no policy', async () => {
    world.roles = new Set<Role>(['decide', 'assert']);
    const { status, json } = await world.post(evaluation, { ...question, subject: bob, action: write });
    expect([status, json]).toEqual([
      200,
      {
        decision: false,
        context: {
          reason: 'default',
          message: 'this is not allowed',
          decisionId: expect.stringMatching(/./),
          snapshot: world.snapshot.name,
          ttl: 5,
        },
      },
    ]);
  });

  test.each([
    [{ subject: alice }, ['action', 'resource']],
    [{ ...question, subject: { type: 7, id: '' } }, ['subject.type', 'subject.id']],
    [{ ...question, resource: { ...record, properties: [] } }, ['resource.properties']],
    [{ ...question, context: 'now' }, ['context']],
    [{ ...question, action: { name: 'a'.repeat(limits.methodBytes + 1) } }, ['action.name']],
    [{ ...question, subject: { ...alice, type: 'a'.repeat(limits.nameBytes + 1) } }, ['subject.type']],
    [[], ['(root)']],
  ])('[AZ2] what is wrong with %j is said of each field', async (body, fields) => {
    const { status, headers, json } = await world.post(evaluation, body);
    expect(status).toBe(400);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(json.violations.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  test('[AZ2] what is as long as may be is taken', async () => {
    const longest = {
      subject: { type: 't'.repeat(limits.nameBytes), id: 'i'.repeat(limits.attributeValueBytes) },
      action: { name: 'a'.repeat(limits.methodBytes) },
      resource: record,
    };
    expect((await world.post(evaluation, longest)).json.decision).toBe(false);
  });

  test('[AZ2] roles are asked for, and whoever has none is told so in an object', async () => {
    world.roles = new Set<Role>();
    const { status, json } = await world.post(evaluation, question);
    expect([status, json.title]).toEqual([403, 'no role']);
  });

  test('[AZ3] fields that are not known are ignored, in whatever order', async () => {
    const body = {
      foo: [1],
      resource: { ...record, owner: 'x' },
      action: { ...read, how: 1 },
      subject: alice,
    };
    expect((await world.post(evaluation, body)).json.decision).toBe(true);
  });

  test.each([
    [evaluation, question, 200],
    [evaluation, {}, 400],
    ['/access/v1/nothing', {}, 404],
  ])('[AZ4] the ID of a request comes back from %s', async (path, body, status) => {
    const reply = await world.post(path, body, { headers: { 'x-request-id': 'bfe9eb29-ab87 §é' } });
    expect(reply.status).toBe(status);
    expect(reply.headers.get('x-request-id')).toBe('bfe9eb29-ab87 §é');
    expect((await world.post(path, body)).headers.get('x-request-id')).toBeNull();
  });

  test('[AZ6] is told to the log as it was decided', async () => {
    await world.post(evaluation, question);
    expect(world.decided).toHaveLength(1);
    const [{ via, request, channel, decision }] = world.decided as [(typeof world.decided)[0]];
    expect(via).toBe('authzen');
    expect(world.engine.decide(request, channel)).toEqual(decision);
  });
});

describe('an evaluation by evidence', () => {
  const proved = { source: { attributes: { 'user:id': { value: 'alice', trust: 'attested' } } } } as const;
  const subject = { type: 'evidence', id: 'a connection', properties: { jwt: 'token' } };

  test('[AZ24] is one of whoever the evidence proves, and its digest is told', async () => {
    const seen: unknown[] = [];
    const other = await open(fixture('certification.yaml'), {
      identify: async (evidence) => {
        seen.push(evidence);
        return { ...proved, conflicts: [], refused: [] };
      },
    });
    other.roles = new Set<Role>(['decide', 'relay']);
    expect((await other.post(evaluation, { ...question, subject })).json.decision).toBe(true);
    expect(seen).toEqual([{ jwt: 'token' }]);
    expect(other.decided[0]?.evidence?.()).toMatch(/^[0-9a-f]{64}$/);
    await other.close();
  });

  test('[AZ24] that is refused is a denial, and a search takes none', async () => {
    const refusal = { code: 'expired', message: 'got an old one' } as never;
    const other = await open(fixture('certification.yaml'), {
      identify: () => ({ ...proved, conflicts: [], refused: [{ evidence: 'jwt', refusal }] }),
    });
    const { json } = await other.post(evaluation, { ...question, subject });
    expect([json.decision, json.context.reason, json.context.ttl]).toEqual([false, 'token-refused', 0]);
    const search = { subject, action: read, resource: { type: 'record' } };
    expect((await other.post('/access/v1/search/resource', search)).status).toBe(400);
    await other.close();
  });
});

describe('evaluations', () => {
  const decisions = async (body: object): Promise<unknown[]> => {
    const { json } = await world.post(evaluations, body);
    return json.evaluations.map((verdict: { decision: boolean }) => verdict.decision);
  };

  test('[AZ10] an item replaces what it has of its own, whole', async () => {
    const body = {
      ...question,
      action: { name: 'delete', properties: { soft: true } },
      evaluations: [
        {},
        { action: { name: 'delete' } },
        { subject: bob, action: read },
        { resource: { id: 'record-2' } },
      ],
    };
    expect(await decisions(body)).toEqual([true, false, true, true]);
  });

  test('[AZ10] properties of a default are not those of an item that has its own', async () => {
    const resource = { ...record, type: 'thing', properties: { 'k8s:ns': 'records' } };
    const body = { subject: alice, action: read, resource, evaluations: [{}, { resource: { id: 'b' } }] };
    expect(await decisions(body)).toEqual([true, false]);
  });

  const four = [{ action: read }, { action: write }, { action: read }, { action: write }];
  test.each([
    [undefined, [true, false, true, false]],
    ['execute_all', [true, false, true, false]],
    ['deny_on_first_deny', [true, false]],
    ['permit_on_first_permit', [true]],
  ])('[AZ11] [AZ12] with the semantic %s', async (evaluations_semantic, expected) => {
    const body = {
      subject: bob,
      resource: record,
      evaluations: four,
      options: { evaluations_semantic, more: 1 },
    };
    expect(await decisions(body)).toEqual(expected);
  });

  test('[AZ12] a failure is a denial that ends it', async () => {
    const body = {
      ...question,
      evaluations: [{ subject: 7 }, {}],
      options: { evaluations_semantic: 'deny_on_first_deny' },
    };
    expect(await decisions(body)).toEqual([false]);
    const other = { ...body, options: { evaluations_semantic: 'permit_on_first_permit' } };
    expect(await decisions(other)).toEqual([false, true]);
  });

  test('[AZ12] another semantic is 400', async () => {
    const { status, json } = await world.post(evaluations, {
      ...question,
      evaluations: [{}],
      options: { evaluations_semantic: 'execute_al' },
    });
    expect([status, json.violations[0].field, json.violations[0].hint]).toEqual([
      400,
      'options.evaluations_semantic',
      'did you mean "execute_all"?',
    ]);
  });

  test('[AZ13] an item that is none is denied, and says why', async () => {
    const { json } = await world.post(evaluations, {
      subject: alice,
      action: read,
      evaluations: [{}, { resource: record }],
    });
    expect(json.evaluations[0]).toEqual({
      decision: false,
      context: { error: { status: 400, message: 'no such request: resource: got nothing, want an object' } },
    });
    expect(json.evaluations[1].decision).toBe(true);
  });

  test.each([[null], [7], ['x'], [[]], [true]])('[AZ13] %j is denied in its place', async (item) => {
    const { status, json } = await world.post(evaluations, { ...question, evaluations: [{}, item, {}] });
    expect(status).toBe(200);
    expect(json.evaluations.map((verdict: { decision: boolean }) => verdict.decision)).toEqual([
      true,
      false,
      true,
    ]);
    expect(json.evaluations[1].context.error).toEqual({
      status: 400,
      message: expect.stringMatching(/^no such request: .*want an object$/),
    });
  });

  test('[AZ13] there may be as many as in a batch, and no more', async () => {
    const items = (count: number) => ({
      ...question,
      evaluations: Array.from({ length: count }, () => ({})),
    });
    expect(await decisions(items(limits.batchRequests))).toHaveLength(limits.batchRequests);
    expect((await world.post(evaluations, items(limits.batchRequests + 1))).status).toBe(400);
  });
});

describe('the configuration', () => {
  const paths = {
    access_evaluation_endpoint: evaluation,
    access_evaluations_endpoint: evaluations,
    search_subject_endpoint: '/access/v1/search/subject',
    search_resource_endpoint: '/access/v1/search/resource',
    search_action_endpoint: '/access/v1/search/action',
  };
  const at = (base: string) => ({
    policy_decision_point: base,
    ...Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, base + path])),
  });

  test('[AZ35] [AZ43] is open to everybody and names where it was asked', async () => {
    const nobody = await open(fixture('certification.yaml'), { callers: { caller: () => undefined } });
    const response = await fetch(`${nobody.url}/.well-known/authzen-configuration`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.json()).toEqual(at(nobody.url));
    expect((await nobody.post(evaluation, question)).status).toBe(401);
    await nobody.close();
  });

  test('[AZ35] [AZ43] names what the configuration says', async () => {
    const publicUrl = 'https://pdp.example.com';
    const named = await open(fixture('certification.yaml'), {
      settings: { ...settings, publicUrl },
    });
    const response = await fetch(`${named.url}/.well-known/authzen-configuration`);
    expect(await response.json()).toEqual(at(publicUrl));
    await named.close();
  });
});
