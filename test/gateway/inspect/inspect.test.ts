import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LastDecided } from '../../../src/gateway/inspect/last-decided.ts';
import { NotNow } from '../../../src/gateway/live/not-now.ts';
import type { LivePolicies } from '../../../src/gateway/live/policies.ts';
import type { Inspector, Service } from '../../../src/gateway/service.ts';
import { run } from '../../cli/world.ts';
import { type Opened, open } from '../live/opening.ts';
import { openWorld, type World } from '../world.ts';

const policies = 'policies';

interface Named {
  readonly proxyResourceName: string;
}
const proxy = '/meshes/tags/dataplanes/backend-1';

let opened: Opened;
let live: LivePolicies;
let world: World;
const last = new LastDecided(() => 1_700_000_000_000);

beforeAll(async () => {
  opened = await open(policies);
  ({ live } = opened);
  const parts: Partial<Service> = {
    live,
    inspector: {
      ask: (question) => live.ask(question),
      overview: async () => live.overview(),
      lastDecided: async () => last.all,
    },
  };
  world = await openWorld(`${policies}/50-tags`, parts);
});
afterAll(async () => {
  await world.close();
  await live.close();
});

const get = async (path: string) => (await world.fetch(path)).json;

async function inspected(...flags: readonly string[]): Promise<unknown> {
  const { code, out, err } = await run([
    'inspect',
    'dataplane',
    'tags/backend-1',
    '--policies',
    policies,
    '--json',
    ...flags,
  ]);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

describe('proxies', () => {
  test('[INSP1] have the layout and the policies that the command line shows', async () => {
    expect(await get(`${proxy}/_layout`)).toEqual(await inspected('--layout'));
    const all = (await inspected()) as { policies: unknown; inbounds: { kri: string }[] };
    expect(await get(`${proxy}/_policies`)).toEqual({ policies: all.policies });
    expect(all.inbounds.length).toBeGreaterThan(0);
    for (const { kri, ...policies } of all.inbounds)
      expect(await get(`${proxy}/_inbounds/${encodeURIComponent(kri)}/_policies`)).toEqual(policies);
  });

  test('[INSP1] have the policies of each outbound, by any of its names', async () => {
    const conf = await open('test/cli/fixtures/conf');
    const other = await openWorld('test/cli/fixtures/conf', {
      inspector: { ask: (question) => conf.live.ask(question) } as Inspector,
    });
    try {
      const of = '/meshes/shop/dataplanes/web-1';
      const { outbounds } = (await other.fetch(`${of}/_layout`)).json as { outbounds: Named[] };
      const answers = await Promise.all(
        ['search', outbounds[0]!.proxyResourceName].map(async (name) => {
          const { status, json } = await other.fetch(
            `${of}/_outbounds/${encodeURIComponent(name)}/_policies`,
          );
          return [status, json.policies.length > 0];
        }),
      );
      expect(answers).toEqual([
        [200, true],
        [200, true],
      ]);
      const shown = await run(
        'inspect dataplane shop/web-1 --policies test/cli/fixtures/conf --json --outbound search'.split(' '),
      );
      expect((await other.fetch(`${of}/_outbounds/search/_policies`)).json).toEqual(JSON.parse(shown.out));
    } finally {
      await other.close();
      await conf.live.close();
    }
  });

  test.each([
    ['/meshes/tagz/dataplanes/backend-1/_layout', /mesh tagz, .*did you mean tags\?/],
    [
      '/meshes/tags/dataplanes/bakend-1/_layout',
      /dataplane bakend-1 in the mesh tags, .*did you mean backend-1\?/,
    ],
    [`${proxy}/_inbounds/httpp/_policies`, /inbound httpp of backend-1/],
    [`${proxy}/_outbounds/nobody/_policies`, /outbound nobody of backend-1/],
    ['/policies/AccessPolicy/billing/own-cluster', /did you mean AccessPolicy\/billing\/own-clusters\?/],
    ['/policies?kind=AccesPolicy', /kind AccesPolicy, .*did you mean AccessPolicy\?/],
    ['/policies?kind=MeshTimeouts', /kind MeshTimeouts, .*did you mean MeshTimeout\?/],
    ['/policies?mesh=tagz&kind=AccessPolicy', /mesh tagz, .*did you mean tags\?/],
  ])('[INSP1] [INSP2] %s is not there, with the nearest that is', async (path, says) => {
    const { status, json } = await world.fetch(path);
    expect([status, json.title, json.detail]).toEqual([
      404,
      'there is no such thing',
      expect.stringMatching(says),
    ]);
  });

  test('[INSP1] a query that is not understood is refused', async () => {
    expect((await world.fetch(`${proxy}/_layout?shadow=yes`)).status).toBe(400);
    for (const query of ['limit=1001', 'offset=-1', 'limit=x'])
      expect((await world.fetch(`/policies?${query}`)).status).toBe(400);
    expect((await world.fetch('/policies?limit=1000')).status).toBe(200);
  });

  test.each([
    ['/policies?knd=AccessPolicy', /unknown parameter "knd", want one of .*, did you mean kind\?/],
    ['/policies?kind=AccessPolicy&x=1', /unknown parameter "x", want one of kind, mesh/],
    ['/policies?kind=AccessPolicy&kind=MeshTimeout', /"kind" 2 times, want it once/],
    [`${proxy}/_policies?shadw=true`, /unknown parameter "shadw", .*did you mean shadow\?/],
    ['/envoys?stat=refused', /unknown parameter "stat", .*did you mean state\?/],
  ])('[INSP1] [INSP2] %s asks by what there is not', async (path, says) => {
    const { status, json } = await world.fetch(path);
    expect([status, json.title, json.detail]).toEqual([
      400,
      'the query is not understood',
      expect.stringMatching(says),
    ]);
  });

  test('[INSP2] of a kind and a mesh that there are there may be no policies', async () => {
    for (const query of ['kind=MeshProxyPatch', 'mesh=tags&kind=PrivilegedAccessPolicy'])
      expect(await get(`/policies?${query}`)).toEqual({ total: 0, policies: [] });
  });
});

describe('what cannot be answered', () => {
  const asking = (ask: Inspector['ask']) =>
    openWorld(`${policies}/50-tags`, { inspector: { ask } as Inspector });

  test('[SVC13] an error of ours, in the thread that has the documents, is 500 without a word of it', async () => {
    const broken = await asking(() => live.ask({ about: 'proxy' } as never));
    const { status, json } = await broken.fetch(`${proxy}/_policies`);
    expect([status, json]).toEqual([500, { title: 'something went wrong here', status: 500 }]);
    expect(broken.failed).toEqual([expect.any(Error)]);
    // Where it happened is in the thread.
    expect((broken.failed[0] as Error).stack).toContain('answers.ts');
    await broken.close();
  });

  test('[SVC7] while nobody has the documents it is 503, and no error', async () => {
    const early = await asking(() => Promise.reject(new NotNow('the thread ended: /a/path')));
    const { status, headers, json } = await early.fetch(`${proxy}/_policies`);
    expect([status, headers.get('retry-after'), early.failed]).toEqual([503, '1', []]);
    expect(json).toEqual({ title: 'nobody can say now', status: 503 });
    await early.close();
  });
});

describe('policies', () => {
  test('[INSP2] are listed page by page, and filtered', async () => {
    const all = await get('/policies?limit=1000');
    expect([all.total, all.next]).toEqual([all.policies.length, undefined]);
    const pages = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: { policies: object[]; next?: number } = await get(`/policies?limit=7&offset=${offset}`);
      pages.push(...page.policies);
      offset = page.next;
    }
    expect(pages).toEqual(all.policies);
    const kinds = await get('/policies?kind=PrivilegedAccessPolicy');
    expect(kinds.total).toBe(
      all.policies.filter((one: { kind: string }) => one.kind === 'PrivilegedAccessPolicy').length,
    );
    const namespace = await get('/policies?namespace=billing&kind=AccessPolicy');
    expect(namespace.policies.map(({ kri }: { kri: string }) => kri)).toContain(
      'AccessPolicy/billing/own-clusters',
    );
  });

  test('[INSP2] say what they select, as decisions are governed', async () => {
    const { policies: listed } = await get('/policies?limit=1000');
    const selecting = listed.filter((one: { selects: { inbounds: number } }) => one.selects.inbounds > 0);
    expect(selecting.length).toBeGreaterThan(5);
    const [first] = selecting;
    const one = await get(`/policies/${first.kri}`);
    expect(one.selects.inbounds).toEqual({ count: first.selects.inbounds, names: expect.any(Array) });
    expect(one.selects.inbounds.names).toHaveLength(first.selects.inbounds);
    const service = await get('/policies/AccessPolicy/billing/own-clusters');
    expect(service.selects.services.names).toEqual([expect.stringMatching(/^billing\//)]);
    expect([service.rules, service.place.line]).toEqual([1, 11]);
  });

  test('[INSP2] say what lint says of them', async () => {
    const { policies: listed } = await get('/policies?limit=1000');
    const { out } = await run(['lint', policies, '--json']);
    const findings = (JSON.parse(out).findings ?? JSON.parse(out)) as { message: string }[];
    const said = new Set(
      listed.flatMap((one: { statuses: { message: string }[] }) =>
        one.statuses.map(({ message }) => message),
      ),
    );
    expect(findings.length).toBeGreaterThan(0);
    expect(findings.some(({ message }) => said.has(message))).toBe(true);
  });

  test('[INSP2] say when they last decided', async () => {
    const before = await get('/policies/AccessPolicy/billing/own-clusters');
    expect(before.lastDecided).toBeUndefined();
    const by = {
      policy: 'own-clusters',
      kri: 'AccessPolicy/billing/own-clusters',
      effect: 'allow',
      index: 0,
    } as const;
    last.decided({ decision: { by } } as never);
    last.decided({ decision: { by: null } } as never);
    const after = await get('/policies/AccessPolicy/billing/own-clusters');
    expect(after.lastDecided).toBe('2023-11-14T22:13:20.000Z');
    expect(last.all.size).toBe(1);
  });
});

describe('who is who, and what decides', () => {
  test('[SVC7] [INSP3] before there are policies nobody can say who it is', async () => {
    const early = await openWorld(`${policies}/50-tags`, {
      live: { ...live, current: () => undefined } as never,
      inspector: {} as never,
      identify: () => {
        throw new Error('it came too early');
      },
    });
    const { status, headers } = await early.post('/attributes/whois', { ip: '10.0.0.1' });
    expect([status, headers.get('retry-after'), early.failed]).toEqual([503, '1', []]);
    await early.close();
  });

  test('[INSP4] the set that decides is told with its sources', async () => {
    expect(await get('/snapshot')).toEqual({
      snapshot: live.current()!.name,
      since: live.current()!.since,
      counts: expect.objectContaining({ services: live.current()!.inventory.services.size }),
      sources: [expect.objectContaining({ name: 'policies', synced: true, fresh: true, problems: [] })],
      problems: [],
    });
  });

  test('[INSP1] [INSP2] [INSP3] [INSP4] nobody looks without the role explain or admin', async () => {
    const paths = [
      `${proxy}/_layout`,
      `${proxy}/_policies`,
      `${proxy}/_inbounds/x/_policies`,
      '/policies',
      '/policies/x',
      '/snapshot',
    ];
    for (const path of paths) {
      const as = (role: string) => world.fetch(path, { headers: { authorization: `Bearer ${role}` } });
      expect([path, (await as('decide')).status]).toEqual([path, 403]);
      expect([200, 404]).toContain((await as('admin')).status);
    }
    expect((await world.post('/attributes/whois', { ip: '1.2.3.4' }, { roles: ['decide'] })).status).toBe(
      403,
    );
  });
});
