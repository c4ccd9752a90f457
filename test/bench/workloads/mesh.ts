import type { Random } from './random.ts';
import type { PlainCondition, PlainDataplane, PlainRule } from './types.ts';
import type { Universe } from './universe.ts';

/** The MeshTrafficPermissions of M: matchers with paths and methods, and the one ordered list. */
export const paths = [
  '/orders',
  '/orders/history',
  '/items',
  '/items/stock',
  '/users',
  '/health',
  '/metrics',
  '/admin',
];
const perPolicy = 10;

export interface PathHit {
  readonly dataplane: PlainDataplane;
  readonly namespace: string;
  readonly account: string;
  readonly method?: string;
  readonly path?: string;
}

export interface PathPolicy {
  readonly document: object;
  readonly rules: readonly PlainRule[];
  /** For each matcher what a request has to carry to match it. */
  readonly hits: readonly PathHit[];
}

function one(
  side: PlainCondition['side'],
  key: string,
  match: PlainCondition['match'],
  value: string,
): PlainCondition {
  return { side, key, op: 'in', match, values: [value] };
}

export function pathPolicies(
  random: Random,
  universe: Universe,
  dataplanes: readonly PlainDataplane[],
  matchers: number,
): PathPolicy[] {
  const made: PathPolicy[] = [];
  for (let policy = 0; policy * perPolicy < matchers; policy++) {
    const dataplane = random.pick(dataplanes);
    const lists: Record<string, object[]> = { deny: [], allowWithShadowDeny: [], allow: [] };
    const rules: PlainRule[] = [];
    const hits: PathHit[] = [];
    for (let i = 0; i < Math.min(perPolicy, matchers - policy * perPolicy); i++) {
      const list = random.chance(0.05) ? 'deny' : random.chance(0.05) ? 'allowWithShadowDeny' : 'allow';
      const namespace = `team-${random.int(universe.namespaces)}`;
      const account = `account-${random.int(universe.accounts)}`;
      const exact = random.chance(0.7);
      const base = `spiffe://td.example/ns/${namespace}/`;
      const spiffe = exact ? `${base}sa/${account}` : base;
      const withPath = random.chance(0.7);
      const withMethod = !withPath || random.chance(0.4);
      const path = random.pick(paths);
      const method = random.pick(['GET', 'POST']);
      const whole = random.chance(0.5);
      lists[list]!.push({
        spiffeID: { type: exact ? 'Exact' : 'Prefix', value: spiffe },
        ...(withPath ? { path: { type: whole ? 'PathPrefix' : 'Prefix', value: path } } : {}),
        ...(withMethod ? { method } : {}),
      });
      const when = [
        one('destination', 'kuma:mesh', 'exact', 'default'),
        one('destination', 'kuma:label:app', 'exact', dataplane.labels['app']!),
        one('source', 'spiffe:id', exact ? 'exact' : 'prefix', spiffe),
      ];
      if (withPath) when.push(one('request', 'request:path', whole ? 'under' : 'prefix', path));
      if (withMethod) when.push(one('request', 'request:method', 'exact', method));
      rules.push({ tier: list === 'deny' ? 2 : 3, shadow: list === 'allow' ? 3 : 2, when });
      hits.push({
        dataplane,
        namespace,
        account,
        ...(withPath ? { path: `${path}/${random.int(100)}` } : {}),
        ...(withMethod ? { method } : {}),
      });
    }
    const targetRef = { kind: 'Dataplane', labels: { app: dataplane.labels['app'] } };
    made.push({
      document: {
        type: 'MeshTrafficPermission',
        mesh: 'default',
        name: `routes-${String(policy).padStart(5, '0')}`,
        spec: {
          targetRef,
          rules: [
            { default: Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) },
          ],
        },
      },
      rules,
      hits,
    });
  }
  return made;
}

/** The first item denies whoever no later item names: a default, not a ban. */
export function listPolicy(random: Random, items: number): { document: object; rules: PlainRule[] } {
  const mesh = [
    one('destination', 'kuma:mesh', 'exact', 'default'),
    one('source', 'kuma:mesh', 'exact', 'default'),
  ];
  const rules: PlainRule[] = [{ tier: 4, shadow: 4, when: mesh, strength: 0 }];
  const from: object[] = [{ targetRef: { kind: 'Mesh' }, default: { action: 'Deny' } }];
  for (let i = 1; i < items; i++) {
    const action = random.chance(0.1) ? 'Deny' : random.chance(0.05) ? 'AllowWithShadowDeny' : 'Allow';
    const service = `client-${random.int(400)}`;
    const version = `v${random.int(5)}`;
    const when = [...mesh, one('source', 'kuma:tag:kuma.io/service', 'exact', service)];
    if (random.chance(0.5)) {
      from.push({ targetRef: { kind: 'MeshService', name: service }, default: { action } });
    } else {
      const not = random.chance(0.3);
      const tags = { 'kuma.io/service': service, version: not ? `!${version}` : version };
      from.push({ targetRef: { kind: 'MeshSubset', tags }, default: { action } });
      when.push({ ...one('source', 'kuma:tag:version', 'exact', version), op: not ? 'notIn' : 'in' });
    }
    rules.push({ tier: action === 'Deny' ? 2 : 3, shadow: action === 'Allow' ? 3 : 2, when, strength: i });
  }
  return {
    document: {
      type: 'MeshTrafficPermission',
      mesh: 'default',
      name: 'tags',
      spec: { targetRef: { kind: 'Mesh' }, from },
    },
    rules,
  };
}
