import type { PlainCondition, PlainDataplane, PlainRule, Workload } from './workloads/types.ts';

/**
 * Every rule against one request, one by one, over maps of strings: what the bench holds every engine against
 * before it trusts its figures. Returns both verdicts.
 */
export interface Verdicts {
  readonly decision: 'allow' | 'deny';
  readonly shadow: 'allow' | 'deny';
}

interface Value {
  readonly values: readonly string[];
  readonly trust: number;
}

interface Side {
  readonly known: Map<string, Value>;
  readonly complete: boolean;
}

type Sides = Record<PlainCondition['side'], Side>;
type Stated = string | { value: string; trust: string };

interface AnyRequest {
  readonly source?: {
    spiffeId?: string;
    mesh?: string;
    tags?: Record<string, string | string[]>;
    attributes?: Record<string, Stated>;
    complete?: boolean;
  };
  readonly destination: {
    dataplane?: string;
    namespace?: string;
    attributes?: Record<string, Stated>;
    complete?: boolean;
  };
  readonly request?: { method?: string; path?: string };
}

const ranks: Readonly<Record<string, number>> = {
  asserted: 0,
  reported: 1,
  observed: 2,
  configured: 3,
  attested: 4,
};
const siteFloor = 1;

function stated(into: Map<string, Value>, attributes: Record<string, Stated> = {}): void {
  for (const [key, one] of Object.entries(attributes)) {
    if (typeof one === 'string') into.set(key, { values: [one], trust: 4 });
    else into.set(key, { values: [one.value], trust: ranks[one.trust]! });
  }
}

function inbound(into: Map<string, Value>, dataplane: PlainDataplane): void {
  const put = (key: string, ...values: string[]): unknown => into.set(key, { values, trust: 3 });
  put('kuma:mesh', dataplane.mesh);
  put('kuma:dataplane', dataplane.name);
  put('kuma:section', dataplane.inbound.name, String(dataplane.inbound.port));
  for (const [label, value] of Object.entries(dataplane.labels)) {
    put(`kuma:label:${label}`, value);
    put(`k8s:label:${label}`, value);
  }
  const namespace = dataplane.labels['k8s.kuma.io/namespace'];
  if (namespace !== undefined) {
    put('k8s:ns', namespace);
    put('placet:namespace', namespace);
  }
  put('service:name', dataplane.inbound.tags['kuma.io/service']!);
}

function sidesOf(request: AnyRequest, dataplanes: ReadonlyMap<string, PlainDataplane>): Sides {
  const source = new Map<string, Value>();
  const { spiffeId, mesh, tags, attributes } = request.source ?? {};
  stated(source, attributes);
  if (spiffeId !== undefined) source.set('spiffe:id', { values: [spiffeId], trust: 4 });
  if (mesh !== undefined) source.set('kuma:mesh', { values: [mesh], trust: 4 });
  for (const [tag, value] of Object.entries(tags ?? {}))
    source.set(`kuma:tag:${tag}`, { values: [value].flat(), trust: 4 });

  const destination = new Map<string, Value>();
  const target = request.destination;
  if (target.dataplane !== undefined) inbound(destination, dataplanes.get(target.dataplane)!);
  else {
    stated(destination, target.attributes);
    if (target.namespace !== undefined) {
      const namespace: Value = { values: [target.namespace], trust: 4 };
      destination.set('placet:namespace', namespace);
      if (!destination.has('k8s:ns')) destination.set('k8s:ns', namespace);
    }
  }

  const parts = new Map<string, Value>();
  if (request.request?.method !== undefined)
    parts.set('request:method', { values: [request.request.method], trust: 4 });
  if (request.request?.path !== undefined)
    parts.set('request:path', { values: [request.request.path], trust: 4 });
  return {
    source: { known: source, complete: request.source?.complete ?? true },
    destination: { known: destination, complete: target.complete ?? true },
    request: { known: parts, complete: false },
  };
}

function matches(match: PlainCondition['match'], pattern: string, value: string): boolean {
  if (match === 'exact') return value === pattern;
  if (match === 'prefix') return value.startsWith(pattern);
  return value === pattern || value.startsWith(`${pattern}/`);
}

/** True, false, or undefined for unknown. */
function holds(condition: PlainCondition, sides: Sides, allow: boolean): boolean | undefined {
  const side = sides[condition.side];
  // Only sources have a mesh that completeness says nothing about.
  const complete = side.complete && !(condition.side === 'source' && condition.key === 'kuma:mesh');
  const seen = side.known.get(condition.key);
  if (seen === undefined) {
    if (!complete) return undefined;
    return condition.op === 'notIn' || condition.op === 'notExists';
  }
  if (seen.trust < (condition.floor ?? (allow ? siteFloor : 0))) return undefined;
  if (condition.op === 'exists') return true;
  if (condition.op === 'notExists') return false;
  const hit = seen.values.some((value) =>
    condition.values.some((one) => matches(condition.match, one, value)),
  );
  return condition.op === 'in' ? hit : !hit;
}

function ruleMatches(rule: PlainRule, tier: number, sides: Sides): boolean {
  const allow = tier % 2 === 1;
  for (const condition of rule.when) {
    const held = holds(condition, sides, allow);
    if (held === false || (allow && held === undefined)) return false;
  }
  return true;
}

function verdict(rules: readonly PlainRule[], world: 'tier' | 'shadow', sides: Sides): 'allow' | 'deny' {
  let lowest = 9;
  let strongest = -1;
  let listTier = 9;
  for (const rule of rules) {
    const tier = rule[world];
    if (tier === null) continue;
    if (rule.strength === undefined ? tier >= lowest : rule.strength <= strongest) continue;
    if (!ruleMatches(rule, tier, sides)) continue;
    if (rule.strength === undefined) lowest = tier;
    else {
      strongest = rule.strength;
      listTier = tier;
    }
  }
  return Math.min(lowest, listTier) % 2 === 1 && Math.min(lowest, listTier) < 9 ? 'allow' : 'deny';
}

export function reference(workload: Workload): (request: string) => Verdicts {
  const dataplanes = new Map(workload.dataplanes.map((one) => [one.name, one]));
  return (text) => {
    const sides = sidesOf(JSON.parse(text) as AnyRequest, dataplanes);
    return {
      decision: verdict(workload.rules, 'tier', sides),
      shadow: verdict(workload.rules, 'shadow', sides),
    };
  };
}
