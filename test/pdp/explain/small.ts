import { explain } from '../../../src/pdp/explain.ts';
import type { Dataplane, Inventory, Mesh } from '../../../src/pdp/model/inventory.ts';
import { type Channel, operatorChannel, type Request } from '../../../src/pdp/model/request.ts';
import type { Condition, Operator, Pattern, Rule, Side, Tier } from '../../../src/pdp/model/rule.ts';

/** Rules and requests written short. */

export function inventory(more: Partial<Inventory> = {}): Inventory {
  return {
    meshes: new Map(),
    dataplanes: new Map(),
    services: new Map(),
    workloads: [],
    site: {
      attributes: new Map(),
      ownTrustDomains: [],
      trustDomains: [],
      floor: 'reported',
      hierarchical: [],
      attributeRules: [],
    },
    ...more,
  };
}

export function pattern(written: string): Pattern {
  if (written.endsWith('/**')) return { match: 'under', value: written.slice(0, -3) };
  if (written.endsWith('*')) return { match: 'prefix', value: written.slice(0, -1) };
  return { match: 'exact', value: written };
}

/** `role in writer`, `k8s:ns notIn a b*`, `request:method in GET`; a bare key is a label of the source. */
export function condition(written: string): Condition {
  const [name = '', op = 'exists', ...values] = written.split(' ');
  const side: Side = name.startsWith('request:')
    ? 'request'
    : name.startsWith('to.')
      ? 'destination'
      : 'source';
  const bare = name.replace(/^to\./, '');
  const key = bare.includes(':') ? bare : `k8s:label:${bare}`;
  return { side, key, op: op as Operator, values: values.map(pattern) };
}

let count = 0;

export function rule(
  tier: Tier,
  when: readonly string[],
  more: Partial<Rule> & { policy?: string } = {},
): Rule {
  const { policy = `p${count++}`, ...rest } = more;
  const effect = tier % 2 === 1 ? 'allow' : 'deny';
  return {
    id: policy,
    tier,
    shadow: tier,
    when: when.map(condition),
    origin: { policy, kri: policy, kind: 'AccessPolicy', effect, index: 0, document: 0, path: [] },
    ...rest,
  };
}

export function ask(
  rules: readonly Rule[],
  request: Request,
  more: Partial<Inventory> = {},
  channel: Channel = operatorChannel,
) {
  return explain(rules, inventory(more), 'snapshot', request, channel);
}

export const outright = { attributes: {} };

export const id = 'spiffe://td/ns/shop/sa/web';
export const site: Inventory['site'] = {
  ...inventory().site,
  trustDomains: [{ name: 'td', template: '/ns/{k8s:ns}/sa/{k8s:sa}' }],
};

/** What the condition of a deny saw. */
export function saw(
  written: string,
  request: Request,
  more: Partial<Inventory> = {},
  channel: Channel = operatorChannel,
) {
  return ask([rule(2, [written])], request, more, channel).rules[0]?.conditions[0];
}

export const from = (source: Request['source']): Request => ({
  source: source as object,
  destination: outright,
});

export const inbound = { name: 'http', port: 8080, tags: new Map([['kuma.io/service', ['backend']]]) };

export function backend(
  inbounds: Dataplane['inbounds'] = [inbound],
  accessPolicies: Mesh['accessPolicies'] = 'full',
) {
  const labels = new Map([
    ['app', 'backend'],
    ['k8s.kuma.io/namespace', 'shop'],
  ]);
  const mesh: Mesh = { name: 'default', certificates: 'spiffe', accessPolicies, trustDomains: [] };
  return {
    dataplanes: new Map([['default/backend-1', { mesh: 'default', name: 'backend-1', labels, inbounds }]]),
    meshes: new Map([['default', mesh]]),
  };
}

export const toBackend: Request = { source: { spiffeId: id }, destination: { dataplane: 'backend-1' } };

export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  below(most: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * most);
  }
  one<T>(among: readonly T[]): T {
    return among[this.below(among.length)] as T;
  }
}
