import type { Random } from './random.ts';
import type { Expression, Selector, Shape } from './shapes.ts';
import * as universe from './universe.ts';

/** AccessPolicies and PrivilegedAccessPolicies, in every form. */

export function access(random: Random, index: number): Shape {
  const name = `${random.pick(['a', 'b', 'z', 'm'])}-${index}`;
  const privileged = random.chance(0.12);
  const kind = privileged ? 'PrivilegedAccessPolicy' : 'AccessPolicy';
  const labels: Record<string, string> = {};
  if (random.chance(0.1)) labels['kuma.io/effect'] = 'shadow';
  const bound =
    privileged || random.chance(0.03)
      ? {}
      : { namespace: random.pick([...universe.namespaces, 'shop', 'obs']) };
  const clusterLink = random.chance(0.3);
  const ways = clusterLink ? (['allow', 'allow', 'deny'] as const) : actionsOf;
  const action = random.pick(ways);
  const floor = !clusterLink && random.chance(0.15) ? { trust: random.pick(universe.trusts) } : {};
  const spec = {
    action,
    ...floor,
    from: selectors(random, 'from', clusterLink),
    to: selectors(random, 'to', clusterLink),
  };
  if (clusterLink)
    return { apiVersion: 'clusterlink.net/v1alpha1', kind, metadata: { name, ...bound, labels }, spec };
  if (random.chance(0.4))
    return { apiVersion: 'placet.dev/v1alpha1', kind, metadata: { name, ...bound, labels }, spec };
  return { type: kind, name, ...bound, labels, spec };
}

const actionsOf = ['allow', 'allow', 'allow', 'deny', 'allowWithShadowDeny', 'denyWithShadowAllow'] as const;

function selectors(
  random: Random,
  side: 'from' | 'to',
  clusterLink: boolean,
): { workloadSelector: Selector }[] {
  const length = random.pick([1, 1, 1, 2, 3]);
  return Array.from({ length }, () => ({ workloadSelector: selector(random, side, clusterLink) }));
}

function selector(random: Random, side: 'from' | 'to', clusterLink: boolean): Selector {
  const universeKeys = side === 'from' ? universe.sourceKeys : universe.destinationKeys;
  const made: Selector = {};
  const conditions = random.pick(side === 'from' ? [0, 1, 1, 2, 2, 3] : [0, 0, 0, 1, 1, 2]);
  for (const key of random.some(Object.keys(universeKeys), conditions, conditions)) {
    const written = nameOf(random, key, side, clusterLink);
    const values = universeKeys[key]!;
    if (random.chance(0.5)) made.matchLabels = { ...made.matchLabels, [written]: random.pick(values) };
    else
      made.matchExpressions = [
        ...(made.matchExpressions ?? []),
        expression(random, written, values, clusterLink),
      ];
  }
  const more: Expression[] = [];
  if (side === 'from' && random.chance(0.08)) {
    const values = random.chance(0.5)
      ? random.some(universe.spiffeUnder, 1, 2)
      : [random.pick(universe.spiffeIds)];
    more.push({ key: 'spiffe:id', operator: random.pick(['In', 'NotIn']), values });
  }
  if (random.chance(0.02)) more.push(...random.pick(oddities)(side));
  if (more.length > 0) made.matchExpressions = [...(made.matchExpressions ?? []), ...more];
  return made;
}

/** What few write: more conditions than one word has bits, many values, names that every object inherits. */
const oddities: readonly ((side: 'from' | 'to') => Expression[])[] = [
  () => Array.from({ length: 34 }, (_, i) => ({ key: `k8s:label:n${i}`, operator: 'DoesNotExist' })),
  (side) => [{ key: side === 'from' ? 'k8s:ns' : 'service:name', operator: 'In', values: many }],
  (side) => [{ key: side === 'from' ? 'k8s:ns' : 'service:name', operator: 'NotIn', values: many }],
  () => [{ key: 'toString', operator: 'Exists' }],
  () => [{ key: 'valueOf', operator: 'DoesNotExist' }],
];
const many = [...Array.from({ length: 20 }, (_, i) => `v${i}`), 'shop', 'pay'];

/** ClusterLink's names in its own documents mostly, on the wrong side now and then. */
function nameOf(random: Random, key: string, side: 'from' | 'to', clusterLink: boolean): string {
  const own = side === 'from' ? universe.sourceAliases : universe.destinationAliases;
  const other = side === 'from' ? universe.destinationAliases : universe.sourceAliases;
  if (random.chance(0.04)) return other[key] ?? key;
  return random.chance(clusterLink ? 0.7 : 0.1) ? (own[key] ?? key) : key;
}

function expression(
  random: Random,
  key: string,
  values: readonly string[],
  clusterLink: boolean,
): Expression {
  const operator = random.pick(['In', 'In', 'In', 'NotIn', 'NotIn', 'Exists', 'DoesNotExist'] as const);
  const made: Expression = { key, operator };
  if (operator === 'In' || operator === 'NotIn') made.values = random.some(values, 1, 2);
  if (!clusterLink && random.chance(0.15)) made.trust = random.pick(universe.trusts);
  return made;
}
