import { serviceTag } from '../../pdp/model/rule.ts';
import type { Path, Place } from '../../pdp/model/violation.ts';
import { displayName, type Head, kriOf, ownNamespace } from '../../policy/kinds/head.ts';
import type { Clients } from '../../policy/merge/clients.ts';
import type { KindConf, OutboundConf } from '../../policy/merge/confs.ts';
import type { Origin } from '../../policy/merge/entries.ts';
import type { InboundConf } from '../../policy/merge/inbounds.ts';
import type { Merged } from '../../policy/merge/layers.ts';
import type { Resource } from '../../policy/targets/resources.ts';

/** The shape of `placet conf --json`: every field is always there. */

export type PlaceOf = (document: number, path: Path) => Place | undefined;

export function kindToJson(conf: KindConf, placeOf: PlaceOf) {
  const merged = (one: Merged<Origin> | undefined) => mergedToJson(one, placeOf);
  const inbound = (one: InboundConf | undefined) => inboundToJson(one, placeOf);
  return {
    kind: conf.kind,
    policies: conf.policies.map(({ head }) => policyToJson(head, placeOf)),
    proxy: merged(conf.own),
    outbounds: conf.outbounds.map((one) => ({
      ...outboundToJson(one),
      ...merged(one.merged),
      routes: one.routes.map((route) => ({ ...resourceToJson(route.route), ...merged(route.merged) })),
    })),
    inbounds: conf.inbounds.map((one) => ({
      name: one.inbound.name ?? null,
      port: one.inbound.port,
      ...inbound(one.conf),
      routes: one.routes.map((route) => ({ ...resourceToJson(route.route), ...inbound(route.conf) })),
    })),
  };
}

function policyToJson(head: Head, placeOf: PlaceOf) {
  return {
    kri: kriOf(head),
    name: displayName(head),
    namespace: ownNamespace(head) || null,
    place: placeOf(head.document, head.root) ?? null,
  };
}

function outboundToJson({ outbound: { destination, address, port } }: OutboundConf) {
  return {
    service: destination.name ?? null,
    namespace: destination.namespace ?? null,
    tag: destination.tags.get(serviceTag)?.[0] ?? null,
    servicePort: destination.port ?? null,
    address: address ?? null,
    port: port ?? null,
    resources: destination.resources.map(({ head }) => kriOf(head)),
  };
}

function resourceToJson({ kind, head }: Resource) {
  return { kind, kri: kriOf(head), name: displayName(head) };
}

function mergedToJson(merged: Merged<Origin> | undefined, placeOf: PlaceOf) {
  return { conf: merged?.conf ?? null, origins: (merged?.origins ?? []).map(toOrigin) };

  function toOrigin({ field, said, origin }: Merged<Origin>['origins'][number]) {
    return {
      field,
      kri: origin.kri,
      policy: origin.policy,
      item: origin.path,
      place: placeOf(origin.document, [...origin.confPath, ...said]) ?? null,
    };
  }
}

function inboundToJson(conf: InboundConf | undefined, placeOf: PlaceOf) {
  const merged = (one: Merged<Origin>) => mergedToJson(one, placeOf);
  const rules = conf?.as === 'rules' ? conf.rules : [];
  const items = conf?.as === 'items' ? conf.items : [];
  return {
    /** The first whose clients are met holds. */
    rules: rules.map((rule) => ({ clients: clientsToJson(rule.clients), ...merged(rule) })),
    /** Instead of rules, where clients overlap in too many ways: the strongest first. */
    items: items.map(({ clients, conf, origin }) => ({
      clients: clientsToJson(clients),
      conf,
      kri: origin.kri,
      policy: origin.policy,
      item: origin.path,
      place: placeOf(origin.document, origin.path) ?? null,
    })),
  };
}

function clientsToJson({ mesh, is, not }: Clients) {
  return { mesh, tags: Object.fromEntries(is), not: Object.fromEntries(not) };
}
