import { describe, expect, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { Confs } from '../../../src/policy/merge/confs.ts';
import { loadAll, shown } from '../merge/loading.ts';
import { Folder, global, labelsOf, sync, zone } from './syncing.ts';

/** What a proxy gets is the same where it is and where it is seen. */

const zones = 'type: Zone\nname: zone-1\n---\ntype: Zone\nname: zone-2\n---\n';
const mesh = '\ntype: Mesh\nname: default\ncertificates: tags\n';
const proxy = (name: string, namespace: string, of: string, calls = 'web') => `
type: Dataplane
name: ${name}
namespace: ${namespace}
labels: {kuma.io/zone: ${of}}
networking:
  inbound: [{port: 80, tags: {kuma.io/service: ${name}}}]
  outbound: [{port: 81, tags: {kuma.io/service: ${calls}}}]
---`;

/** Both zones and Global, after all of them were synchronised. */
function everywhere(first: string, second: string): readonly Folder[] {
  const [one, two] = [new Folder(zone('zone-1'), first), new Folder(zone('zone-2'), second)];
  const middle = new Folder(global, zones + mesh);
  for (const [from, to] of [
    [one, middle],
    [two, middle],
    [middle, one],
    [middle, two],
  ])
    sync(from!, to!);
  return [one, two, middle];
}

/** The name that a proxy has in a folder. */
function nameIn(folder: Folder, proxy: string): string {
  const found = folder
    .documents()
    .map(({ value }) => value as { type?: string; kind?: string; name?: string; metadata?: { name: string } })
    .find(
      (one) =>
        (one.type ?? one.kind) === 'Dataplane' &&
        (labelsOf(one)['kuma.io/display-name'] ?? one.name ?? one.metadata?.name) === proxy,
    );
  return (found?.name ?? found?.metadata?.name)!;
}

function decided(folder: Folder, proxy: string): string {
  const source = { mesh: 'default', tags: { 'kuma.io/service': ['x'] } };
  const pdp = open(folder.documents());
  return pdp.decide({ source, destination: { dataplane: nameIn(folder, proxy) } }).decision;
}

/** Of its only outbound. */
function called(folder: Folder, proxy: string): unknown {
  const loaded = loadAll(folder.documents());
  const dataplane = loaded.inventory.dataplanes.get(`default/${nameIn(folder, proxy)}`)!;
  const [conf] = new Confs(loaded).of(dataplane, 'MeshTimeout');
  return shown(conf?.outbounds[0]?.merged)?.conf;
}

const timeout = (namespace: string, name: string, more = ''): string => `
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata: {name: ${name}, namespace: ${namespace}, labels: {kuma.io/zone: zone-1, kuma.io/origin: zone}}
spec: ${more}
---`;

describe.each([
  ['in full', 'backend_bank_svc_80', 'bank'],
  ['in short', 'backend', 'bank'],
])('[ZON9] [MRG8] a tag %s that no document has as its name', (_, tag, namespace) => {
  const item = (more: object) =>
    JSON.stringify({ to: [{ targetRef: { kind: 'MeshService', name: tag, ...more }, default: { a: 1 } }] });
  const proxies = proxy('web', 'shop', 'zone-1', tag) + proxy(tag, 'bank', 'zone-1', tag);
  const named = (name: string) => name.replaceAll('_', '-');
  const world = proxies.replace(`name: ${tag}\n`, `name: ${named(tag)}\n`);

  test.each([
    ['consumer', 'shop', { namespace }],
    ['producer', 'bank', {}],
    ['system', 'kuma-system', {}],
  ])('is what a copy of the policy of a %s means too', (_role, home, more) => {
    const [one, , middle] = everywhere(world + timeout(home, 't', item(more)), '');
    expect(middle!.copy('MeshTimeout', 't').spec.to[0].targetRef.name).toBe(tag);
    expect([called(one!, 'web'), called(middle!, 'web')]).toEqual([{ a: 1 }, { a: 1 }]);
  });
});

test('[ZON9] what a short tag means in a namespace that does not offer it stays nothing', () => {
  const said = '{to: [{targetRef: {kind: MeshService, name: backend}, default: {a: 1}}]}';
  const proxies = proxy('web', 'shop', 'zone-1', 'backend') + proxy('backend', 'bank', 'zone-1', 'x');
  const [one, , middle] = everywhere(proxies + timeout('evil', 't', said), '');
  expect([called(one!, 'web'), called(middle!, 'web')]).toEqual([undefined, undefined]);
});

test('[MRG8] an operator’s policy means a tag, in however many namespaces it is offered', () => {
  const said = timeout(
    'kuma-system',
    't',
    '{to: [{targetRef: {kind: MeshService, name: backend}, default: {a: 1}}]}',
  );
  const back = (name: string, namespace: string) =>
    proxy(name, namespace, 'zone-1', 'x').replace(`kuma.io/service: ${name}`, 'kuma.io/service: backend');
  const web = proxy('web', 'shop', 'zone-1', 'backend');
  for (const more of ['', back('b1', 'shop'), back('b1', 'bank'), back('b1', 'shop') + back('b2', 'bank')]) {
    const folder = new Folder(zone('zone-1'), web + more + said);
    expect(called(folder, 'web')).toEqual({ a: 1 });
  }
});

describe('[NS3] [MTP7] the operator of a zone', () => {
  const open1 = `
apiVersion: kuma.io/v1alpha1
kind: MeshTrafficPermission
metadata: {name: open, namespace: kuma-system, labels: {kuma.io/zone: zone-1, kuma.io/origin: zone}}
spec: {targetRef: {kind: Mesh}, from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}
---`;
  const waits = timeout('kuma-system', 't', '{to: [{targetRef: {kind: Mesh}, default: {a: 1}}]}');
  const [one, two, middle] = everywhere(
    proxy('a', 'shop', 'zone-1') + open1 + waits + mesh,
    proxy('b', 'shop', 'zone-2') + mesh,
  );

  test('decides and configures there, and in Global there alone', () => {
    expect([decided(one!, 'a'), decided(middle!, 'a')]).toEqual(['allow', 'allow']);
    expect([decided(two!, 'b'), decided(middle!, 'b')]).toEqual(['deny', 'deny']);
    expect([called(one!, 'a'), called(middle!, 'a')]).toEqual([{ a: 1 }, { a: 1 }]);
    expect([called(two!, 'b'), called(middle!, 'b')]).toEqual([undefined, undefined]);
  });
});
