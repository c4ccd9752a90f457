import type { Dataplane, Inbound } from '../../pdp/model/inventory.ts';
import { serviceTag } from '../../pdp/model/rule.ts';
import { kriOf } from '../kinds/head.ts';
import type { Confs, OutboundConf, World } from '../merge/confs.ts';
import { inboundKri, type Layout, layoutOf } from './layout.ts';
import {
  type InboundPolicies,
  inboundPolicies,
  outboundPolicies,
  type ProxyPolicies,
  proxyPolicies,
} from './policies.ts';

/** One proxy with everything the API tells of it. */
export interface Inspected {
  readonly layout: Layout;
  /** Of the proxy itself. */
  readonly policies: ProxyPolicies['policies'];
  readonly inbounds: readonly ({ readonly kri: string } & InboundPolicies)[];
  readonly outbounds: readonly InspectedOutbound[];
}

export type InspectedOutbound = { readonly name: string; readonly kri?: string } & ProxyPolicies;

/** One proxy, whose parts are told as they are asked for. */
export interface ProxyView {
  readonly layout: Layout;
  policies(): ProxyPolicies;
  inbound(inbound: Inbound): InboundPolicies;
  /** `wanted` is told the name that the layout has for each, too. */
  outbounds(wanted: (one: OutboundConf, name: string) => boolean): readonly InspectedOutbound[];
  all(): Inspected;
}

/** `confs` are those of the world. */
export function viewProxy(world: World, all: Confs, dataplane: Dataplane): ProxyView {
  const confs = all.of(dataplane);
  const layout = layoutOf(dataplane, all.outboundsOf(dataplane));
  const view: ProxyView = {
    layout,
    policies: () => proxyPolicies(confs),
    inbound: (inbound) => inboundPolicies(world, dataplane, inbound, confs),
    outbounds: (wanted) =>
      (confs[0]?.outbounds ?? []).flatMap((one, at) => {
        const { kri, proxyResourceName: name } = layout.outbounds[at]!;
        if (!wanted(one, name)) return [];
        const found = outboundPolicies(confs, (kind) => kind.outbounds[at]?.merged);
        return [{ name, ...(kri === undefined ? {} : { kri }), ...found }];
      }),
    all: () => ({
      layout,
      ...view.policies(),
      inbounds: dataplane.inbounds.map((inbound) => ({
        kri: inboundKri(dataplane, inbound),
        ...view.inbound(inbound),
      })),
      outbounds: view.outbounds(() => true),
    }),
  };
  return view;
}

/** What an outbound may be called: the service's name or tag, its identifier, the port that the workload calls. */
export function outboundNames({ outbound: { destination, port } }: OutboundConf): readonly string[] {
  return [
    ...(destination.name === undefined ? [] : [destination.name]),
    ...(destination.tags.get(serviceTag) ?? []),
    ...destination.resources.map(({ head }) => kriOf(head)),
    ...(port === undefined ? [] : [String(port)]),
  ];
}
