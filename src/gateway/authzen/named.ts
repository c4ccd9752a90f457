import { type Fact, factsOf } from '../../pdp/model/facts.ts';
import type { Inventory, Workload } from '../../pdp/model/inventory.ts';
import { sitePrefixes, workloadsOfSite } from '../../pdp/model/of-site.ts';
import { keys } from '../../pdp/model/rule.ts';
import { trustDomainOf } from '../../pdp/model/spiffe-id.ts';

/** What the inventory knows of a subject that is named (SPEC AZ22). */
export interface Known {
  readonly facts: ReadonlyMap<string, Fact>;
  /** Below which there is nothing else (SPEC AZ23). */
  readonly complete: readonly string[];
}

const nothing: Known = { facts: new Map(), complete: [] };
const ofWorkloads = ['k8s:', 'spiffe:'];

export function knownOf(workloads: readonly Workload[], inventory: Inventory): Known {
  if (workloads.length === 0) return nothing;
  const isHere = ofSite(inventory);
  const { attributes } = inventory.site;
  // Each is of its own site, so that what several of them are is what they agree in.
  const facts = factsOf(workloads.map((one) => withMore(one, isHere(one) ? attributes : new Map())));
  const whole = attributes.size > 0 && workloads.every(isHere);
  return { facts, complete: whole ? [...ofWorkloads, ...sitePrefixes] : ofWorkloads };
}

/** What a name stands for is no evidence, so the ID is an attribute among others. */
function withMore(workload: Workload, site: ReadonlyMap<string, string>): Workload {
  const { spiffeId, attributes } = workload;
  const identity =
    spiffeId === undefined
      ? []
      : ([
          [keys.spiffeId, spiffeId],
          [keys.trustDomain, trustDomainOf(spiffeId)],
        ] as const);
  return { ...workload, attributes: new Map([...attributes, ...identity, ...site]) };
}

const ofInventory = new WeakMap<Inventory, (workload: Workload) => boolean>();

/** Found out once: an inventory never changes, and a search asks for each of its workloads. */
function ofSite(inventory: Inventory): (workload: Workload) => boolean {
  let isHere = ofInventory.get(inventory);
  if (isHere === undefined) {
    isHere = workloadsOfSite(inventory);
    ofInventory.set(inventory, isHere);
  }
  return isHere;
}
