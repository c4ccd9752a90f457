import {
  destinationFields,
  destinationInHeaders,
  destinationSaid,
  type Headers,
  type SaidDestination,
} from '../../pdp/model/proxies.ts';
import type { RequestDestination } from '../../pdp/model/request.ts';
import type { Check } from './check-request.ts';
import type { Struct } from './struct.ts';

/**
 * Where a proxy may say what a request is for, all of it written by whoever configures the proxy: extensions of a
 * route, headers of its call to us (`initial_metadata`, which every filter has), labels out of the proxy's own
 * metadata, dynamic metadata that a filter before leaves (`set_metadata`; Envoy does not send the listener's own, and
 * the route's in another field), or the certificate that it presents.
 */
export const destinationSources = ['extensions', 'call', 'labels', 'metadata', 'principal'] as const;
export type DestinationSource = (typeof destinationSources)[number];

/** Under it stand keys in extensions and labels; it is the namespace of dynamic metadata too. */
export const destinationNamespace = 'placet';

export interface Destinations {
  /** The first that says something decides; nothing is put together of several. */
  readonly order: readonly DestinationSource[];
  /** The destination whose own certificate has this ID; undefined if there is none, or more than one. */
  readonly ofPrincipal: (spiffeId: string) => RequestDestination | undefined;
}

export function destinationOf(
  check: Check,
  headers: Headers,
  { order, ofPrincipal }: Destinations,
): RequestDestination | undefined {
  for (const source of order) {
    const found =
      source === 'principal'
        ? ofPrincipal(check.destination.principal ?? '')
        : destinationSaid(saidBy(source, check, headers));
    if (found !== undefined) return found;
  }
  return undefined;
}

function saidBy(
  source: Exclude<DestinationSource, 'principal'>,
  check: Check,
  headers: Headers,
): SaidDestination {
  if (source === 'call') return destinationInHeaders(headers);
  if (source === 'metadata') return fromStruct(check.metadata.get(destinationNamespace));
  const texts = source === 'extensions' ? check.extensions : check.destination.labels;
  // Runs for every call.
  return {
    mesh: texts.get(named.mesh),
    dataplane: texts.get(named.dataplane),
    inbound: texts.get(named.inbound),
    service: texts.get(named.service),
    route: texts.get(named.route),
    namespace: texts.get(named.namespace),
  } satisfies Required<SaidDestination>;
}

const named = Object.fromEntries(
  destinationFields.map((field) => [field, `${destinationNamespace}.${field}`]),
) as Readonly<Record<(typeof destinationFields)[number], string>>;

function fromStruct(struct: Struct | undefined): SaidDestination {
  const said: SaidDestination = {};
  for (const field of destinationFields) {
    const value = struct?.[field];
    if (typeof value === 'string') said[field] = value;
  }
  return said;
}
