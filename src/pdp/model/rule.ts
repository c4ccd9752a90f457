import type { Trust } from './trust.ts';
import type { Path } from './violation.ts';

/**
 * The one rule form. Every policy kind lowers to it; decide, explain, lint and every exporter read only it.
 */

/** Lowest tier with a match decides. Even tiers deny, odd ones allow. */
export type Tier = 0 | 1 | 2 | 3 | 4;
export type Effect = 'allow' | 'deny';
export function effectOf(tier: Tier): Effect {
  return (tier & 1) === 1 ? 'allow' : 'deny';
}

/** The effect as a policy writes it, in one spelling. */
export type WrittenEffect = Effect | 'allowWithShadowDeny' | 'denyWithShadowAllow';

/**
 * `exact`: the value itself. `prefix`: plain string prefix, as in Envoy.
 * `under`: the value itself and everything below it by whole `/` segments; the value has no trailing `/`.
 */
export interface Pattern {
  readonly match: 'exact' | 'prefix' | 'under';
  readonly value: string;
}

export type Side = 'source' | 'destination' | 'request';
export type Operator = 'in' | 'notIn' | 'exists' | 'notExists';

export interface Condition {
  readonly side: Side;
  readonly key: string;
  readonly op: Operator;
  /** For `in` (one is enough) and `notIn` (none may); empty for the others. */
  readonly values: readonly Pattern[];
  /** The least trust a value must have; below it the condition is unknown. Not given: the site's floor for an allow, none for a deny. */
  readonly floor?: Trust;
}

/** An item of an ordered list: of the matching items of one list only the one with the greatest strength counts. */
export interface ListItem {
  readonly id: string;
  readonly strength: number;
}

export interface Origin {
  /** The policy's name as its owner knows it. */
  readonly policy: string;
  /** The KRI, or `<kind>/<namespace>/<name>` for kinds that have none. */
  readonly kri: string;
  readonly kind: string;
  readonly effect: WrittenEffect;
  /** Position in the list of the policy that the rule comes from. */
  readonly index: number;
  /** Which document (index into what was opened) and where in it. */
  readonly document: number;
  readonly path: Path;
}

export interface Rule {
  /** Unique in a snapshot: the KRI, the list it stands in and the position there. */
  readonly id: string;
  /** The tier it decides in; null if it is never enforced (a policy labelled `kuma.io/effect: shadow`). */
  readonly tier: Tier | null;
  /** The tier it decides in when every shadow effect is in force. */
  readonly shadow: Tier;
  /** All must hold. */
  readonly when: readonly Condition[];
  readonly list?: ListItem;
  readonly origin: Origin;
}

/**
 * Whether it governs inbounds and nothing else, whatever destinations say of themselves; of others the allows do not count
 * at every inbound (SPEC DST1, DST2). All that a kind of policies means beside its conditions.
 */
export function isForInbounds({ origin }: Rule): boolean {
  return origin.kind === 'MeshTrafficPermission';
}

/** Keys that Placet gives itself say where something is, not what somebody claims: no floor applies to them. */
export function isOwnKey(key: string): boolean {
  return key.startsWith('kuma:') || key.startsWith('placet:');
}

/** How keys begin that Placet itself gives to clients, destinations and requests; all others are attributes. */
export const ownScopes = ['kuma:', 'placet:', 'request:'] as const;

/** Keys that the code knows by name, and what such begin with (up to a `:`). */
export const keys = {
  method: 'request:method',
  path: 'request:path',
  sni: 'request:sni',
  spiffeId: 'spiffe:id',
  trustDomain: 'spiffe:trust-domain',
  /** Source: the client's mesh. Destination: the inbound's mesh; services have none. */
  mesh: 'kuma:mesh',
  dataplane: 'kuma:dataplane',
  /** An inbound's name and its port, both. */
  section: 'kuma:section',
  /** Of a dataplane: `Sidecar` or `Gateway`. */
  proxyType: 'kuma:proxy-type',
  /** The route of an inbound that a request takes. */
  route: 'kuma:route',
  /** `kuma:label:<k>`: labels of the dataplane. `kuma:tag:<k>`: tags of a client, of an inbound. */
  dataplaneLabel: 'kuma:label:',
  tag: 'kuma:tag:',
  /** The namespace that a destination is bound to policies by. */
  namespace: 'placet:namespace',
  k8sNamespace: 'k8s:ns',
  k8sServiceAccount: 'k8s:sa',
  k8sPod: 'k8s:pod',
  k8sOwner: 'k8s:owner',
  k8sLabel: 'k8s:label:',
  serviceName: 'service:name',
  siteName: 'site:name',
  fabric: 'cl:fabric',
} as const;

/** Whether a condition is of layer 7, which a connection does not show. */
export function isLayer7({ side, key }: Condition): boolean {
  return side === 'request' && (key === keys.method || key === keys.path);
}

/** The tag that names the service of an inbound, and of a client. */
export const serviceTag = 'kuma.io/service';
