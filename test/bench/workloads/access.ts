import type { Random } from './random.ts';
import type { PlainCondition, PlainRule } from './types.ts';
import {
  locationPattern,
  locationUnder,
  type ServiceValues,
  service,
  sourceDraws,
  sourceKeys,
  type Universe,
} from './universe.ts';

/** One AccessPolicy with one pair of selectors: its document and its plain rule. */
export interface AccessRule {
  readonly document: object;
  readonly rule: PlainRule;
  readonly target: ServiceValues;
}

export interface AccessShape {
  readonly universe: Universe;
  /** The least and the greatest number of source conditions. */
  readonly conditions: readonly [number, number];
  /** Shares of rules with a `NotIn`, `Exists` or `DoesNotExist`, with a shadow effect, with a trust floor. */
  readonly operators?: number;
  readonly shadows?: number;
  readonly floors?: number;
}

const observed = 2;

interface Expression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

interface Selector {
  readonly matchLabels?: Record<string, string>;
  readonly matchExpressions?: Expression[];
}

function selector(conditions: readonly PlainCondition[]): Selector {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: Expression[] = [];
  const operators = { in: 'In', notIn: 'NotIn', exists: 'Exists', notExists: 'DoesNotExist' } as const;
  for (const { key, op, values } of conditions) {
    if (op === 'in' && values.length === 1) matchLabels[key] = values[0]!;
    else matchExpressions.push({ key, operator: operators[op], ...(values.length > 0 ? { values } : {}) });
  }
  return {
    ...(Object.keys(matchLabels).length > 0 ? { matchLabels } : {}),
    ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
  };
}

function sourceCondition(random: Random, of: Universe, key: string): PlainCondition {
  const count = random.chance(0.25) ? 2 + random.int(2) : 1;
  const draw = key === 'site:location' ? locationPattern : sourceDraws[key]!;
  const values = new Set<string>();
  while (values.size < count) values.add(draw(random, of));
  const match = key === 'site:location' ? 'under' : 'exact';
  return { side: 'source', key, op: 'in', match, values: [...values] };
}

function oddCondition(random: Random): PlainCondition {
  const base = { side: 'source', match: 'exact' } as const;
  const kind = random.int(3);
  if (kind === 0) {
    const values = random.sample(['v1', 'v3', 'v5', 'v7', 'v9'], 1 + random.int(3));
    return { ...base, key: 'k8s:label:version', op: 'notIn', values };
  }
  if (kind === 1) {
    return { ...base, key: random.pick(['k8s:label:team', 'k8s:label:canary']), op: 'exists', values: [] };
  }
  return { ...base, key: 'k8s:label:quarantine', op: 'notExists', values: [] };
}

/** One or two conditions on a service: its name or its namespace, and for half of them one thing more. */
function destinationConditions(random: Random, of: ServiceValues): PlainCondition[] {
  const all = {
    'service:name': of.name,
    'k8s:ns': of.namespace,
    'k8s:label:app': of.app,
    'k8s:label:tier': of.tier,
  };
  const first = random.chance(0.6) ? 'service:name' : 'k8s:ns';
  const wanted = [first];
  if (random.chance(0.5)) wanted.push(random.pick(Object.keys(all).filter((key) => key !== first)));
  return wanted.map((key) => ({
    side: 'destination',
    key,
    op: 'in',
    match: 'exact',
    values: [all[key as keyof typeof all]],
  }));
}

export function accessRule(random: Random, shape: AccessShape, index: number): AccessRule {
  const { universe, conditions } = shape;
  const count = conditions[0] + random.int(conditions[1] - conditions[0] + 1);
  const target = service(universe, random.int(universe.services));
  const from = random.sample(sourceKeys, count).map((key) => sourceCondition(random, universe, key));
  if (random.chance(shape.operators ?? 0)) from.push(oddCondition(random));
  const to = destinationConditions(random, target);
  const effect = index % 20 === 0 ? 'deny' : 'allow';
  const tier = effect === 'deny' ? 2 : 3;
  const shadowed = random.chance(shape.shadows ?? 0);
  const whole = shadowed && random.chance(0.4);
  const floored = random.chance(shape.floors ?? 0);
  const action =
    !shadowed || whole ? effect : effect === 'deny' ? 'denyWithShadowAllow' : 'allowWithShadowDeny';
  const document = {
    apiVersion: 'placet.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: {
      name: `access-${String(index).padStart(6, '0')}`,
      namespace: target.namespace,
      ...(whole ? { labels: { 'kuma.io/effect': 'shadow' } } : {}),
    },
    spec: {
      action,
      ...(floored ? { trust: 'observed' } : {}),
      from: [{ workloadSelector: selector(from) }],
      to: [{ workloadSelector: selector(to) }],
    },
  };
  const bound: PlainCondition = {
    side: 'destination',
    key: 'placet:namespace',
    op: 'in',
    match: 'exact',
    values: [target.namespace],
  };
  const rule: PlainRule = {
    tier: whole ? null : tier,
    shadow: action === effect ? tier : tier === 2 ? 3 : 2,
    when: [bound, ...to, ...(floored ? from.map((one) => ({ ...one, floor: observed })) : from)],
  };
  return { document, rule, target };
}

/** Sets what the positive source conditions of a rule ask for. */
export function satisfy(random: Random, attributes: Record<string, string>, rule: PlainRule): void {
  for (const { side, key, op, match, values } of rule.when) {
    if (side !== 'source' || op !== 'in') continue;
    const value = random.pick(values);
    attributes[key] = match === 'under' ? locationUnder(random, value) : value;
  }
}
