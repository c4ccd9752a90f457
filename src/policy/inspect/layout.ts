import { type Dataplane, type Inbound, ownNameOf } from '../../pdp/model/inventory.ts';
import { serviceTag } from '../../pdp/model/rule.ts';
import { kriOf, labelNames } from '../kinds/head.ts';
import type { Outbound } from '../merge/dataplane-outbounds.ts';

/** What a proxy has, in the shape in which Kuma's API says it (`_layout`). */

export interface Layout {
  readonly kri: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly inbounds: readonly InboundLayout[];
  readonly outbounds: readonly OutboundLayout[];
}

export interface InboundLayout {
  readonly kri: string;
  readonly port: number;
  /** Undefined: the Dataplane does not say. */
  readonly protocol?: string;
  readonly proxyResourceName: string;
}

export interface OutboundLayout {
  /** Of the service that is called; of one that only a tag names there is none. */
  readonly kri?: string;
  readonly port?: number;
  readonly proxyResourceName: string;
}

export function layoutOf(dataplane: Dataplane, outbounds: readonly Outbound[]): Layout {
  return {
    kri: dataplaneKri(dataplane),
    labels: Object.fromEntries(dataplane.labels),
    inbounds: dataplane.inbounds.map((inbound) => ({
      kri: inboundKri(dataplane, inbound),
      port: inbound.port,
      ...(inbound.protocol === undefined ? {} : { protocol: inbound.protocol }),
      proxyResourceName: `self_inbound_${sectionOf(inbound)}`,
    })),
    outbounds: outbounds.map(outboundLayout),
  };
}

function outboundLayout({ destination, port }: Outbound): OutboundLayout {
  const [resource] = destination.resources;
  const section = destination.port === undefined ? '' : String(destination.port);
  // A key-resource identifier ends in its section.
  const kri = resource === undefined ? undefined : kriOf(resource.head) + section;
  const tag = destination.tags.get(serviceTag)?.[0];
  return {
    ...(kri === undefined ? {} : { kri }),
    ...(port === undefined ? {} : { port }),
    proxyResourceName: kri ?? tag ?? destination.name ?? '',
  };
}

export function dataplaneKri(dataplane: Dataplane, section = ''): string {
  const label = (name: string): string => dataplane.labels.get(name) ?? '';
  const name = label(labelNames.displayName) || ownNameOf(dataplane);
  const parts = [
    'kri',
    'dp',
    dataplane.mesh,
    label(labelNames.zone),
    label(labelNames.namespace),
    name,
    section,
  ];
  return parts.join('_');
}

export function inboundKri(dataplane: Dataplane, inbound: Inbound): string {
  return dataplaneKri(dataplane, sectionOf(inbound));
}

function sectionOf({ name, port }: Inbound): string {
  return name ?? String(port);
}

/** The inbound that an identifier, a name or a port means. */
export function findInbound(dataplane: Dataplane, named: string): Inbound | undefined {
  const { inbounds } = dataplane;
  return (
    inbounds.find(({ name }) => name === named) ??
    inbounds.find(({ port }) => String(port) === named) ??
    inbounds.find(
      (one) => named === inboundKri(dataplane, one) || named === dataplaneKri(dataplane, String(one.port)),
    )
  );
}
