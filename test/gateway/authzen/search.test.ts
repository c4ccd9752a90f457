import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../src/pdp/model/limits.ts';
import { type Role, roles } from '../../../src/pdp/model/request.ts';
import { fixture, open, type World } from './world.ts';

const count = limits.searchCandidates + 50;
const many = Array.from(
  { length: count },
  (_, i) => `---
type: Workload
namespace: people
name: p-${i}
spec:
  attributes: {person:id: p-${String(i).padStart(5, '0')}, person:team: ${i % 1000 === 999 ? 'red' : 'blue'}}
`,
).join('');
const mesh = `---
type: Mesh
name: default
---
type: Dataplane
mesh: default
name: orders
networking:
  inbound:
    - {name: http, port: 8080, tags: {kuma.io/service: orders, kuma.io/protocol: http}}
    - {port: 9090, tags: {kuma.io/service: orders-admin, kuma.io/protocol: http}}
---
type: MeshTrafficPermission
mesh: default
name: web
spec:
  targetRef: {kind: Dataplane, name: orders, sectionName: http}
  default:
    allow:
      - spiffeID: {type: Exact, value: spiffe://default.mesh.local/ns/shop/sa/web}
        method: PURGE
      - spiffeID: {type: Exact, value: spiffe://default.mesh.local/ns/shop/sa/web}
        method: GET
---
type: Workload
namespace: shop
name: web-1
spec: {spiffeId: spiffe://default.mesh.local/ns/shop/sa/web}
---
type: AccessPolicy
namespace: records
name: reds
spec:
  action: allow
  from: [{workloadSelector: {matchLabels: {person:team: red}}}]
  to: [{workloadSelector: {matchLabels: {action:name: read}}}]
`;

let world: World;
beforeAll(async () => {
  world = await open(fixture('certification.yaml') + many + mesh);
});
beforeEach(() => {
  world.roles = new Set(roles);
  world.decided.length = 0;
});
afterAll(() => world.close());

const search = (what: string, query: object) => world.post(`/access/v1/search/${what}`, query);
const record = { type: 'record', id: 'record-1' };
const reading = { action: { name: 'read' }, resource: record };

async function pages(query: object, page: object): Promise<{ ids: string[]; counts: number[] }> {
  const ids: string[] = [];
  const counts: number[] = [];
  let token: string | undefined;
  do {
    const { status, json } = await search('subject', {
      ...query,
      page: { ...page, ...(token && { token }) },
    });
    expect(status).toBe(200);
    ids.push(...json.results.map(({ id }: { id: string }) => id));
    counts.push(json.page.count);
    token = json.page.next_token;
  } while (token !== '');
  return { ids, counts };
}

describe('a search', () => {
  test('[AZ30] finds what an evaluation by the same caller allows, and is told to nobody', async () => {
    const { json } = await search('subject', { subject: { type: 'user' }, ...reading });
    expect(json).toEqual({
      page: { next_token: '', count: 2, total: 2 },
      context: { snapshot: world.snapshot.name },
      results: [
        { type: 'user', id: 'alice' },
        { type: 'user', id: 'bob' },
      ],
    });
    expect(world.decided).toEqual([]);
    for (const subject of json.results)
      expect((await world.post('/access/v1/evaluation', { subject, ...reading })).json.decision).toBe(true);
  });

  test('[AZ30] believes the caller no further than an evaluation does', async () => {
    world.roles = new Set<Role>(['decide', 'explain']);
    expect((await search('subject', { subject: { type: 'user' }, ...reading })).json.results).toEqual([]);
  });

  test.each(['subject', 'resource', 'action'])('[AZ30] of a %s takes the role explain', async (what) => {
    world.roles = new Set<Role>(['decide', 'relay', 'assert', 'admin']);
    const query = { subject: { type: 'user', id: 'alice' }, ...reading };
    expect((await search(what, query)).status).toBe(403);
  });

  test('[AZ31] ignores an ID of what it looks for, and takes its properties for a filter', async () => {
    const ids = async (subject: object) =>
      (await search('subject', { subject, ...reading })).json.results.map(({ id }: { id: string }) => id);
    expect(await ids({ type: 'user', id: 'carol' })).toEqual(['alice', 'bob']);
    expect(await ids({ type: 'user', properties: { role: 'admin' } })).toEqual(['bob']);
    expect(await ids({ type: 'user', properties: { 'k8s:ns': 'people' } })).toEqual(['alice', 'bob']);
    const resource = { type: 'record', id: 'nothing', properties: { status: 'archived' } };
    const query = { subject: { type: 'user', id: 'alice' }, action: { name: 'read' }, resource };
    expect((await search('resource', query)).json.results).toEqual([{ type: 'record', id: 'record-2' }]);
  });

  test('[AZ32] knows workloads, SPIFFE IDs, services and inbounds', async () => {
    const web = { type: 'spiffe', id: 'spiffe://default.mesh.local/ns/shop/sa/web' };
    const get = { action: { name: 'GET' }, context: { path: '/' } };
    const inbound = { type: 'dataplane', id: 'default/orders/http' };
    const found = async (what: string, query: object) =>
      (await search(what, { ...get, ...query })).json.results;
    expect(await found('subject', { subject: { type: 'spiffe' }, resource: inbound })).toEqual([web]);
    const workloads = { ...get, subject: { type: 'workload' }, resource: inbound };
    expect((await pages(workloads, {})).ids).toEqual(['shop/web-1']);
    expect(await found('resource', { subject: web, resource: { type: 'dataplane' } })).toEqual([inbound]);
    const alice = { type: 'user', id: 'alice' };
    expect(await found('resource', { subject: alice, resource: { type: 'service' } })).toEqual([]);
    expect(await found('action', { subject: web, resource: inbound })).toEqual([
      { name: 'GET' },
      { name: 'PURGE' },
    ]);
    expect(await found('action', { subject: alice, resource: record })).toEqual([
      { name: 'read' },
      { name: 'write' },
    ]);
  });

  test('[AZ33] looks at so many candidates a page and no more', async () => {
    const query = { subject: { type: 'person' }, ...reading };
    const { ids, counts } = await pages(query, {});
    expect(ids).toEqual(['p-00999', 'p-01999']);
    expect(counts).toEqual([2, 0]);
    const first = await search('subject', query);
    expect(first.json.page).toEqual({ next_token: expect.stringMatching(/./), count: 2 });
  });

  test('[AZ33] gives as many results as are wanted, down to none', async () => {
    const query = { subject: { type: 'user' }, ...reading };
    expect(await pages(query, { limit: 1 })).toEqual({ ids: ['alice', 'bob'], counts: [1, 1] });
    const none = await search('subject', { ...query, page: { limit: 0 } });
    expect(none.json).toMatchObject({ results: [], page: { count: 0 } });
    expect(none.json.page.next_token).not.toBe('');
    expect((await search('subject', { ...query, page: { limit: -1 } })).status).toBe(400);
    expect((await search('subject', { ...query, page: { limit: 1e6 } })).json.page.count).toBe(2);
  });

  test('[AZ34] goes on where it ended, whatever came and went between two pages', async () => {
    const query = { subject: { type: 'user' }, ...reading };
    const first = await search('subject', { ...query, page: { limit: 1 } });
    const page = { token: first.json.page.next_token };
    const changed = await open(fixture('certification.yaml').replaceAll('alice', 'aaron'));
    changed.roles = world.roles;
    const second = await changed.post('/access/v1/search/subject', { ...query, page });
    expect(second.json).toMatchObject({
      results: [{ id: 'bob' }],
      context: { snapshot: changed.snapshot.name },
    });
    await changed.close();
  });

  test('[AZ34] takes a token for the question that it was given for, in whatever order its fields come', async () => {
    const query = { subject: { type: 'user' }, ...reading };
    const token = (await search('subject', { ...query, page: { limit: 1 } })).json.page.next_token;
    const status = async (more: object, page: object = {}) =>
      (await search('subject', { ...query, ...more, page: { token, ...page } })).status;
    expect(await status({ resource: { id: 'record-1', type: 'record' } })).toBe(200);
    expect(await status({}, { limit: 1 })).toBe(200);
    expect(await status({}, { limit: 2 })).toBe(400);
    expect(await status({ action: { name: 'write' } })).toBe(400);
    expect(await status({ context: { path: '/' } })).toBe(400);
  });

  test('[AZ34] a token with another limit than there may be is refused', async () => {
    const query = { subject: { type: 'user' }, ...reading };
    const given = (await search('subject', { ...query, page: { limit: 1 } })).json.page.next_token;
    const [digest, , after] = JSON.parse(Buffer.from(given, 'base64url').toString());
    for (const limit of [-1, 0.5, limits.searchResults + 1, '1']) {
      const token = encode([digest, limit, after]);
      expect((await search('subject', { ...query, page: { token } })).status).toBe(400);
    }
    expect((await search('subject', { ...query, page: { token: encode([digest, 1, after]) } })).status).toBe(
      200,
    );
  });

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each([
    'x',
    '!',
    encode(7),
    encode([]),
    encode(['x', 1, 'a']),
    encode(['x', -1, 'a']),
    encode(['x', 1e9, 'a']),
  ])('[AZ34] a token that was not given is refused: %s', async (token) => {
    const { status, json } = await search('subject', {
      subject: { type: 'user' },
      ...reading,
      page: { token },
    });
    expect([status, json.title]).toEqual([400, 'no such page']);
  });
});
