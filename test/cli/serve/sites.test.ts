import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBundle } from '../../../src/attributes/bundles/document.ts';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import { podOf } from '../../../src/attributes/kubernetes/pod.ts';
import { Pods } from '../../../src/attributes/kubernetes/pods.ts';
import { makeAuthority, makeSvid } from '../../../src/attributes/x509/make.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';
import { answererOf } from '../../../src/cli/serve/envoy.ts';
import { evidenceReader } from '../../../src/cli/serve/evidence.ts';
import type { Caller, Identify, Service } from '../../../src/gateway/service.ts';
import { roles } from '../../../src/pdp/model/request.ts';
import { settings } from '../../gateway/given.ts';
import { openWorld, snapshotOf, type World } from '../../gateway/world.ts';

/** Of which site a client is said to be, whichever way it is asked about. */

const policies = 'test/cli/serve/fixtures/sites.yaml';
const domains = ['td.example', 'both.example', 'peer.example', 'nobody.example'] as const;
type Domain = (typeof domains)[number];
const destination = { service: 'shop/near' };
const caller: Caller = { name: 'test', roles: new Set(roles) };
const pods = new Pods();
pods.set(
  podOf({
    metadata: { uid: 'u', namespace: 'shop', name: 'web-0', resourceVersion: '1' },
    spec: { serviceAccountName: 'web', containers: [] },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  })!,
);
const cluster = {
  byUid: (uid: string) => pods.byUid(uid),
  ofAccount: (namespace: string, name: string) => pods.ofAccount(namespace, name),
  ofAddress: (address: string) => pods.ofAddress(address),
  ownerOf: () => undefined,
  freshAt: 0,
};

let identify: Identify;
let world: World;
let checked: (asked: { certificate?: string; address?: string }) => Promise<string>;
const certificates = new Map<Domain, string>();
beforeAll(async () => {
  const end = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 600_000) };
  const bundles = new Bundles();
  for (const name of domains) {
    const authority = await makeAuthority(name, end);
    const read = readBundle(name, authority.certificate);
    if (read.ok) bundles.load(name, read.value, Date.now());
    const { certificate } = await makeSvid(authority, `spiffe://${name}/ns/shop/sa/web`, end);
    certificates.set(name, certificate);
  }
  const { snapshot } = snapshotOf(policies);
  const authorities = { bundles, verifier: new X509Verifier(bundles), audiences: [] };
  const inventory = () => snapshot.inventory;
  identify = evidenceReader({ authorities, inventory, xfcc: 'only', cluster: () => cluster });
  const parts = { identify, callers: { caller: () => caller } };
  world = await openWorld(policies, { ...parts, inspector: {} as never });
  const service: Service = {
    live: { current: () => snapshot, readiness: () => ({ ready: true, sources: [] }) } as never,
    ...parts,
    observer: { decided() {}, shed() {} },
    settings,
  };
  const answer = answererOf(service, () => caller);
  checked = async (asked) =>
    (await answer({ ...asked, destination, request: {} }, {} as never)).decision.decision;
});
afterAll(() => world.close());

interface Client {
  readonly certificate?: string;
  readonly ip?: string;
}

const xfccOf = (certificate: string) => `Cert="${encodeURIComponent(certificate)}"`;
const byHttp = 'ext_authz by HTTP';
const ways: Readonly<Record<string, (client: Client) => Promise<string>>> = {
  'POST /decide': async (source) => (await world.post('/decide', { source, destination })).json.decision,
  AuthZEN: async (properties) => {
    const { json } = await world.post('/access/v1/evaluation', {
      subject: { type: 'evidence', id: 'x', properties },
      action: { name: 'GET' },
      resource: { type: 'service', id: destination.service },
    });
    return json.decision ? 'allow' : 'deny';
  },
  'ext_authz by gRPC': ({ certificate, ip }) =>
    checked({ ...(certificate && { certificate }), ...(ip && { address: ip }) }),
  [byHttp]: async ({ certificate }) => {
    const { status } = await world.fetch(`/ext_authz/service=${encodeURIComponent(destination.service)}/`, {
      headers: { 'x-forwarded-client-cert': xfccOf(certificate!) },
    });
    return status === 200 ? 'allow' : 'deny';
  },
  whois: async (evidence) => {
    const { json } = await world.post('/attributes/whois', evidence);
    return json.source.attributes['site:name']?.value === 'eu-1' ? 'allow' : 'deny';
  },
};

const certificateOf = (domain: Domain): Client => ({ certificate: certificates.get(domain)! });
const pod = { ip: '10.0.0.1' };
const clients: readonly (readonly [string, Domain | undefined, Client, 'allow' | 'deny'])[] = [
  ['an ID of this site', 'td.example', {}, 'allow'],
  ['an ID of a trust domain of several sites', 'both.example', {}, 'deny'],
  ['an ID of several sites, with the address of its pod', 'both.example', pod, 'allow'],
  ['an ID of another site', 'peer.example', {}, 'deny'],
  ['an ID of no site', 'nobody.example', {}, 'deny'],
  ['an ID of no site by way of a pod', 'nobody.example', pod, 'deny'],
  ['the address of a pod', undefined, pod, 'allow'],
  ['an address of nobody', undefined, { ip: '8.8.8.8' }, 'deny'],
];

describe.each(clients)('%s', (_, domain, address, wanted) => {
  const client = () => ({ ...(domain && certificateOf(domain)), ...address });
  // A header says who somebody is, and not where.
  const isInHeader = domain !== undefined && address.ip === undefined;
  const possible = Object.entries(ways).filter(([way]) => way !== byHttp || isInHeader);

  test.each(possible)('[WHO6] %s', async (_, ask) => expect(await ask(client())).toBe(wanted));
});

test('[WHO3] [WHO6] whose address nobody knows is as unidentified as who shows nothing', async () => {
  for (const to of [{ dataplane: 'inbound' }, { service: 'shop/any' }])
    for (const source of [{}, { ip: '8.8.8.8' }]) {
      const { json } = await world.post('/decide', { source, destination: to });
      const wanted = 'dataplane' in to ? 'unidentified' : 'unknown-attribute';
      expect([json.decision, json.reason]).toEqual(['deny', wanted]);
    }
  // Of another site than the one that is banned it is only known to be by who it is.
  for (const [source, wanted] of [
    [certificateOf('td.example'), 'allow'],
    [certificateOf('nobody.example'), 'deny'],
  ] as const) {
    const { json } = await world.post('/decide', { source, destination: { service: 'shop/any' } });
    expect(json.decision).toBe(wanted);
  }
});
