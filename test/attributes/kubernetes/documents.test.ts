import { afterEach, expect, it } from 'vitest';
import { type DocumentsOptions, KubernetesDocuments } from '../../../src/attributes/kubernetes/documents.ts';
import { standInFor } from '../../../src/policy/crds/stand-in.ts';
import { check } from './objects.ts';
import { SmallServer } from './small-server.ts';

/** Several kinds, followed together. A real server is asked by live tests. */

const kindOf = (kind: string, plural: string, namespaced = true, group = 'placet.dev') => ({
  apiVersion: `${group}/v1alpha1`,
  kind,
  plural,
  namespaced,
});
const policies = kindOf('AccessPolicy', 'accesspolicies');
const sites = kindOf('Site', 'sites', false);
const meshes = kindOf('Mesh', 'meshes', false);
const permissions = kindOf('MeshTrafficPermission', 'meshtrafficpermissions', true, 'kuma.io');
const theirs = kindOf('AccessPolicy', 'accesspolicies', true, 'clusterlink.net');

const everybody = [{ workloadSelector: {} }];
const policy = (name: string, action: string) => ({
  apiVersion: policies.apiVersion,
  kind: 'AccessPolicy',
  metadata: { name, namespace: 'shop', uid: `u-${name}`, resourceVersion: '1' },
  spec: { action, from: everybody, to: everybody },
});
const site = (name: string, spec: object) => ({
  apiVersion: sites.apiVersion,
  kind: 'Site',
  metadata: { name, uid: `u-${name}`, resourceVersion: '1' },
  spec,
});

const loose = {
  apiVersion: permissions.apiVersion,
  kind: permissions.kind,
  metadata: { name: 'loose', namespace: 'shop', uid: 'u-loose', resourceVersion: '1' },
  spec: {
    rules: [{ default: { allow: [{ spiffeID: { type: 'Prefix', value: 'spiffe://a.example/ns/ob' } }] } }],
  },
};
const strict = {
  apiVersion: meshes.apiVersion,
  kind: meshes.kind,
  metadata: { name: 'default', uid: 'u-default', resourceVersion: '1' },
  spec: { strictPrefixes: true },
};

let source: KubernetesDocuments;
let server: SmallServer;
afterEach(() => source.close());

function follow(kinds: readonly (typeof policies)[], options: DocumentsOptions = {}): KubernetesDocuments {
  source = new KubernetesDocuments(server, kinds, { check, standIn: standInFor, lookAgain: 20, ...options });
  void source.run();
  return source;
}
const files = () => source.documents().map(({ file }) => file);
const within = { timeout: 5_000, interval: 10 };
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

it('[KRES2] a kind that was missing is missing while the server is away, and grows old with the others', async () => {
  server = new SmallServer();
  server.served.set(policies, [policy('a', 'deny')]);
  follow([policies, theirs]);
  await expect.poll(() => source.synced, within).toBe(true);
  server.leave();
  const said = () => source.status.kinds.find(({ apiVersion }) => apiVersion === theirs.apiVersion);
  await expect.poll(() => said()?.why, within).toContain('ECONNREFUSED');
  expect([source.synced, files(), said()?.state]).toEqual([true, ['AccessPolicy/shop/a'], 'unknown']);
  const before = source.age()!;
  await pause(100);
  expect(source.age()).toBeGreaterThan(before + 90);
  server.isAway = false;
  await expect.poll(() => said()?.state, within).toBe('missing');
  await expect.poll(() => source.age(), within).toBeLessThan(100);
});

it('[KRES2] that a kind is missing grows old where the server goes on with the others and no longer says so', async () => {
  server = new SmallServer();
  server.served.set(policies, []);
  follow([policies, theirs], { probe: 20 });
  await expect.poll(() => source.synced, within).toBe(true);
  server.elsewhere.set(theirs, ['v1alpha1']);
  await expect.poll(() => source.age(), within).toBeGreaterThan(300);
  expect(source.synced).toBe(true);
  server.elsewhere.clear();
  await expect.poll(() => source.age(), within).toBeLessThan(200);
});

it('[KRES2] a kind that is served in another version alone keeps what was seen of it, which grows old', async () => {
  server = new SmallServer();
  server.served.set(policies, [policy('a', 'deny')]);
  follow([policies], { retry: 50, probe: 20 });
  await expect.poll(() => source.synced, within).toBe(true);
  server.leave();
  server.served.delete(policies);
  server.elsewhere.set(policies, ['v1beta1']);
  server.isAway = false;
  await expect.poll(() => source.age(), within).toBeGreaterThan(300);
  expect([source.synced, files()]).toEqual([true, ['AccessPolicy/shop/a']]);
  expect(source.status.kinds[0]).toMatchObject({
    state: 'followed',
    why: 'the API server has accesspolicies.placet.dev in placet.dev/v1beta1, want placet.dev/v1alpha1',
  });
});

it('[KRES2] a kind that was only ever there in another version keeps everybody waiting', async () => {
  server = new SmallServer();
  server.served.set(policies, []);
  server.elsewhere.set(theirs, ['v2']);
  follow([policies, theirs]);
  await expect
    .poll(() => source.status.kinds.map(({ state }) => state), within)
    .toEqual(['followed', 'unknown']);
  expect(source.synced).toBe(false);
});

it('[KRES4] while the set is not sound what is in force grows old, and then it is fresh again', async () => {
  server = new SmallServer();
  const here = site('here', { local: true });
  server.served.set(sites, [here, site('b', {}), site('c', {})]);
  server.served.set(policies, []);
  follow([sites, policies], { probe: 20 });
  await expect.poll(() => source.status.sound && source.synced, within).toBe(true);
  await expect.poll(() => server.watching, within).toBe(2);
  server.remove(sites, here);
  await expect.poll(() => source.status.sound, within).toBe(false);
  await expect.poll(() => source.age(), within).toBeGreaterThan(300);
  // Another change that does not help does not begin anew.
  server.put(policies, policy('a', 'deny'));
  await pause(50);
  expect([source.status.sound, source.synced, source.age()! > 300]).toEqual([false, true, true]);
  server.put(sites, here);
  await expect.poll(() => source.status.sound, within).toBe(true);
  await expect.poll(() => source.age(), within).toBeLessThan(200);
});

it.each([
  ['permissions', permissions],
  ['meshes', meshes],
])(
  '[KRES2] what is in force at the start does not depend on which kind came first: late %s',
  async (_, late) => {
    server = new SmallServer();
    server.served.set(permissions, [loose]);
    server.served.set(meshes, [strict]);
    const release = Promise.withResolvers<void>();
    server.held.set(late, release.promise);
    follow([permissions, meshes]);
    await expect.poll(() => source.status.kinds.filter(({ objects }) => objects > 0).length, within).toBe(1);
    expect([source.documents(), source.status.broken]).toEqual([[], []]);
    release.resolve();
    await expect.poll(() => source.synced, within).toBe(true);
    const { sound, broken } = source.status;
    expect([sound, broken.map(({ name, stands }) => `${name}: ${stands}`)]).toEqual([
      true,
      ['MeshTrafficPermission/shop/loose: stand-in'],
    ]);
  },
);
