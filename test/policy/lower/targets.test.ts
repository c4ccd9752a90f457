import { describe, expect, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { explicitDocument } from '../../../src/policy/targets/additions.ts';
import { loadValues, violationsIn } from '../loading.ts';
import { conditionsText } from '../rule-text.ts';

const identity = { default: { allow: [{ method: 'GET' }] } };
const later = { from: [{ default: { action: 'Allow' } }] };
const first = { conf: { from: [{ action: 'Allow' }] } };

function permission(targetRef: object, spec: object = identity, more: object = {}): object {
  return { type: 'MeshTrafficPermission', name: 'p', ...more, spec: { targetRef, ...spec } };
}

/** What it asks of an inbound besides the mesh. */
function selection(targetRef: object, spec?: object, more?: object): string[] {
  const loaded = loadValues(permission(targetRef, spec, more));
  expect(violationsIn(loaded)).toEqual([]);
  return conditionsText(loaded.rules[0]!)
    .filter((text) => text.startsWith('destination '))
    .slice(1)
    .map((text) => text.slice('destination '.length));
}

const service = 'kuma:tag:kuma.io/service in web';

describe.each([
  ['SPIFFE', identity],
  ['later', later],
  ['older', first],
])('[TAG5] inbounds that a permission of the %s form selects', (_, spec) => {
  test.each<[object, string[]]>([
    [{ kind: 'Mesh' }, []],
    [{ kind: 'Mesh', proxyTypes: [] }, []],
    [{ kind: 'Mesh', proxyTypes: ['Gateway'] }, ['kuma:proxy-type in Gateway']],
    [{ kind: 'MeshSubset' }, []],
    [
      { kind: 'MeshSubset', tags: { version: '!v1', env: 'prod' } },
      ['kuma:tag:env in prod', 'kuma:tag:version notIn v1'],
    ],
    [{ kind: 'MeshService', name: 'web' }, [service]],
    [{ kind: 'Service', name: 'web' }, [service]],
    [
      { kind: 'MeshServiceSubset', name: 'web', tags: { version: 'v1' } },
      [service, 'kuma:tag:version in v1'],
    ],
    [
      { kind: 'ServiceSubset', name: 'web', tags: { version: '!v1' } },
      [service, 'kuma:tag:version notIn v1'],
    ],
    [
      { kind: 'Proxy', name: 'web-1', sectionName: 8080 },
      ['kuma:dataplane in web-1', 'kuma:section in 8080'],
    ],
    [{ kind: 'Dataplane', labels: { app: 'web' } }, ['kuma:label:app in web']],
    [{ kind: 'MeshGatewayRoute', name: 'r' }, ['kuma:route in r']],
    [{ kind: 'MeshHTTPRoute', name: 'r' }, ['kuma:route in r']],
    [{ kind: 'HTTPRoute', name: 'r', namespace: 'shop' }, ['kuma:route in shop/r']],
  ])('%j', (targetRef, want) => {
    expect(selection(targetRef, spec)).toEqual(want);
  });
});

test('[TAG5] [MTP7] in a namespace a route is of that namespace, written or not', () => {
  const shop = { labels: { 'k8s.kuma.io/namespace': 'shop' } };
  const want = ['kuma:route in shop/r', 'kuma:tag:k8s.kuma.io/namespace in shop'];
  expect(selection({ kind: 'MeshHTTPRoute', name: 'r' }, later, shop)).toEqual(want);
  expect(selection({ kind: 'MeshHTTPRoute', name: 'r', namespace: 'shop' }, later, shop)).toEqual(want);
});

test('[NS5] the explicit form of a permission for a route says the same of it', () => {
  const copy = { namespace: 'kuma-system', labels: { 'k8s.kuma.io/namespace': 'shop' } };
  for (const more of [{ namespace: 'shop' }, { namespace: 'kuma-system' }, {}, copy]) {
    const written = permission({ kind: 'MeshHTTPRoute', name: 'r' }, later, more);
    const [policy] = loadValues(written).targeted;
    const full = explicitDocument(written, policy!);
    const conditions = (document: unknown) => conditionsText(loadValues(document as object).rules[0]!);
    expect(conditions(full)).toEqual(conditions(written));
  }
});

test('[TAG5] a gateway’s route has no namespace, and one that is a copy its name to itself', () => {
  const shop = { namespace: 'kuma-system', labels: { 'k8s.kuma.io/namespace': 'shop' } };
  const want = ['kuma:route in r', 'kuma:tag:k8s.kuma.io/namespace in shop'];
  expect(selection({ kind: 'MeshGatewayRoute', name: 'r' }, later, shop)).toEqual(want);
  const copied = { kind: 'MeshHTTPRoute', name: 'r', namespace: 'kuma-system' };
  expect(selection(copied, later, shop)).toEqual(want);
});

test('[DST8] what a policy of a namespace says of its route holds for no other one of that name', () => {
  const web = {
    type: 'Dataplane',
    name: 'web',
    namespace: 'shop',
    networking: { inbound: [{ port: 80, tags: { 'kuma.io/service': 'web' } }] },
  };
  const decisions = (targetRef: object, action: string, namespace = 'shop', more: readonly object[] = []) => {
    const spec = { from: [{ targetRef: { kind: 'MeshService', name: 'x' }, default: { action } }] };
    const documents = [
      { type: 'Mesh', name: 'default', certificates: 'tags' },
      web,
      permission(targetRef, spec, { namespace }),
      ...more,
    ];
    const pdp = open(documents.map((value) => ({ value, place: () => undefined })));
    const source = { mesh: 'default', tags: { 'kuma.io/service': ['x'] } };
    return ['shop/r', 'bank/r', 'r', undefined].map(
      (route) =>
        pdp.decide({ source, destination: { dataplane: 'web', ...(route && { route }) } }).decision ===
        'allow',
    );
  };
  for (const placed of [{}, { namespace: 'shop' }]) {
    const route = { kind: 'MeshHTTPRoute', name: 'r', ...placed };
    expect(decisions(route, 'Allow')).toEqual([true, false, false, false]);
    const all = permission({ kind: 'Mesh' }, later, { name: 'all' });
    expect(decisions(route, 'Deny', 'shop', [all])).toEqual([false, true, false, false]);
  }
  expect(decisions({ kind: 'MeshHTTPRoute', name: 'r' }, 'Allow', 'kuma-system')).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('[TAG5] what no inbound has is refused by name, with what to write instead', () => {
  const refused = (targetRef: object) => violationsIn(loadValues(permission(targetRef)));
  expect(refused({ kind: 'MeshGateway', name: 'edge' })).toEqual([
    'spec.targetRef.kind: got "MeshGateway", want "Mesh", "MeshSubset", "MeshService", "MeshServiceSubset", "Dataplane", "MeshGatewayRoute" or "MeshHTTPRoute" (select its proxies by kind "Dataplane", or a route of it by kind "MeshGatewayRoute")',
  ]);
  for (const kind of ['MeshExternalService', 'MeshMultiZoneService', 'MeshTCPRoute'])
    expect(refused({ kind, name: 'x' })).toEqual([
      expect.stringMatching(/^spec.targetRef.kind: got .* \(.+\)$/),
    ]);
  expect(refused({ kind: 'MeshHTTPRoute', labels: { a: 'b' } })).toEqual([
    'spec.targetRef.labels: got labels of a route, want its name: a request says which route it takes by name',
  ]);
});

describe('[DST7] tags of inbounds', () => {
  const inbound = (port: number, tags?: object) => ({ port, name: `p${port}`, ...(tags && { tags }) });
  const plane = (inbounds: object[], labels: object = {}, more: object = {}) => ({
    type: 'Dataplane',
    name: 'web-1',
    labels,
    inbounds,
    ...more,
  });
  const source = { mesh: 'default', tags: { version: 'v1' } };
  const ask = (documents: object[], inboundName?: string) => {
    const destination = { dataplane: 'web-1', ...(inboundName !== undefined && { inbound: inboundName }) };
    const { decision, reason, keys } = open(documents).decide({ source, destination });
    return [decision, reason, ...(keys ?? [])].join(' ');
  };
  const allow = (tags: object) => permission({ kind: 'MeshSubset', tags }, later);
  const deny = (tags: object) => ({
    ...permission({ kind: 'MeshSubset', tags }, { from: [{ default: { action: 'Deny' } }] }),
    name: 'd',
  });

  test.each([
    ['k8s.kuma.io/namespace', 'shop'],
    ['kuma.io/zone', 'east'],
  ])('the label %s is a tag where the inbound does not write it', (tag, value) => {
    const labelled = plane([inbound(80)], { [tag]: value });
    expect(ask([labelled, allow({ [tag]: value })])).toBe('allow rule');
    const written = plane([inbound(80, { [tag]: 'other' })], { [tag]: value });
    expect(ask([written, allow({ [tag]: value })])).toBe('deny default');
    expect(ask([written, allow({ [tag]: 'other' })])).toBe('allow rule');
  });

  test('no other label is one', () => {
    expect(ask([plane([inbound(80)], { app: 'web' }), allow({ app: 'web' })])).toBe('deny default');
  });

  test('a tag that is not written is known to be none', () => {
    expect(ask([plane([inbound(80)]), allow({ env: '!dev' })])).toBe('allow rule');
    expect(ask([plane([inbound(80)]), deny({ env: 'dev' })])).toBe('deny default');
  });

  test('[DST5] of several inbounds, what they share is known, and a deny for what they do not holds', () => {
    const two = plane([
      inbound(80, { env: 'dev', version: 'v1' }),
      inbound(81, { env: 'dev', version: 'v2' }),
    ]);
    expect(ask([two, allow({ env: 'dev' })])).toBe('allow rule');
    expect(ask([two, allow({ env: '!prod' })])).toBe('allow rule');
    expect(ask([two, allow({ version: 'v1' })])).toBe('deny default');
    expect(ask([two, allow({ version: 'v1' })], 'p80')).toBe('allow rule');
    expect(ask([two, allow({ env: 'dev' }), deny({ version: 'v1' })])).toBe(
      'deny unknown-attribute kuma:tag:version',
    );
    expect(ask([two, allow({ env: 'dev' }), deny({ version: 'v1' })], 'p81')).toBe('allow rule');
  });

  test('[TAG5] a gateway and a sidecar', () => {
    const gateway = {
      inbounds: undefined,
      networking: { inbound: [{ port: 80 }], gateway: { tags: { 'kuma.io/service': 'edge' } } },
    };
    const only = (type: string) => permission({ kind: 'Mesh', proxyTypes: [type] }, later);
    expect(ask([plane([], {}, gateway), only('Gateway')])).toBe('allow rule');
    expect(ask([plane([], {}, gateway), only('Sidecar')])).toBe('deny default');
    expect(ask([plane([inbound(80)]), only('Sidecar')])).toBe('allow rule');
  });
});
