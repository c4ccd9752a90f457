import { Random } from '../../oracle/random.ts';
import type { Expression, Shape } from '../../oracle/shapes.ts';
import * as universe from '../../oracle/universe.ts';

/**
 * Policies that ask of one ID more than once, in any order: by itself, by its trust domain, and by what the only
 * template there is reads off it, so that each condition is one pattern and not one of several.
 */
export function idWorld(seed: number): Shape[] {
  const random = new Random(seed);
  const mesh: Shape = { type: 'Mesh', name: 'default', trustDomains: ['td.example'], accessPolicies: 'full' };
  const plane: Shape = {
    type: 'Dataplane',
    mesh: 'default',
    name: 'plane-0',
    labels: { 'k8s.kuma.io/namespace': 'shop' },
    inbounds: [{ name: 'in', port: 8080, ...(random.chance(0.7) ? { protocol: 'http' } : {}) }],
  };
  const service: Shape = { type: 'Service', name: 'pay', namespace: 'shop' };
  const count = random.between(1, 2);
  return [mesh, plane, service, ...Array.from({ length: count }, (_, index) => policy(random, index))];
}

function policy(random: Random, index: number): Shape {
  const action = random.pick([
    'allow',
    'allow',
    'allow',
    'deny',
    'allowWithShadowDeny',
    'denyWithShadowAllow',
  ] as const);
  const from = Array.from({ length: random.pick([1, 1, 2]) }, () => ({
    workloadSelector: { matchExpressions: conditions(random) },
  }));
  const spec = { action, from, to: [{ workloadSelector: {} }] };
  if (random.chance(0.15)) return { type: 'PrivilegedAccessPolicy', name: `p-${index}`, spec };
  return { type: 'AccessPolicy', name: `a-${index}`, namespace: 'shop', spec };
}

function conditions(random: Random): Expression[] {
  return random.some(Object.keys(asked), 1, 3).map((key) => condition(random, key));
}

/** Of whole-segment prefixes those that part IDs of the one trust domain. */
const asked: Readonly<Record<string, readonly string[]>> = {
  'spiffe:id': universe.spiffeUnder.filter((id) => /^spiffe:\/\/td\.example\/.*[^/]$/.test(id)),
  'spiffe:trust-domain': ['td.example', 'td'],
  'k8s:ns': universe.namespaces,
  'k8s:sa': universe.accounts,
};

function condition(random: Random, key: string): Expression {
  const operator = random.pick(['In', 'In', 'In', 'In', 'NotIn', 'Exists'] as const);
  if (operator === 'Exists') return { key, operator };
  return { key, operator, values: random.some(asked[key] ?? [], 1, random.pick([1, 1, 2])) };
}
