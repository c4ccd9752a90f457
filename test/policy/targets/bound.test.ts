import { describe, expect, test } from 'vitest';
import { selectedBy } from '../../../src/gateway/inspect/selected.ts';
import { explicit, inZone } from '../../../src/policy/targets/explicit.ts';
import { byStrength } from '../../../src/policy/targets/order.ts';
import { roleOf } from '../../../src/policy/targets/role.ts';
import { loadYaml, policiesIn, statusesOf } from './loading.ts';

/** Whose proxies a policy is for, by where it is from. */

const proxy = (name: string, namespace: string, zone: string) => `
type: Dataplane
name: ${name}
namespace: ${namespace}
labels: {kuma.io/zone: ${zone}}
networking: {inbound: [{port: 80, tags: {kuma.io/service: web}}]}
---`;
const proxies =
  proxy('shop-1', 'shop', 'zone-1') + proxy('bank-1', 'bank', 'zone-1') + proxy('shop-2', 'shop', 'zone-2');
const gateways = `
type: Dataplane
name: edge-1
labels: {kuma.io/zone: zone-1}
networking: {gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}
---
type: Dataplane
name: edge-2
labels: {kuma.io/zone: zone-2}
networking: {gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}
---
apiVersion: kuma.io/v1alpha1
kind: MeshGateway
mesh: default
metadata: {name: edge}
spec: {selectors: [{match: {kuma.io/service: edge}}]}
---
`;
const routes = `
type: MeshHTTPRoute
name: r
namespace: shop
labels: {kuma.io/zone: zone-1}
spec: {to: [{targetRef: {kind: MeshService, name: web}, rules: []}]}
---
type: MeshHTTPRoute
name: r
spec: {targetRef: {kind: Mesh}, to: [{targetRef: {kind: Mesh}, rules: []}]}
---
`;

interface Written {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: object;
  readonly kind?: string;
}

const text = ({ kind = 'MeshTimeout', ...one }: Written): string =>
  JSON.stringify({ type: kind, name: 'p', ...one });

/** The proxies, or of a permission the inbounds, that the policy selects. */
function selected(written: Written): readonly string[] {
  const loaded = loadYaml(`${proxies}${gateways}${routes}${text(written)}`);
  const [found] = [...selectedBy(loaded)].filter(([kri]) => kri.endsWith('_p_')).map(([, one]) => one);
  return [...found!.proxies.names, ...found!.inbounds.names].map((kri) => kri.split('_')[5]!).sort();
}

const ofZone1 = { 'kuma.io/origin': 'zone', 'kuma.io/zone': 'zone-1' };
const from = [{ default: {} }];

describe('[NS3] the operator of a zone speaks for the proxies of that zone', () => {
  test.each<[object | undefined, readonly string[]]>([
    [undefined, ['bank-1', 'edge-1', 'shop-1']],
    [{ kind: 'Mesh' }, ['bank-1', 'edge-1', 'shop-1']],
    [{ kind: 'MeshSubset', tags: { 'k8s.kuma.io/namespace': 'shop' } }, ['shop-1']],
    [{ kind: 'MeshSubset', tags: { 'kuma.io/zone': 'zone-1' } }, ['bank-1', 'edge-1', 'shop-1']],
    [{ kind: 'MeshSubset', tags: { 'kuma.io/zone': '!zone-2' } }, ['bank-1', 'edge-1', 'shop-1']],
    [{ kind: 'MeshSubset', tags: { 'kuma.io/zone': 'zone-2' } }, []],
    [{ kind: 'MeshService', name: 'web' }, ['bank-1', 'shop-1']],
    [{ kind: 'MeshServiceSubset', name: 'web', tags: { 'kuma.io/zone': 'zone-2' } }, []],
    [{ kind: 'Dataplane' }, ['bank-1', 'edge-1', 'shop-1']],
    [{ kind: 'Dataplane', labels: { 'kuma.io/zone': 'zone-2' } }, []],
    [{ kind: 'Dataplane', name: 'shop-1', namespace: 'shop' }, ['shop-1']],
    [{ kind: 'Dataplane', name: 'shop-2', namespace: 'shop' }, []],
    [{ kind: 'MeshGateway', name: 'edge' }, ['edge-1']],
    [{ kind: 'MeshHTTPRoute', name: 'r', namespace: 'shop' }, ['bank-1', 'edge-1', 'shop-1']],
    [{ kind: 'MeshHTTPRoute', name: 'r' }, ['bank-1', 'edge-1', 'shop-1']],
    [{ kind: 'MeshHTTPRoute', labels: { 'kuma.io/display-name': 'r' } }, ['bank-1', 'edge-1', 'shop-1']],
  ])('%j', (targetRef, want) => {
    for (const namespace of ['kuma-system', undefined])
      for (const labels of [ofZone1, { 'kuma.io/zone': 'zone-1' }])
        expect(
          selected({
            ...(namespace && { namespace }),
            labels,
            spec: { ...(targetRef && { targetRef }), from },
          }),
        ).toEqual(want);
  });

  test('and that of Global for all, whatever zone a label says', () => {
    const all = ['bank-1', 'edge-1', 'edge-2', 'shop-1', 'shop-2'];
    expect(selected({ spec: { from } })).toEqual(all);
    expect(selected({ labels: { 'kuma.io/origin': 'global' }, spec: { from } })).toEqual(all);
    const both = { 'kuma.io/origin': 'global', 'kuma.io/zone': 'zone-1' };
    expect(selected({ labels: both, spec: { from } })).toEqual(all);
  });

  test('of permissions too', () => {
    const permission = { kind: 'MeshTrafficPermission', labels: ofZone1, namespace: 'kuma-system' };
    const allow = [{ default: { action: 'Allow' } }];
    expect(selected({ ...permission, spec: { from: allow } })).toEqual(['bank-1', 'shop-1']);
  });

  test('[NS5] has the tag in its explicit form', () => {
    const [policy] = policiesIn(text({ labels: ofZone1, spec: { from } }));
    expect(explicit(policy!).targetRef).toEqual({ kind: 'MeshSubset', tags: { 'kuma.io/zone': 'zone-1' } });
  });
});

test('[NS5] a policy without a label, explicit in a zone, is as if it were labelled with it', () => {
  const spec = {
    to: [
      {
        targetRef: {
          kind: 'MeshService',
          labels: { 'k8s.kuma.io/namespace': 'shop', 'kuma.io/zone': 'zone-1' },
        },
        default: {},
      },
    ],
  };
  for (const namespace of ['shop', 'bank', 'kuma-system']) {
    const [bare] = policiesIn(text({ namespace, spec }));
    const [labelled] = policiesIn(text({ namespace, labels: { 'kuma.io/zone': 'zone-1' }, spec }));
    expect(explicit(bare!, 'zone-1').targetRef).toEqual(explicit(labelled!).targetRef);
    expect(roleOf(inZone(bare!, 'zone-1'))).toBe(roleOf(labelled!));
    const [copy] = policiesIn(
      text({ namespace: 'kuma-system', labels: { 'kuma.io/origin': 'global' }, spec }),
    );
    expect(explicit(copy!, 'zone-1').targetRef).toEqual({ kind: 'Mesh' });
  }
});

describe('[NS6] the zone of a system policy makes its kind no narrower', () => {
  const to = [{ targetRef: { kind: 'MeshService', name: 'web' }, default: {} }];
  const weakest = (...all: readonly Written[]) =>
    [...policiesIn(all.map((one, index) => text(one).replace('"p"', `"p${index}"`)).join('\n---\n'))]
      .sort(byStrength(() => undefined))
      .map(({ head }) => head.name);

  test.each([
    {},
    { targetRef: { kind: 'Mesh' } },
    { targetRef: { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'zone-1' } } },
  ])('a producer of the zone stays above %j', (top) => {
    const system = { labels: ofZone1, spec: { ...top, to } };
    const producer = { labels: ofZone1, namespace: 'shop', spec: { to } };
    expect(weakest(system, producer)).toEqual(['p0', 'p1']);
  });

  test('a service of it stays a service, and another tag narrows', () => {
    const service = { labels: ofZone1, spec: { targetRef: { kind: 'MeshService', name: 'web' }, to } };
    const subset = { spec: { targetRef: { kind: 'MeshServiceSubset', name: 'web', tags: { a: 'b' } }, to } };
    expect(weakest(subset, service)).toEqual(['p1', 'p0']);
    const tagged = { labels: ofZone1, spec: { targetRef: { kind: 'MeshSubset', tags: { a: 'b' } }, to } };
    const producer = { labels: ofZone1, namespace: 'shop', spec: { to } };
    expect(weakest(tagged, producer)).toEqual(['p1', 'p0']);
  });
});

describe('[NS3] a route is for the proxies of the policy’s own place alone', () => {
  test.each<[object, Written['spec']]>([
    [{ kind: 'MeshHTTPRoute', name: 'r' }, { from }],
    [{ kind: 'MeshHTTPRoute', labels: { 'kuma.io/display-name': 'r' } }, { from }],
    [{ kind: 'MeshHTTPRoute', name: 'r' }, { to: [{ targetRef: { kind: 'Mesh' }, default: {} }] }],
  ])('%j %j', (targetRef, body) => {
    const labels = { 'kuma.io/zone': 'zone-1' };
    expect(selected({ namespace: 'shop', labels, spec: { targetRef, ...body } })).toEqual(['shop-1']);
  });

  test('without a label for the zone in all of them; a producer for all that the route is for', () => {
    const targetRef = { kind: 'MeshHTTPRoute', labels: { 'kuma.io/display-name': 'r' } };
    expect(selected({ namespace: 'shop', spec: { targetRef, from } })).toEqual(['shop-1', 'shop-2']);
    const to = [{ targetRef: { kind: 'MeshService', name: 'web' }, default: {} }];
    const labels = { 'kuma.io/zone': 'zone-1' };
    const own = { kind: 'MeshHTTPRoute', name: 'r' };
    const all = ['bank-1', 'edge-1', 'edge-2', 'shop-1', 'shop-2'];
    expect(selected({ namespace: 'shop', labels, spec: { targetRef: own, to } })).toEqual(all);
  });
});

test('[REF6] a zone in which no proxy is known to be, of its operator, is a status', () => {
  const statuses = (labels: object, known = proxies) =>
    statusesOf(
      loadYaml(`${known}\n${text({ labels: labels as Readonly<Record<string, string>>, spec: { from } })}`),
    );
  const said = 'labels["kuma.io/zone"]: got the zone "zone-9", in which there is no dataplane';
  expect(statuses({ 'kuma.io/zone': 'zone-9' })).toEqual([expect.stringContaining(said)]);
  expect(statuses({ 'kuma.io/zone': 'zone-1' })).toEqual([]);
  expect(statuses({ 'kuma.io/zone': 'zone-9', 'kuma.io/origin': 'global' })).toEqual([]);
  expect(statuses({ 'kuma.io/zone': 'zone-9' }, '')).toEqual([]);
  const tagged = proxies.replace('{kuma.io/service: web}', '{kuma.io/service: web, kuma.io/zone: zone-9}');
  expect(statuses({ 'kuma.io/zone': 'zone-9' }, tagged)).toEqual([]);
});
