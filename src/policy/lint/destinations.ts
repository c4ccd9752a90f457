import type { Dataplane, Inbound } from '../../pdp/model/inventory.ts';
import { type Condition, effectOf, keys, type Pattern, type Rule } from '../../pdp/model/rule.ts';

/** Which destinations of the inventory a rule's destination conditions leave; read condition by condition. */

function matches({ match, value }: Pattern, got: string): boolean {
  if (match === 'exact') return got === value;
  if (match === 'prefix') return got.startsWith(value);
  return got === value || got.startsWith(`${value}/`);
}

/** A known set of values: a key that is not there is absent. */
export function holds({ op, values }: Condition, got: readonly string[]): boolean {
  if (op === 'exists') return got.length > 0;
  if (op === 'notExists') return got.length === 0;
  return got.some((value) => values.some((pattern) => matches(pattern, value))) === (op === 'in');
}

export function inboundValues(
  dataplane: Dataplane,
  inbound: Inbound | undefined,
  key: string,
): readonly string[] {
  const one = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value]);
  if (key === keys.mesh) return [dataplane.mesh];
  if (key === keys.dataplane) return [dataplane.name];
  if (key === keys.section) {
    const inbounds = inbound === undefined ? dataplane.inbounds : [inbound];
    return inbounds.flatMap(({ name, port }) => [...one(name), String(port)]);
  }
  if (key === keys.k8sNamespace || key === keys.namespace)
    return one(dataplane.labels.get('k8s.kuma.io/namespace'));
  for (const prefix of [keys.dataplaneLabel, keys.k8sLabel]) {
    if (key.startsWith(prefix)) return one(dataplane.labels.get(key.slice(prefix.length)));
  }
  if (key === 'service:name') return inbound?.tags.get('kuma.io/service') ?? [];
  return [];
}

export function destinationConditions(rule: Rule): readonly Condition[] {
  return rule.when.filter(({ side }) => side === 'destination');
}

export function denies(rule: Rule): boolean {
  return effectOf(rule.tier ?? rule.shadow) === 'deny' || effectOf(rule.shadow) === 'deny';
}
