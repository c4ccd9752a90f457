import { serviceTag } from '../../pdp/model/rule.ts';
import type { TargetRef } from '../targets/target-ref.ts';
import type { Conf } from '../targets/targeted.ts';
import { type Clients, clientsOf, keyOf } from './clients.ts';
import type { Origin } from './entries.ts';
import { Layers, type Merged } from './layers.ts';
import { overlapsOf } from './overlaps.ts';
import type { Concat } from './tree.ts';

/** What an inbound does with whom (SPEC MRG10, MRG11). */

/** Of a list in which the first that a client is among holds. */
export interface ClientRule extends Merged<Origin> {
  readonly clients: Clients;
}

/** An item as it is, where there are too many ways to overlap; the strongest first. */
export interface ClientItem {
  readonly clients: Clients;
  readonly conf: Conf;
  readonly origin: Origin;
}

export type InboundConf =
  | { readonly as: 'rules'; readonly rules: readonly ClientRule[] }
  | { readonly as: 'items'; readonly items: readonly ClientItem[] };

/** Said of some clients. */
export interface FromEntry {
  readonly clients: Clients;
  readonly conf: Conf;
  readonly origin: Origin;
}

/** The clients that an item of `from` means; `mesh`: that of its policy. */
export function selectedClients(ref: TargetRef, mesh: string): Clients | undefined {
  const tags = Object.entries(ref.tags ?? {});
  return clientsOf(ref.mesh ?? mesh, ref.name === undefined ? tags : [[serviceTag, ref.name], ...tags]);
}

/** `entries` weakest first. */
export function inboundConf(entries: readonly FromEntry[], concat: Concat): InboundConf {
  const layers = new Layers<Origin>(concat);
  const selections: Clients[] = [];
  for (const { clients, conf, origin } of entries)
    selections[layers.add(keyOf(clients), conf, origin)] ??= clients;
  const overlaps = overlapsOf(selections);
  if (overlaps === undefined) return { as: 'items', items: [...entries].reverse() };
  return { as: 'rules', rules: overlaps.map(({ clients, of }) => ({ clients, ...layers.merged(of)! })) };
}
