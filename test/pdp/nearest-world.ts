import type { Inventory, Site } from '../../src/pdp/model/inventory.ts';
import type { Condition, Operator, Pattern, Rule, Side, Tier } from '../../src/pdp/model/rule.ts';
import { effectOf } from '../../src/pdp/model/rule.ts';

/** Rules and inventories written down shortly. */

export const site: Site = {
  attributes: new Map(),
  trustDomains: [],
  floor: 'reported',
  hierarchical: [],
  attributeRules: [],
};

export const empty: Inventory = {
  meshes: new Map(),
  dataplanes: new Map(),
  services: new Map(),
  workloads: [],
  site,
};

export function inboundAt(...protocols: ('http' | 'tcp' | undefined)[]): Inventory {
  const inbounds = protocols.map((protocol, i) => ({
    name: `in${i}`,
    port: 8000 + i,
    tags: new Map(),
    ...(protocol === undefined ? {} : { protocol }),
  }));
  const mesh = { name: 'default', certificates: 'spiffe', accessPolicies: 'full', trustDomains: [] } as const;
  const dataplane = { mesh: 'default', name: 'dp', labels: new Map(), inbounds };
  return {
    ...empty,
    meshes: new Map([['default', mesh]]),
    dataplanes: new Map([['default/dp', dataplane]]),
  };
}

/** `source k8s:label:role in reader|writer`; a value that ends in `*` is a prefix, in `/...` a path with all below. */
export function when(text: string): Condition {
  const [side, key, op, values = ''] = text.split(' ') as [Side, string, Operator, string?];
  return { side, key, op, values: values === '' ? [] : values.split('|').map(pattern) };
}

function pattern(text: string): Pattern {
  if (text.endsWith('*')) return { match: 'prefix', value: text.slice(0, -1) };
  if (text.endsWith('/...')) return { match: 'under', value: text.slice(0, -4) };
  return { match: 'exact', value: text };
}

export function rule(
  name: string,
  tier: Tier,
  conditions: readonly string[],
  more: Partial<Rule> = {},
): Rule {
  return {
    id: name,
    tier,
    shadow: tier,
    when: conditions.map(when),
    origin: {
      policy: name,
      kri: name,
      kind: 'MeshTrafficPermission',
      effect: effectOf(tier),
      index: 0,
      document: 0,
      path: [],
    },
    ...more,
  };
}
