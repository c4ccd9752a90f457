import type { Asked } from '../../pdp/governing.ts';
import { findDataplane, type Inbound, type Inventory, type Protocol } from '../../pdp/model/inventory.ts';
import { nearest } from '../../pdp/model/text.ts';
import { refused } from './refused.ts';
import type { FilterKind } from './types.ts';

/** What is exported, as the inventory has it. */
export type Target =
  | { readonly service: string }
  | { readonly mesh: string; readonly dataplane: string; readonly inbound: Inbound };

export function find(asked: Asked, inventory: Inventory): Target {
  if ('service' in asked) {
    if (inventory.services.has(asked.service)) return { service: asked.service };
    throw unknownOne('service', asked.service, inventory.services.keys());
  }
  const { mesh, inbound } = asked;
  const found = findDataplane(inventory, mesh, asked.dataplane);
  if (found === undefined)
    throw unknownOne('dataplane', `${mesh}/${asked.dataplane}`, inventory.dataplanes.keys());
  const { name: dataplane, inbounds } = found;
  const name = `${mesh}/${dataplane}`;
  const names = inbounds.map((one) => one.name ?? String(one.port));
  if (inbounds.length === 0) throw refused('which-inbound', `got ${name}, which has no inbound to export`);
  if (inbound === undefined) {
    if (inbounds.length === 1) return { mesh, dataplane, inbound: inbounds[0]! };
    throw refused(
      'which-inbound',
      `got ${name} with ${inbounds.length} inbounds, want one of them`,
      `give --inbound with ${names.join(' or ')}`,
    );
  }
  const wanted = String(inbound);
  const one =
    inbounds.findLast(({ name: own }) => own === wanted) ??
    inbounds.findLast(({ port }) => String(port) === wanted);
  if (one === undefined)
    throw refused(
      'which-inbound',
      `got the inbound ${JSON.stringify(wanted)}, which ${name} does not have`,
      `it has ${names.join(' and ')}`,
    );
  return { mesh, dataplane, inbound: one };
}

function unknownOne(kind: string, name: string, known: Iterable<string>) {
  const close = nearest(name, known);
  return refused(
    'unknown-destination',
    `got the ${kind} ${JSON.stringify(name)}, which no document gives`,
    close === undefined ? undefined : `did you mean ${close}?`,
  );
}

export function destinationName(target: Target): string {
  if ('service' in target) return `service ${target.service}`;
  const { mesh, dataplane, inbound } = target;
  return `${mesh}/${dataplane}/${inbound.name ?? inbound.port}`;
}

export function protocolOf(target: Target): Protocol | undefined {
  return 'service' in target ? 'http' : target.inbound.protocol;
}

/** Nothing is known of an inbound without a protocol but its connections. */
export function filterFor(target: Target, wanted: FilterKind | undefined): FilterKind {
  const protocol = protocolOf(target);
  if (wanted === 'http' && protocol === 'tcp')
    throw refused(
      'protocol',
      `got an HTTP filter for ${destinationName(target)}, which is declared tcp and has no HTTP filters`,
      'give --filter network',
    );
  return wanted ?? (protocol === 'http' ? 'http' : 'network');
}
