import { seeded } from './random.ts';
import type { PlainCondition, PlainDataplane, PlainRule, Workload } from './types.ts';

/**
 * S: mesh-wide MeshTrafficPermissions of 100 matchers each, 95 allow and 5 deny, 70 % `Exact` and 30 % `Prefix`
 * on a whole namespace; half of the requests hit a matcher.
 */
const perPolicy = 100;
const trustDomains = Array.from({ length: 10 }, (_, i) => `td${i}.example`);
const dataplaneCount = 100;

interface Matcher {
  readonly type: 'Exact' | 'Prefix';
  readonly value: string;
}

export function s(size: number, requests: number): Workload {
  const random = seeded(1_000 + size);
  const namespaces = Math.max(20, Math.floor(size / 20));
  const id = (): string =>
    `spiffe://${random.pick(trustDomains)}/ns/ns-${random.int(namespaces)}/sa/sa-${random.int(50)}`;
  const matcher = (): Matcher =>
    random.chance(0.7)
      ? { type: 'Exact', value: id() }
      : {
          type: 'Prefix',
          value: `spiffe://${random.pick(trustDomains)}/ns/ns-${random.int(namespaces)}/`,
        };

  const documents: object[] = [{ type: 'Mesh', name: 'default', trustDomains }];
  const dataplanes: PlainDataplane[] = [];
  for (let i = 0; i < dataplaneCount; i++) {
    const inbound = { name: 'http', port: 8080, tags: { 'kuma.io/service': `backend-${i}` } };
    const labels = { app: `backend-${i}` };
    dataplanes.push({ name: `backend-${i}`, mesh: 'default', labels, inbound });
    documents.push({
      type: 'Dataplane',
      mesh: 'default',
      name: `backend-${i}`,
      labels,
      inbounds: [{ ...inbound, protocol: 'http' }],
    });
  }

  const matchers: Matcher[] = [];
  const rules: PlainRule[] = [];
  for (let policy = 0; policy * perPolicy < size; policy++) {
    const lists: Record<'allow' | 'deny', object[]> = { deny: [], allow: [] };
    for (let i = 0; i < Math.min(perPolicy, size - policy * perPolicy); i++) {
      const drawn = matcher();
      const effect = i % 20 === 0 ? 'deny' : 'allow';
      matchers.push(drawn);
      lists[effect].push({ spiffeID: drawn });
      const when: PlainCondition[] = [
        {
          side: 'source',
          key: 'spiffe:id',
          op: 'in',
          match: drawn.type === 'Exact' ? 'exact' : 'prefix',
          values: [drawn.value],
        },
      ];
      const tier = effect === 'deny' ? 2 : 3;
      rules.push({ tier, shadow: tier, when });
    }
    documents.push({
      type: 'MeshTrafficPermission',
      mesh: 'default',
      name: `clients-${String(policy).padStart(5, '0')}`,
      spec: { targetRef: { kind: 'Mesh' }, rules: [{ default: lists }] },
    });
  }

  const text = (): string => {
    const hit = random.pick(matchers);
    let spiffeId = hit.type === 'Exact' ? hit.value : `${hit.value}sa/sa-${random.int(50)}`;
    // A namespace that no matcher names, alike in length and in the way to it.
    if (random.chance(0.5)) {
      spiffeId = `spiffe://${random.pick(trustDomains)}/ns/ms-${random.int(namespaces)}/sa/sa-${random.int(50)}`;
    }
    return JSON.stringify({
      source: { spiffeId },
      destination: { mesh: 'default', dataplane: `backend-${random.int(dataplaneCount)}`, inbound: 'http' },
      request: { method: 'GET', path: `/items/${random.int(10_000)}` },
    });
  };
  return {
    name: 'S',
    size: rules.length,
    documents,
    rules,
    dataplanes,
    requests: Array.from({ length: requests }, text),
  };
}
