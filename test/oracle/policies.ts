import { access } from './access-policies.ts';
import type { Random } from './random.ts';
import type { FromItem, Lists, Match, Matcher, PermissionSpec, Shape, TargetRef } from './shapes.ts';
import * as universe from './universe.ts';

/** Policies of every kind, in every form, over the small universe. */

export interface Taste {
  /** Shares of the three families, to be compared with each other. */
  identity: number;
  tags: number;
  access: number;
}

/** Documents that come to about `rules` rules. */
export function policies(random: Random, rules: number, taste: Taste): Shape[] {
  const shapes: Shape[] = [];
  const total = taste.identity + taste.tags + taste.access;
  let left = rules;
  for (let i = 0; left > 0; i++) {
    const drawn = random.next() * total;
    let shape: Shape;
    if (drawn < taste.identity) shape = permission(random, i, identitySpec(random));
    else if (drawn < taste.identity + taste.tags) shape = permission(random, i, tagSpec(random));
    else shape = access(random, i);
    left -= Math.max(1, count(shape.spec));
    shapes.push(shape);
  }
  return shapes;
}

function count(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + count(one), 0);
  if (typeof value !== 'object' || value === null) return 0;
  if ('workloadSelector' in value || 'action' in value || 'method' in value || 'spiffeId' in value) return 1;
  return Object.values(value).reduce<number>((sum, one) => sum + count(one), 0);
}

function permission(random: Random, index: number, spec: PermissionSpec): Shape {
  const labels: Record<string, string> = { 'placet.dev/tcp': 'deny' };
  if (random.chance(0.2)) labels['kuma.io/origin'] = random.pick(['global', 'zone']);
  if (random.chance(0.15)) labels['kuma.io/zone'] = random.pick(['zone-1', 'zone-2']);
  if (random.chance(0.1)) labels['kuma.io/effect'] = 'shadow';
  const name = `${random.pick(['a', 'b', 'b-a', 'z', 'm'])}-${index}`;
  if (random.chance(0.15)) labels['kuma.io/display-name'] = `${random.pick(['a', 'k', 'zz'])}-${index}`;
  const mesh = random.pick(['default', 'default', 'default', 'default', 'default', 'other']);
  const target = targetRef(random);
  if (target !== undefined) spec.targetRef = target;
  const namespace = random.pick([undefined, undefined, undefined, 'kuma-system', 'shop', 'obs', 'ob']);
  // A policy in a namespace selects by name there only.
  const bound = namespace !== undefined && namespace !== 'kuma-system';
  if (bound && target?.namespace !== undefined) target.namespace = namespace;
  if (bound && target?.tags?.['kuma.io/zone'] !== undefined && labels['kuma.io/zone'] !== undefined)
    target.tags = { ...target.tags, 'kuma.io/zone': labels['kuma.io/zone'] };
  if (random.chance(0.3)) {
    if (mesh !== 'default' || random.chance(0.5)) labels['kuma.io/mesh'] = mesh;
    // A synchronised copy lies in the system's namespace and says where it belongs.
    if (bound && random.chance(0.3)) labels['k8s.kuma.io/namespace'] = namespace;
    const own = labels['k8s.kuma.io/namespace'] === undefined ? (namespace ?? 'kuma-system') : 'kuma-system';
    if (bound && target?.namespace !== undefined) target.namespace = own;
    // [NS7] Only on zones is there another namespace than the system's.
    if (own !== 'kuma-system' && labels['kuma.io/origin'] === 'global') labels['kuma.io/origin'] = 'zone';
    const metadata = { name, namespace: own, labels };
    return { apiVersion: 'kuma.io/v1alpha1', kind: 'MeshTrafficPermission', metadata, spec };
  }
  if (namespace !== undefined) labels['k8s.kuma.io/namespace'] = namespace;
  const head = mesh !== 'default' || random.chance(0.7) ? { mesh } : {};
  return { type: 'MeshTrafficPermission', ...head, name, labels, spec };
}

function targetRef(random: Random): TargetRef | undefined {
  const drawn = random.next();
  if (drawn < 0.35) return undefined;
  if (drawn < 0.45) return {};
  if (drawn < 0.65) return { kind: 'Mesh', ...proxyTypes(random) };
  if (drawn < 0.8) return byTags(random);
  if (drawn < 0.86) {
    const namespace = random.chance(0.3) ? { namespace: random.pick(['shop', 'obs']) } : {};
    const name = random.pick(universe.routes);
    if (random.chance(0.4)) return { kind: 'MeshGatewayRoute', name };
    return { kind: random.pick(['MeshHTTPRoute', 'HTTPRoute']), name, ...namespace };
  }
  const target: TargetRef = { kind: random.pick(['Dataplane', 'Dataplane', 'Proxy']) };
  const how = random.next();
  if (how < 0.5)
    target.labels = random.chance(0.7) ? { app: random.pick(['web', 'db']) } : { tier: 'db', app: 'web' };
  else if (how < 0.8) {
    target.name = `plane-${random.below(4)}`;
    if (random.chance(0.2)) target.namespace = random.pick(universe.namespaces);
  }
  if (random.chance(0.35)) {
    const section = random.pick(universe.sections);
    target.sectionName = /^\d+$/.test(section) && random.chance(0.3) ? Number(section) : section;
  }
  return target;
}

function byTags(random: Random): TargetRef {
  const kind = random.pick(['MeshSubset', 'MeshService', 'MeshServiceSubset', 'Service', 'ServiceSubset']);
  const target: TargetRef = { kind };
  if (kind.includes('Service')) target.name = random.pick(universe.services);
  if (!kind.endsWith('Subset')) return target;
  const tags: Record<string, string> = {};
  for (const tag of random.some(Object.keys(universe.inboundTags), 0, 2)) {
    const value = random.pick(universe.inboundTags[tag]!);
    tags[tag] = random.chance(0.45) ? `!${value}` : value;
  }
  return { ...target, tags, ...(kind === 'MeshSubset' ? proxyTypes(random) : {}) };
}

function proxyTypes(random: Random): { proxyTypes?: string[] } {
  if (random.chance(0.8)) return {};
  return { proxyTypes: random.some(['Sidecar', 'Gateway'], 0, 2) };
}

function identitySpec(random: Random): PermissionSpec {
  if (random.chance(0.6)) return { default: lists(random) };
  return { rules: Array.from({ length: random.between(1, 3) }, () => ({ default: lists(random) })) };
}

function lists(random: Random): Lists {
  const made: Lists = {};
  if (random.chance(0.2)) made.deny = matchers(random, 1, 2, 0.8);
  if (random.chance(0.25)) made.allowWithShadowDeny = matchers(random, 1, 2, 0.4);
  if (random.chance(0.85)) made.allow = matchers(random, 1, 5, 0.25);
  if (random.chance(0.5))
    made.allow = [...(made.allow ?? []), { spiffeId: { type: 'Prefix', value: random.pick(broad) } }];
  return made;
}

const broad = ['spiffe://td', 'spiffe://td.example/', 'spiffe://td.example/ns/o', 'spiffe://t'];

function matchers(random: Random, least: number, most: number, exact: number): Matcher[] {
  return Array.from({ length: random.between(least, most) }, () => matcher(random, exact));
}

function matcher(random: Random, exact: number): Matcher {
  const made: Matcher = {};
  const withId = random.chance(0.88);
  if (withId) {
    if (random.chance(0.5)) made.spiffeId = idMatch(random, exact);
    else made.spiffeID = idMatch(random, exact);
  }
  // The narrower the identity, the likelier a part of the request beside it: what fails there falls back.
  const narrow = ((made.spiffeId ?? made.spiffeID)?.value.length ?? 0) > 24;
  if (random.chance(narrow ? 0.75 : 0.15)) made.path = pathMatch(random);
  if (random.chance(narrow ? 0.3 : 0.1)) made.method = random.pick(universe.methods.slice(0, 3));
  if (random.chance(0.06)) {
    const value = random.pick(universe.snis);
    made.sni = { type: 'Exact', value: random.chance(0.5) ? value : value.toUpperCase() };
  }
  if (random.chance(0.07)) {
    made.dataplaneLabels = random.chance(0.6)
      ? { app: random.pick(['web', 'db']) }
      : { role: random.pick(['reader', 'writer']), app: 'web' };
  }
  if (Object.keys(made).length === 0) made.method = 'GET';
  return made;
}

function idMatch(random: Random, exact: number): Match {
  if (random.chance(exact)) return { type: 'Exact', value: random.pick(universe.spiffeIds) };
  if (random.chance(0.65)) return { type: 'Prefix', value: random.pick(universe.spiffePrefixes) };
  return { type: 'PathPrefix', value: random.pick(universe.spiffeUnder) };
}

function pathMatch(random: Random): Match {
  return { type: random.pick(['Exact', 'Prefix', 'PathPrefix']), value: random.pick(universe.policyPaths) };
}

const actions = {
  allow: ['Allow', 'ALLOW', 'allow'],
  deny: ['Deny', 'DENY', 'deny'],
  shadowDeny: ['AllowWithShadowDeny', 'ALLOW_WITH_SHADOW_DENY', 'allowWithShadowDeny'],
  shadowAllow: ['DenyWithShadowAllow', 'DENY_WITH_SHADOW_ALLOW', 'denyWithShadowAllow'],
} as const;

function tagSpec(random: Random): PermissionSpec {
  const from = Array.from({ length: random.between(1, 6) }, (): FromItem => {
    const target = clients(random);
    const general = target === undefined || Object.keys(target).length <= 1;
    const effect = random.pick(
      general
        ? (['deny', 'deny', 'shadowAllow', 'allow'] as const)
        : (['allow', 'allow', 'allow', 'deny', 'shadowDeny', 'shadowAllow'] as const),
    );
    const item: FromItem = { default: { action: random.pick(actions[effect]) } };
    if (target !== undefined) item.targetRef = target;
    return item;
  });
  if (random.chance(0.7)) return { from };
  const first = from.map(({ default: { action }, ...rest }) => ({ ...rest, action }));
  return { conf: { from: first.reverse() } };
}

function clients(random: Random): TargetRef | undefined {
  if (random.chance(0.05)) return undefined;
  const target: TargetRef = {
    kind: random.pick([
      'Mesh',
      'MeshSubset',
      'MeshSubset',
      'MeshService',
      'MeshServiceSubset',
      'Service',
      'ServiceSubset',
    ]),
  };
  if (target.kind?.includes('Service')) target.name = random.pick(universe.tags['kuma.io/service']!);
  if (target.kind?.endsWith('Subset') && random.chance(0.9)) {
    const tags: Record<string, string> = {};
    for (const tag of random.some(Object.keys(universe.tags), target.name === undefined ? 0 : 1, 2)) {
      const value = random.pick(universe.tags[tag]!);
      tags[tag] = random.chance(0.3) ? `!${value}` : value;
    }
    target.tags = tags;
  }
  if (random.chance(0.1)) target.mesh = random.pick(universe.meshes);
  return target;
}
