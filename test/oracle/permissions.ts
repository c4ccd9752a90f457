import type { Pattern, Tier, WrittenEffect } from '../../src/pdp/model/rule.ts';
import { type TwinCondition, type TwinRule, tiersOf } from './rule.ts';
import type { Header, Lists, Match, Matcher, PermissionSpec, TargetRef, Texts } from './shapes.ts';

/** MeshTrafficPermission, all forms. */

const namespaceLabel = 'k8s.kuma.io/namespace';

interface Permission {
  header: Header;
  spec: PermissionSpec;
  target: TargetRef;
  display: string;
  namespace: string;
  zone: string;
  kri: string;
}

/** `nameOrders`: what the Mesh documents say, by mesh. */
export function permissionRules(headers: readonly Header[], nameOrders: Map<string, string>): TwinRule[] {
  const permissions = headers.map(permissionOf);
  permissions.sort((a, b) => byRanks(a, b) || byFormAndName(a, b, undefined));
  const weakestFirst = [...permissions];
  weakestFirst.sort((a, b) => byRanks(a, b) || byFormAndName(a, b, nameOrders.get(a.header.mesh)));
  const rules: TwinRule[] = [];
  for (const permission of permissions) {
    if (!isTagForm(permission)) rules.push(...identityRules(permission));
    else rules.push(...tagRules(permission, weakestFirst.indexOf(permission)));
  }
  return rules;
}

function isTagForm({ spec }: Permission): boolean {
  return spec.from !== undefined || spec.conf !== undefined;
}

function permissionOf(header: Header): Permission {
  const spec = header.body as PermissionSpec;
  // A synchronised copy lies in another namespace than the one it belongs to.
  const namespace = header.labels[namespaceLabel] ?? header.namespace ?? '';
  const zone = header.labels['kuma.io/zone'] ?? '';
  const display = header.labels['kuma.io/display-name'] ?? header.name;
  return {
    header,
    spec,
    target: spec.targetRef ?? {},
    display,
    namespace,
    zone,
    kri: `kri_mtp_${header.mesh}_${zone}_${namespace}_${display}_`,
  };
}

/** [TAG5] */
const otherSpellings: Readonly<Record<string, string>> = {
  Service: 'MeshService',
  ServiceSubset: 'MeshServiceSubset',
  Proxy: 'Dataplane',
  HTTPRoute: 'MeshHTTPRoute',
};

function kindOf(target: TargetRef): string {
  const kind = target.kind ?? 'Mesh';
  return otherSpellings[kind] ?? kind;
}

const widestFirst = [
  'Mesh',
  'MeshSubset',
  'MeshService',
  'MeshServiceSubset',
  'Dataplane',
  'MeshGatewayRoute',
  'MeshHTTPRoute',
];

/** [MTP8] All that goes before the name. */
function byRanks(a: Permission, b: Permission): number {
  const kind = (p: Permission) => widestFirst.indexOf(rankedKind(p));
  if (kind(a) !== kind(b)) return kind(a) - kind(b);
  const section = (p: Permission) => (p.target.sectionName === undefined ? 0 : 1);
  if (section(a) !== section(b)) return section(a) - section(b);
  const origin = (p: Permission) => {
    if (p.header.labels['kuma.io/origin'] === 'global') return 0;
    if (p.header.labels['kuma.io/origin'] === 'zone') return 2;
    return 1;
  };
  if (origin(a) !== origin(b)) return origin(a) - origin(b);
  const role = (p: Permission) => (ofSystem(p) ? 0 : 1);
  return role(a) - role(b);
}

/** In a namespace all that is meant by tags is meant by the tag of the namespace too. */
function rankedKind(permission: Permission): string {
  const kind = kindOf(permission.target);
  if (ofSystem(permission)) return sayingOnlyItsZone(permission) ? (wider[kind] ?? kind) : kind;
  if (kind === 'Mesh') return 'MeshSubset';
  return kind === 'MeshService' ? 'MeshServiceSubset' : kind;
}

/** [NS6] What a system policy of a zone is for without saying so. */
function sayingOnlyItsZone({ target, zone, header }: Permission): boolean {
  if (zone === '' || header.labels['kuma.io/origin'] === 'global') return false;
  return Object.entries(target.tags ?? {}).every(([tag, value]) => tag === 'kuma.io/zone' && value === zone);
}

const wider: Readonly<Record<string, string>> = { MeshSubset: 'Mesh', MeshServiceSubset: 'MeshService' };

function byName(a: Permission, b: Permission, ascending: boolean): number {
  if (a.display !== b.display) return a.display > b.display === ascending ? 1 : -1;
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  if (a.zone !== b.zone) return a.zone < b.zone ? -1 : 1;
  if (a.kri !== b.kri) return a.kri < b.kri ? -1 : 1;
  return 0;
}

/** [TAG4] */
function byFormAndName(a: Permission, b: Permission, nameOrder: string | undefined): number {
  const form = (p: Permission) => (p.spec.conf === undefined ? 1 : 0);
  if (form(a) !== form(b)) return form(a) - form(b);
  const largerWins = nameOrder === undefined ? form(a) === 0 : nameOrder === 'larger-wins';
  return byName(a, b, largerWins);
}

function ofSystem(permission: Permission): boolean {
  return permission.namespace === '' || permission.namespace === 'kuma-system';
}

/** [DST1] [MTP2] [MTP7] [TAG5] What a dataplane's inbound must be like for this policy to select it. */
function selection(permission: Permission): TwinCondition[] {
  const { target } = permission;
  const conditions = [destination('kuma:mesh', permission.header.mesh)];
  const kind = kindOf(target);
  if (kind === 'Dataplane') {
    for (const [label, value] of Object.entries(target.labels ?? {}))
      conditions.push(destination(`kuma:label:${label}`, value));
    if (target.name !== undefined) conditions.push(destination('kuma:dataplane', target.name));
    if (target.namespace !== undefined && ofSystem(permission))
      conditions.push(destination(`kuma:label:${namespaceLabel}`, target.namespace));
    if (target.sectionName !== undefined)
      conditions.push(destination('kuma:section', String(target.sectionName)));
  }
  if ((kind === 'Mesh' || kind === 'MeshSubset') && (target.proxyTypes ?? []).length > 0)
    conditions.push({
      ...destination('kuma:proxy-type', ''),
      values: target.proxyTypes!.map((value) => ({ match: 'exact', value })),
    });
  if (kind === 'MeshService' || kind === 'MeshServiceSubset')
    conditions.push(destination('kuma:tag:kuma.io/service', target.name ?? ''));
  if (kind === 'MeshSubset' || kind === 'MeshServiceSubset')
    conditions.push(...tagConditions('destination', target.tags ?? {}));
  if (kind === 'MeshGatewayRoute' || kind === 'MeshHTTPRoute')
    conditions.push(destination('kuma:route', routeName(permission, kind)));
  // [NS3] In its most explicit form a Dataplane has labels, all else has tags.
  const by = kind === 'Dataplane' ? 'kuma:label' : 'kuma:tag';
  if (!ofSystem(permission)) conditions.push(destination(`${by}:${namespaceLabel}`, permission.namespace));
  const isGlobal = ofSystem(permission) && permission.header.labels['kuma.io/origin'] === 'global';
  if (permission.zone !== '' && !isGlobal)
    conditions.push(destination(`${by}:kuma.io/zone`, permission.zone));
  return conditions;
}

/** [DST8] With its namespace, unless that is any. */
function routeName(permission: Permission, kind: string): string {
  const { target, namespace } = permission;
  const own = kind === 'MeshHTTPRoute' && !ofSystem(permission) ? namespace : undefined;
  const place = target.namespace ?? own;
  const isMeant = place !== undefined && (ofSystem(permission) || place === namespace);
  return isMeant ? `${place}/${target.name}` : (target.name ?? '');
}

function destination(key: string, value: string): TwinCondition {
  return { side: 'destination', key, op: 'in', values: [{ match: 'exact', value }], floor: undefined };
}

/** [MTP3] [MTP9] */
function identityRules(permission: Permission): TwinRule[] {
  const rules: TwinRule[] = [];
  const all: Lists[] = [];
  if (permission.spec.default !== undefined) all.push(permission.spec.default);
  for (const rule of permission.spec.rules ?? []) all.push(rule.default);
  const counts = { deny: 0, allowWithShadowDeny: 0, allow: 0 };
  for (const lists of all) {
    for (const effect of ['deny', 'allowWithShadowDeny', 'allow'] as const) {
      (lists[effect] ?? []).forEach((matcher) => {
        const tiers = tiersOf(effect, 3, 2);
        rules.push({
          kind: 'MeshTrafficPermission',
          by: { policy: permission.display, kri: permission.kri, effect, index: counts[effect]++ },
          enforced: onlyShadow(permission.header) ? null : tiers.enforced,
          shadow: tiers.shadow,
          conditions: [...selection(permission), ...matcherConditions(matcher)],
          list: undefined,
        });
      });
    }
  }
  return rules;
}

/** [SHD2] */
export function onlyShadow(header: Header): boolean {
  return header.labels['kuma.io/effect'] === 'shadow';
}

/** [MTP4] [MTP5] [MTP6] */
function matcherConditions(matcher: Matcher): TwinCondition[] {
  const conditions: TwinCondition[] = [];
  const id = matcher.spiffeId ?? matcher.spiffeID;
  if (id !== undefined) conditions.push(condition('source', 'spiffe:id', patternOf(id)));
  if (matcher.path !== undefined)
    conditions.push(condition('request', 'request:path', patternOf(matcher.path)));
  if (matcher.method !== undefined)
    conditions.push(condition('request', 'request:method', { match: 'exact', value: matcher.method }));
  if (matcher.sni !== undefined) {
    const value = matcher.sni.value.toLowerCase();
    conditions.push(condition('request', 'request:sni', { match: 'exact', value }));
  }
  for (const [label, value] of Object.entries(matcher.dataplaneLabels ?? {}))
    conditions.push(condition('source', `k8s:label:${label}`, { match: 'exact', value }));
  return conditions;
}

function condition(side: 'source' | 'request', key: string, pattern: Pattern): TwinCondition {
  return { side, key, op: 'in', values: [pattern], floor: undefined };
}

/** [OP1] */
function patternOf(match: Match): Pattern {
  if (match.type === 'Exact') return { match: 'exact', value: match.value };
  if (match.type === 'Prefix') return { match: 'prefix', value: match.value };
  return under(match.value);
}

export function under(written: string): Pattern {
  const value = written.endsWith('/') ? written.slice(0, -1) : written;
  return { match: 'under', value };
}

/** [TAG1] [TAG2] [TAG3] */
function tagRules(permission: Permission, place: number): TwinRule[] {
  const { conf, from = [] } = permission.spec;
  const items = conf?.from ?? from.map((item) => ({ ...item, action: item.default.action }));
  return items.map((item, index) => {
    const effect = actionOf(item.action);
    const targetRef = item.targetRef ?? {};
    const catchAll =
      (targetRef.kind ?? 'Mesh') === 'Mesh' ||
      (targetRef.kind === 'MeshSubset' && Object.keys(targetRef.tags ?? {}).length === 0);
    const denyTier: Tier = catchAll ? 4 : 2;
    const tiers = tiersOf(effect, 3, denyTier);
    return {
      kind: 'MeshTrafficPermission',
      by: { policy: permission.display, kri: permission.kri, effect, index },
      enforced: onlyShadow(permission.header) ? null : tiers.enforced,
      shadow: tiers.shadow,
      conditions: [...selection(permission), ...clientConditions(targetRef, permission.header.mesh)],
      list: {
        id: `tags of ${permission.header.mesh}`,
        policy: place,
        item: conf === undefined ? index : -index,
      },
    };
  });
}

/** `ALLOW_WITH_SHADOW_DENY`, `AllowWithShadowDeny`, … */
function actionOf(written: string): WrittenEffect {
  const letters = written.replaceAll(/[_-]/g, '').toLowerCase();
  if (letters === 'allow') return 'allow';
  if (letters === 'deny') return 'deny';
  if (letters === 'allowwithshadowdeny') return 'allowWithShadowDeny';
  if (letters === 'denywithshadowallow') return 'denyWithShadowAllow';
  throw new Error(`no action: ${written}`);
}

function clientConditions(targetRef: TargetRef, mesh: string): TwinCondition[] {
  const conditions = [condition('source', 'kuma:mesh', { match: 'exact', value: targetRef.mesh ?? mesh })];
  const kind = kindOf(targetRef);
  if (kind === 'MeshService' || kind === 'MeshServiceSubset') {
    const value = targetRef.name ?? '';
    conditions.push(condition('source', 'kuma:tag:kuma.io/service', { match: 'exact', value }));
  }
  return [...conditions, ...tagConditions('source', targetRef.tags ?? {})];
}

/** [TAG1] `"!v"` is any value but v. */
function tagConditions(side: 'source' | 'destination', tags: Texts): TwinCondition[] {
  return Object.entries(tags).map(([tag, written]) => {
    const negated = written.startsWith('!');
    const value = negated ? written.slice(1) : written;
    return {
      side,
      key: `kuma:tag:${tag}`,
      op: negated ? 'notIn' : 'in',
      values: [{ match: 'exact', value }],
      floor: undefined,
    };
  });
}
