import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { tagTables } from '../../src/policy/tags/table.ts';
import { loadValues } from './loading.ts';
import { backend, documentsOf, inboundOf, largerWins, paper001, secondExample } from './tags/documents.ts';

/**
 * Paper 001, to the letter but for its slips: `kuma.io/service: !web` is, unquoted, a YAML tag and no text; a mapping
 * cannot have `env` twice, as its last table has; and the policies of its first example are concatenated with the
 * larger name last, where the order of paper 003 (and of today's Kuma) has it first: the Mesh says `larger-wins`.
 */

const mesh = 'default';
const at = { dataplane: 'backend-1' };

/** `zone us-east, env dev, !service web: ACTION`, in no order. */
function rowsOf(documents: readonly object[]): string[] {
  const { rules, inventory } = loadValues(...documents);
  return tagTables(rules, inventory, at).flatMap((table) => {
    if (!('rows' in table)) throw new Error('no table');
    return table.rows.map(({ tags, not, rule }) => {
      const has = [...tags].map(([tag, value]) => `${tag}: ${value}`);
      const hasNot = [...not].flatMap(([tag, values]) => values.map((value) => `${tag}: !${value}`));
      return `${[...has, ...hasNot].sort().join(', ')} => ${rule?.origin.effect ?? 'nothing'}`;
    });
  });
}

const full = [
  'env: dev, kuma.io/service: !web, kuma.io/zone: us-east => allow',
  'env: !dev, kuma.io/service: !web, kuma.io/zone: us-east => denyWithShadowAllow',
  'env: dev, kuma.io/service: !web, kuma.io/zone: !us-east => allow',
  'env: !dev, kuma.io/service: !web, kuma.io/zone: !us-east => deny',
  'env: dev, kuma.io/service: web, kuma.io/zone: us-east => allowWithShadowDeny',
  'env: !dev, kuma.io/service: web, kuma.io/zone: us-east => allowWithShadowDeny',
  'env: dev, kuma.io/service: web, kuma.io/zone: !us-east => allowWithShadowDeny',
  'env: !dev, kuma.io/service: web, kuma.io/zone: !us-east => allowWithShadowDeny',
];

test('[TAG8] the full table of the first example', () => {
  expect(rowsOf([largerWins, backend, ...paper001]).sort()).toEqual([...full].sort());
});

test('[TAG8] the table of the second example, without what no client can be', () => {
  const rows = [
    'env: dev, zone: us-east => allow',
    'env: prod, zone: us-east => allow',
    'env: dev, zone: !us-east => allow',
    'env: prod, zone: !us-east => allow',
    'env: !dev, env: !prod, zone: us-east => deny',
    'env: !dev, env: !prod, zone: !us-east => allow',
  ];
  expect(rowsOf([backend, ...secondExample]).sort()).toEqual(rows.sort());
});

describe('[TAG1] [TAG3] [TAG4] what is decided by the first example', () => {
  const placet = open([largerWins, backend, ...paper001]);
  const ask = (tags: Record<string, string>) => {
    const { decision, shadow, by } = placet.decide({ source: { mesh, tags }, destination: at });
    return `${decision} ${shadow} ${by?.policy}#${by?.index}`;
  };
  test.each([
    ['us-east', 'dev', 'batch', 'allow allow backend#0'],
    ['us-east', 'prod', 'batch', 'deny allow global-2#0'],
    ['us-west', 'dev', 'batch', 'allow allow backend#0'],
    ['us-west', 'prod', 'batch', 'deny deny global#0'],
    ['us-east', 'dev', 'web', 'allow deny backend#1'],
    ['us-east', 'prod', 'web', 'allow deny backend#1'],
    ['us-west', 'dev', 'web', 'allow deny backend#1'],
    ['us-west', 'prod', 'web', 'allow deny backend#1'],
  ])('%s, %s, %s', (zone, env, service, want) => {
    expect(ask({ 'kuma.io/zone': zone, env, 'kuma.io/service': service })).toBe(want);
  });

  test('[TAG4] without larger-wins the smaller name is the stronger one', () => {
    const usual = open([backend, ...paper001]);
    const tags = { 'kuma.io/zone': 'us-east', env: 'prod', 'kuma.io/service': 'batch' };
    const { shadow, by } = usual.decide({ source: { mesh, tags }, destination: at });
    expect([shadow, by?.policy]).toEqual(['deny', 'global']);
  });

  test('[TAG5] another service has the policies of the mesh alone', () => {
    const other = open([largerWins, inboundOf({ 'kuma.io/service': 'other' }), ...paper001]);
    const tags = { 'kuma.io/zone': 'us-west', env: 'dev', 'kuma.io/service': 'web' };
    expect(other.decide({ source: { mesh, tags }, destination: at })).toMatchObject({
      decision: 'deny',
      tier: 4,
    });
  });
});

describe('[TAG1] [TAG6] [DST8] clients of another mesh on one route of a gateway', () => {
  const documents = documentsOf(`
type: Dataplane
mesh: expose
name: gateway-1
inbounds: [{port: 8080, tags: {kuma.io/service: gateway}}]
---
type: MeshTrafficPermission
mesh: expose
name: cross-mesh-permission
spec:
  targetRef: {kind: MeshGatewayRoute, name: cross-mesh-route}
  from:
    - targetRef: {kind: MeshService, name: backend, mesh: consume}
      default: {action: ALLOW}
    - targetRef: {kind: MeshServiceSubset, name: backend, mesh: consume, tags: {version: v1}}
      default: {action: DENY}
`);
  const placet = open(documents);
  const ask = (mesh: string, version: string, route?: string, service = 'backend') => {
    const source = { mesh, tags: { 'kuma.io/service': service, version } };
    const destination = { mesh: 'expose', dataplane: 'gateway-1', ...(route !== undefined && { route }) };
    const { decision, tier, reason, keys } = placet.decide({ source, destination });
    return [decision, tier, reason, ...(keys ?? [])].join(' ');
  };

  test('the backend of the other mesh, but for its first version', () => {
    expect(ask('consume', 'v2', 'cross-mesh-route')).toBe('allow 3 rule');
    expect(ask('consume', 'v1', 'cross-mesh-route')).toBe('deny 2 rule');
  });

  test('nobody else, whose mesh is none of those named', () => {
    expect(ask('expose', 'v2', 'cross-mesh-route')).toBe('deny  default');
    expect(ask('consume', 'v2', 'cross-mesh-route', 'web')).toBe('deny  default');
  });

  test('on no other route, and where no route is given the deny holds and the allow does not', () => {
    expect(ask('consume', 'v2', 'other')).toBe('deny  default');
    expect(ask('consume', 'v2')).toBe('deny  default');
    expect(ask('consume', 'v1')).toBe('deny 2 unknown-attribute kuma:route');
  });
});

test('[TAG6] other routes have the permissions of the proxy alone', () => {
  const item = (targetRef: object, action: string) => ({ targetRef, default: { action } });
  const permission = (name: string, spec: object) => ({ type: 'MeshTrafficPermission', name, spec });
  const placet = open([
    backend,
    permission('proxy', {
      targetRef: { kind: 'MeshService', name: 'backend' },
      from: [item({ kind: 'Mesh' }, 'Deny'), item({ kind: 'MeshService', name: 'web' }, 'Allow')],
    }),
    permission('route', {
      targetRef: { kind: 'HTTPRoute', name: 'admin' },
      from: [
        item({ kind: 'MeshService', name: 'web' }, 'Deny'),
        item({ kind: 'MeshService', name: 'ops' }, 'Allow'),
      ],
    }),
  ]);
  const ask = (service: string, route?: string) => {
    const destination = { ...at, ...(route !== undefined && { route }) };
    const { decision, by } = placet.decide({
      source: { mesh, tags: { 'kuma.io/service': service } },
      destination,
    });
    return `${decision} ${by?.policy}`;
  };
  expect(['admin', 'shop/admin', 'public', undefined].map((route) => ask('web', route))).toEqual([
    'deny route',
    'deny route',
    'allow proxy',
    'deny route',
  ]);
  expect(['admin', 'public', undefined].map((route) => ask('ops', route))).toEqual([
    'allow route',
    'deny proxy',
    'deny proxy',
  ]);
});
