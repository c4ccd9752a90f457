import { isFields } from '../../pdp/model/fields.ts';
import type { Dataplane, Inbound } from '../../pdp/model/inventory.ts';
import { kriOf } from '../kinds/head.ts';
import { isShadowOnly } from '../lower/policy.ts';
import type { Clients } from '../merge/clients.ts';
import type { InboundEntry, KindConf, World } from '../merge/confs.ts';
import type { Origin } from '../merge/entries.ts';
import type { Merged } from '../merge/layers.ts';
import { permissionConcat, permissionLists } from '../merge/permission-lists.ts';
import { explicitTop } from '../targets/explicit.ts';
import { byStrength } from '../targets/order.ts';
import { selectsInbound } from '../targets/select.ts';

/** Which policies say what of a proxy, in the shapes in which Kuma's API says it (`_policies`). */

export interface Kri {
  readonly kri: string;
}

export interface ProxyPolicies {
  readonly policies: readonly {
    readonly kind: string;
    readonly conf: unknown;
    readonly origins: readonly Kri[];
  }[];
}

/** Clients of a mesh that have some values of tags, and not others. */
export interface Match {
  readonly mesh: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly except: Readonly<Record<string, readonly string[]>>;
}

export interface Rule {
  /** Whose requests; not given: everybody's. */
  readonly matches?: readonly Match[];
  readonly conf: unknown;
  /** Of the strongest policy with a say in it. */
  readonly kri: string;
}

export interface InboundPolicies {
  readonly policies: readonly {
    readonly kind: string;
    readonly rules: readonly Rule[];
    readonly origins: readonly Kri[];
  }[];
}

/** Of kinds that configure the proxy itself. */
export function proxyPolicies(confs: readonly KindConf[]): ProxyPolicies {
  return { policies: confs.flatMap(({ kind, own }) => (own === undefined ? [] : [mergedPolicy(kind, own)])) };
}

/** Of one outbound, or of one route of it. */
export function outboundPolicies(
  confs: readonly KindConf[],
  at: (one: KindConf) => Merged<Origin> | undefined,
): ProxyPolicies {
  return {
    policies: confs.flatMap((one) => {
      const merged = at(one);
      return merged === undefined ? [] : [mergedPolicy(one.kind, merged)];
    }),
  };
}

function mergedPolicy(kind: string, { conf, origins }: Merged<Origin>): ProxyPolicies['policies'][number] {
  return { kind, conf, origins: distinct(origins.map(({ origin }) => origin.kri)) };
}

/**
 * Of one inbound. Permissions in the SPIFFE form are not merged: each of their lists is a rule with the policy that
 * says it, in the order in which they are attributed (SPEC MTP8). Of other kinds the first rule that a client
 * matches holds.
 */
export function inboundPolicies(
  world: World,
  dataplane: Dataplane,
  inbound: Inbound,
  confs: readonly KindConf[],
): InboundPolicies {
  const policies: InboundPolicies['policies'][number][] = [];
  const permissions = permissionRules(world, dataplane, inbound);
  for (const { kind, inbounds } of confs) {
    const entry = inbounds.find((one) => one.inbound === inbound);
    const own = kind === 'MeshTrafficPermission' ? permissions : [];
    const rules = [...own, ...clientRules(entry, kind)];
    const origins = distinct([...rules.map(({ kri }) => kri), ...originsOf(entry, kind)]);
    if (rules.length > 0) policies.push({ kind, rules, origins });
  }
  return { policies };
}

function permissionRules(world: World, dataplane: Dataplane, inbound: Inbound): readonly Rule[] {
  const { targeted, shadow } = world;
  return (
    targeted
      .filter(({ head }) => head.kind === 'MeshTrafficPermission' && (shadow === true || !isShadowOnly(head)))
      .filter((policy) => {
        const top = explicitTop(policy);
        // What is said of a route alone is not said of the inbound.
        if (top.kind.endsWith('Route')) return false;
        return selectsInbound(top, policy.head.mesh, dataplane, inbound, world.resources);
      })
      // What the Mesh says of names has no say in how they are attributed.
      .toSorted(byStrength(() => undefined))
      .flatMap((policy) => permissionLists(policy).map(({ conf }) => ({ conf, kri: kriOf(policy.head) })))
  );
}

/** What is said of clients by their tags. */
function clientRules(entry: InboundEntry | undefined, kind: string): readonly Rule[] {
  const conf = entry?.conf;
  if (conf === undefined) return [];
  if (conf.as === 'items')
    return conf.items
      .filter((one) => saysAction(kind, one.conf))
      .map((one) => ({ matches: [matchOf(one.clients)], conf: one.conf, kri: one.origin.kri }));
  return conf.rules
    .filter((one) => saysAction(kind, one.conf))
    .map((one) => ({
      matches: [matchOf(one.clients)],
      conf: withoutLists(kind, one.conf),
      kri: one.origins.find(({ field }) => !isList(kind, field[0]))?.origin.kri ?? '',
    }));
}

function originsOf(entry: InboundEntry | undefined, kind: string): readonly string[] {
  const conf = entry?.conf;
  if (conf?.as !== 'rules') return [];
  return conf.rules
    .flatMap(({ origins }) => origins)
    .filter(({ field }) => !isList(kind, field[0]))
    .map(({ origin }) => origin.kri);
}

/** A permission in the SPIFFE form has no action; what its lists say of all clients is not merged. */
function saysAction(kind: string, conf: unknown): boolean {
  return kind !== 'MeshTrafficPermission' || !isFields(conf) || Object.hasOwn(conf, 'action');
}

function withoutLists(kind: string, conf: unknown): unknown {
  if (!isFields(conf)) return conf;
  return Object.fromEntries(Object.entries(conf).filter(([field]) => !isList(kind, field)));
}

function isList(kind: string, field: string | number | undefined): boolean {
  return kind === 'MeshTrafficPermission' && permissionConcat.some((list) => list === field);
}

function matchOf({ mesh, is, not }: Clients): Match {
  return { mesh, tags: Object.fromEntries(is), except: Object.fromEntries(not) };
}

function distinct(kris: readonly string[]): readonly Kri[] {
  return [...new Set(kris)].map((kri) => ({ kri }));
}
