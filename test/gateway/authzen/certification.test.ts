import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, open, type World } from './world.ts';

/**
 * The certification scenario of the OpenID AuthZEN working group (certification/authorization-api-1_0-scenario.md),
 * section by section: its fixture is fixtures/certification.yaml.
 */

let world: World;
beforeAll(async () => {
  world = await open(fixture('certification.yaml'));
});
afterAll(() => world.close());

type Entity = { type?: string; id?: string; properties?: object };
const user = (id: string, properties?: object): Entity => ({
  type: 'user',
  id,
  ...(properties && { properties }),
});
const record = (id: string, properties?: object): Entity => ({
  type: 'record',
  id,
  ...(properties && { properties }),
});
const act = (name: string, properties?: object) => ({ name, ...(properties && { properties }) });
const [alice, bob, admin] = [user('alice'), user('bob'), user('bob', { role: 'admin' })];
const one = record('record-1');
const active = record('record-1', { status: 'active' });
const archived = record('record-2', { status: 'archived' });

const evaluation = '/access/v1/evaluation';
const evaluations = '/access/v1/evaluations';
const search = (what: string) => `/access/v1/search/${what}`;

describe('[AZ40] basic certification', () => {
  test.each([
    ['2.2.1', alice, act('read'), one, true],
    ['1.4 rule 2', alice, act('write'), one, true],
    ['1.4 rule 3', bob, act('read'), one, true],
    ['2.2.2', bob, act('write'), one, false],
    ['2.2.4', alice, act('write'), archived, false],
    ['2.2.5', admin, act('write'), archived, true],
    ['2.2.6', alice, act('delete', { soft: true }), one, true],
    ['2.2.7', alice, act('delete', { soft: false }), one, false],
    [
      '2.2.8',
      user('alice', { department: 'Sales', role: 'manager' }),
      act('read', { method: 'GET' }),
      record('record-1', { status: 'active', owner: 'bob' }),
      true,
    ],
  ])('%s', async (_, subject, action, resource, decision) => {
    for (const more of [
      {},
      { context: { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' } },
      { foo: 'bar' },
    ]) {
      const reply = await world.post(evaluation, { subject, action, resource, ...more });
      expect([reply.status, reply.json.decision]).toEqual([200, decision]);
      expect(reply.headers.get('content-type')).toBe('application/json');
    }
  });

  test.each<[string, object]>([
    ['no subject', { action: act('read'), resource: one }],
    ['no action', { subject: alice, resource: one }],
    ['no resource', { subject: alice, action: act('read') }],
    ['a subject without a type', { subject: { id: 'alice' }, action: act('read'), resource: one }],
    ['a subject without an ID', { subject: { type: 'user' }, action: act('read'), resource: one }],
    ['an action without a name', { subject: alice, action: {}, resource: one }],
    ['a resource without a type', { subject: alice, action: act('read'), resource: { id: 'record-1' } }],
    ['a resource without an ID', { subject: alice, action: act('read'), resource: { type: 'record' } }],
    ['a subject that is a string', { subject: 'alice', action: act('read'), resource: one }],
    ['a name that is a number', { subject: alice, action: { name: 123 }, resource: one }],
  ])('2.4 %s is 400', async (_, body) => {
    expect((await world.post(evaluation, body)).status).toBe(400);
  });

  test.each([
    ['malformed JSON', '{"subject":', 'application/json'],
    ['an empty body', '', 'application/json'],
    [
      'another content type',
      JSON.stringify({ subject: alice, action: act('read'), resource: one }),
      'text/plain',
    ],
  ])('2.4 %s is 400', async (_, body, type) => {
    expect((await world.post(evaluation, body, { headers: { 'content-type': type } })).status).toBe(400);
  });
});

describe('[AZ41] batch certification', () => {
  test.each<[string, object, boolean[]]>([
    [
      '3.2.2',
      { subject: bob, resource: one, evaluations: [{ action: act('read') }, { action: act('write') }] },
      [true, false],
    ],
    [
      '3.2.3',
      { subject: alice, action: act('write'), evaluations: [{ resource: active }, { resource: archived }] },
      [true, false],
    ],
    [
      '3.2.4',
      { action: act('write'), resource: archived, evaluations: [{ subject: alice }, { subject: admin }] },
      [false, true],
    ],
    [
      '3.2.5',
      {
        evaluations: [
          { subject: alice, action: act('read'), resource: one },
          { subject: bob, action: act('write'), resource: one },
        ],
      },
      [true, false],
    ],
    [
      '3.2.6',
      {
        subject: alice,
        action: act('read'),
        context: { time: '2025-06-27T18:03-07:00' },
        evaluations: [
          { resource: one },
          { resource: record('record-2'), context: { source: 'batch-override' } },
        ],
      },
      [true, true],
    ],
    [
      '3.2.7',
      {
        subject: alice,
        action: act('write'),
        resource: { type: 'record' },
        evaluations: [
          { resource: { id: 'record-1', properties: { status: 'active' } } },
          { resource: archived },
        ],
      },
      [true, false],
    ],
    ['3.4.1', { subject: alice, action: act('read'), evaluations: [{ resource: one }, {}] }, [true, false]],
  ])('%s', async (_, body, decisions) => {
    const { status, json } = await world.post(evaluations, body);
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['evaluations']);
    expect(json.evaluations.map(({ decision }: { decision: unknown }) => decision)).toEqual(decisions);
  });

  test.each([[{}], [{ evaluations: [] }]])(
    '3.4.2, 3.4.3 without evaluations it is a single one',
    async (more) => {
      const { status, json } = await world.post(evaluations, {
        subject: alice,
        action: act('read'),
        resource: one,
        ...more,
      });
      expect([status, json.decision]).toEqual([200, true]);
    },
  );
});

describe('[AZ42] search certification', () => {
  test.each<[string, string, object, object[]]>([
    ['4.2.1', 'subject', { subject: { type: 'user' }, action: act('read'), resource: one }, [alice, bob]],
    ['4.2.4', 'subject', { subject: { type: 'user' }, action: act('write'), resource: archived }, [bob]],
    ['4.3.1', 'resource', { subject: alice, action: act('read'), resource: { type: 'record' } }, [one]],
    [
      '4.3.3',
      'resource',
      { subject: admin, action: act('write'), resource: { type: 'record' } },
      [record('record-2')],
    ],
    ['4.4.1', 'action', { subject: alice, resource: one }, [act('read'), act('write')]],
    ['4.4.3', 'action', { subject: admin, resource: archived }, [act('write')]],
  ])('%s', async (_, what, query, wanted) => {
    for (const more of [{}, { context: { time: '2025-06-27T18:03-07:00' } }]) {
      const { status, json } = await world.post(search(what), { ...query, ...more });
      expect(status).toBe(200);
      expect(json.results).toEqual(expect.arrayContaining(wanted));
      expect(json.page.next_token).toBe('');
    }
  });

  test.each<[string, string, object]>([
    ['4.6.1', 'action', { subject: user('nonexistent-user'), resource: one }],
    ['4.6.2', 'subject', { subject: { type: 'spaceship' }, action: act('read'), resource: one }],
    ['4.6.2', 'resource', { subject: alice, action: act('read'), resource: { type: 'spaceship' } }],
  ])('%s what is not known has no results', async (_, what, query) => {
    const { status, json } = await world.post(search(what), query);
    expect([status, json.results]).toEqual([200, []]);
  });

  test('4.5 pages', async () => {
    const query = { subject: { type: 'user' }, action: act('read'), resource: one };
    const first = await world.post(search('subject'), { ...query, page: { limit: 1 } });
    expect(first.json.results).toEqual([alice]);
    expect(first.json.page.next_token).toMatch(/./);
    const second = await world.post(search('subject'), {
      ...query,
      page: { token: first.json.page.next_token },
    });
    expect(second.json).toMatchObject({ page: { next_token: '', count: 1 }, results: [bob] });
  });

  test.each<[string, string, object]>([
    ['4.7.1', 'subject', { subject: { type: 'user' }, resource: one }],
    ['4.7.1', 'resource', { action: act('read'), resource: { type: 'record' } }],
    ['4.7.1', 'action', { subject: alice }],
    ['4.7.2', 'subject', { subject: { type: 'user' }, action: act('read'), resource: { type: 'record' } }],
    ['4.7.2', 'resource', { subject: { type: 'user' }, action: act('read'), resource: { type: 'record' } }],
  ])('%s in a %s search what is missing is 400', async (_, what, query) => {
    expect((await world.post(search(what), query)).status).toBe(400);
  });
});
