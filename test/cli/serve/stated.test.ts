import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';
import { answererOf } from '../../../src/cli/serve/envoy.ts';
import { evidenceReader } from '../../../src/cli/serve/evidence.ts';
import type { Decided, Service } from '../../../src/gateway/service.ts';
import type { RequestSource, Role } from '../../../src/pdp/model/request.ts';
import { cluster } from '../../attributes/known.ts';
import { settings } from '../../gateway/given.ts';
import { openWorld, snapshotOf, type World } from '../../gateway/world.ts';

/** An identity that the caller only states, beside the address of a pod of this cluster. */

const policies = 'test/cli/serve/fixtures/sites.yaml';
const address = '10.0.0.5';
const relaying: readonly Role[] = ['decide', 'relay', 'explain'];
const destination = { service: 'shop/near' };

let world: World;
let checked: (spiffeId: string) => Promise<Decided>;
beforeAll(async () => {
  const { snapshot } = snapshotOf(policies);
  const bundles = new Bundles();
  const pods = cluster({
    gold: { labels: { app: 'gold' }, ip: address, account: 'gold' },
    'web-0': { labels: { app: 'web' }, ip: '10.0.0.6' },
  });
  const identify = evidenceReader({
    authorities: { bundles, verifier: new X509Verifier(bundles), audiences: [] },
    inventory: () => snapshot.inventory,
    xfcc: 'only',
    cluster: () => pods,
  });
  world = await openWorld(policies, { identify });
  const decided: Decided[] = [];
  const service: Service = {
    live: { current: () => snapshot, readiness: () => ({ ready: true, sources: [] }) } as never,
    identify,
    callers: { caller: () => undefined },
    observer: { decided: (event) => void decided.push(event), shed() {} },
    settings,
  };
  const answer = answererOf(service, () => ({ name: 'envoy', roles: new Set(relaying) }));
  checked = async (spiffeId) => {
    await answer({ spiffeId, address, destination, request: {} }, {} as never);
    return decided.at(-1)!;
  };
});
afterAll(() => world.close());

async function asked(source: object, roles = relaying): Promise<Decided> {
  await world.post('/decide', { source: { ip: address, ...source }, destination }, { roles });
  return world.decided.at(-1)!;
}

async function evaluated(type: string, id: string): Promise<Decided> {
  await world.post(
    '/access/v1/evaluation',
    {
      subject: { type, id, properties: { ip_address: address } },
      action: { name: 'GET' },
      resource: { type: 'service', id: destination.service },
    },
    { roles: relaying },
  );
  return world.decided.at(-1)!;
}

/** An ID, in each way in which one can be stated. */
const ways: Readonly<Record<string, (id: string) => Promise<Decided>>> = {
  'as spiffeId': (spiffeId) => asked({ spiffeId }),
  'among attributes': (id) => asked({ attributes: { 'spiffe:id': id } }),
  'among attributes, with its trust': (id) =>
    asked({ attributes: { 'spiffe:id': { value: id, trust: 'asserted' } } }),
  'to AuthZEN': (id) => evaluated('spiffe', id),
  'to AuthZEN as a workload': (id) => evaluated('workload', id),
  'by Envoy': (id) => checked(id),
};

/** What the address gave: all but what was stated. */
function given({ request }: Decided): Readonly<Record<string, unknown>> {
  const { attributes = {}, complete = {} } = (request as { source: RequestSource }).source;
  const { 'spiffe:id': _, 'spiffe:trust-domain': __, ...rest } = attributes;
  return { ...rest, ...(complete as object) };
}

/** Where it counts as one, as far as its caller is believed: what an ID says by itself `decide` reads off it. */
const counting = ['as spiffeId', 'to AuthZEN', 'to AuthZEN as a workload', 'by Envoy'];

describe.each(Object.entries(ways))('stated %s', (way, state) => {
  test.each(['spiffe://peer.example/ns/shop/sa/gold', 'spiffe://nobody.example/ns/shop/sa/gold'])(
    '[WHO2] [WHO6] %s gets nothing of the pod that has the address, nor of this site',
    async (id) => {
      const decided = await state(id);
      expect(given(decided)).toEqual({});
      expect(decided.decision).toMatchObject({ decision: 'deny', reason: 'default' });
    },
  );

  test('[WHO2] [SRC14] one of this site gets nothing of the pod that has the address', async () => {
    const decided = await state('spiffe://td.example/gateway');
    expect(given(decided)).toEqual({});
    const ofSite = { decision: 'allow', trust: 'configured' };
    const ofNone = { decision: 'deny', reason: 'default' };
    expect(decided.decision).toMatchObject(counting.includes(way) ? ofSite : ofNone);
  });

  test('[WHO2] [WHO6] the ID of a pod’s account gets what that pod has, as far as an address is believed', async () => {
    const decided = await state('spiffe://td.example/ns/shop/sa/gold');
    expect(given(decided)).toMatchObject({
      'k8s:label:app': { value: 'gold', trust: 'reported' },
      'site:name': { value: 'eu-1', trust: 'reported' },
      'k8s:': 'reported',
    });
    const trust = counting.includes(way) ? 'configured' : 'reported';
    expect(decided.decision).toMatchObject({ decision: 'allow', trust });
  });

  test('[WHO4] [SVC4] the ID of another account than its pod’s is a conflict', async () => {
    const { decision } = await state('spiffe://td.example/ns/shop/sa/web');
    expect(decision).toMatchObject({ decision: 'deny', reason: 'conflict', keys: ['k8s:sa'] });
  });
});

test('[WHO2] nor do tags, and a trust domain without an ID', async () => {
  for (const source of [
    { mesh: 'default', tags: { 'kuma.io/service': 'web' } },
    { tags: { version: ['1', '2'] } },
    { attributes: { 'spiffe:trust-domain': 'peer.example' } },
  ]) {
    const decided = await asked(source);
    expect([given(decided), decided.decision.decision]).toEqual([{}, 'deny']);
  }
  // A mesh alone says of nobody who it is.
  for (const source of [{}, { mesh: 'default' }, { mesh: 'default', tags: {} }, { attributes: {} }])
    expect(given(await asked(source))).toMatchObject({ 'k8s:label:app': { value: 'gold' } });
});

test('[SVC3] [WHO2] what is stated gains no trust by an address, whatever the caller may do', async () => {
  const spiffeId = 'spiffe://td.example/ns/shop/sa/gold';
  for (const [roles, identity, most] of [
    [['decide'], 'asserted', 'asserted'],
    [['decide', 'assert'], 'reported', 'asserted'],
    [['decide', 'relay'], 'attested', 'reported'],
  ] as const) {
    const decided = await asked({ spiffeId }, roles);
    expect(decided.channel.identity).toBe(identity);
    const trusts = Object.values(given(decided)).map((one) =>
      typeof one === 'object' ? (one as { trust: string }).trust : one,
    );
    expect(new Set(trusts)).toEqual(new Set([most]));
  }
  // Nor does it say by itself what its pods agree in.
  expect(given(await asked({ spiffeId, ip: '10.9.9.9' }))).toEqual({});
});
