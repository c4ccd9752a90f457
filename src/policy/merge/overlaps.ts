import { limits } from '../../pdp/model/limits.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { serviceTag } from '../../pdp/model/rule.ts';
import { type Clients, keyOf, meet } from './clients.ts';

/** Clients that are told apart by a list of selections, and which of these select them. */
export interface Overlap {
  readonly clients: Clients;
  /** Indices of the selections, ascending. */
  readonly of: readonly number[];
}

/**
 * All ways in which selections overlap, so ordered that the first that a client is among says which selections hold
 * for it: those that hold for fewer come first. Undefined if there are too many.
 */
export function overlapsOf(selections: readonly Clients[]): readonly Overlap[] | undefined {
  const found = new Map<string, { readonly clients: Clients; readonly of: Set<number> }>();
  const byService = new Map<string | undefined, { readonly clients: Clients; readonly of: Set<number> }[]>();
  let work = 0;
  for (const [index, selection] of selections.entries()) {
    const service = selection.is.get(serviceTag);
    // Selections of different services never overlap, and most are of a service.
    const near =
      service === undefined
        ? [...found.values()]
        : [...(byService.get(service) ?? []), ...(byService.get(undefined) ?? [])];
    add(selection, [index]);
    for (const one of near) {
      work += 1 + one.of.size;
      if (work > limits.overlapWork) return undefined;
      const both = meet(one.clients, selection);
      if (both !== undefined) add(both, [...one.of, index]);
    }
    if (found.size > limits.overlaps) return undefined;
  }
  return [...found.entries()]
    .map(([key, { clients, of }]) => ({ key, clients, of: [...of].sort((a, b) => a - b) }))
    .sort((a, b) => b.of.length - a.of.length || (a.key < b.key ? -1 : 1))
    .map(({ clients, of }) => ({ clients, of }));

  function add(clients: Clients, of: readonly number[]): void {
    const key = keyOf(clients);
    const known = found.get(key);
    if (known !== undefined) {
      for (const index of of) known.of.add(index);
      return;
    }
    const entry = { clients, of: new Set(of) };
    found.set(key, entry);
    const service = clients.is.get(serviceTag);
    pushTo(byService, service, entry);
  }
}
