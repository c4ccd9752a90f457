import { evaluate } from '../../pdp/explain/evaluate.ts';
import type { Seen } from '../../pdp/explain/seen.ts';
import { Source } from '../../pdp/explain/source.ts';
import { certificateChannel } from '../../pdp/model/certified.ts';
import type { Inventory, Workload } from '../../pdp/model/inventory.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import type { Condition } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import type { Trust } from '../../pdp/model/trust.ts';
import { digestOf } from './digest.ts';

/** Workloads with one SPIFFE ID that differ in an attribute which a policy reads: nobody knows which of them asks. */
export interface SharedIdentity {
  readonly id: string;
  readonly key: string;
  readonly pods: readonly string[];
}

/** The SPIFFE IDs of the inventory, each as the PDP sees a peer of which it has the certificate alone. */
export class Identities {
  readonly ids: readonly string[];
  readonly #inventory: Inventory;
  readonly #workloads = new Map<string, Workload[]>();
  readonly #sources = new Map<string, Source>();
  readonly #shared = new Map<Condition, Map<string, SharedIdentity>>();
  readonly #byValue = new Map<string, Map<string, Set<string>>>();
  readonly #known = new WeakMap<readonly string[], Map<string, string>>();

  constructor(inventory: Inventory) {
    this.#inventory = inventory;
    for (const workload of inventory.workloads) {
      if (workload.spiffeId === undefined) continue;
      pushTo(this.#workloads, workload.spiffeId, workload);
    }
    this.ids = [...this.#workloads.keys()].sort(byText);
  }

  truth(id: string, condition: Condition, floor: Trust | undefined): 'true' | 'false' | 'unknown' {
    const seen = this.#source(id).see(condition.key);
    if (seen.cause === 'shared-identity') {
      const one = { id, key: condition.key, pods: seen.pods ?? [] };
      const same = this.#shared.get(condition);
      if (same === undefined) this.#shared.set(condition, new Map([[id, one]]));
      else same.set(id, one);
    }
    return evaluate(condition, seen, floor).truth;
  }

  /** What is known of these IDs under a key, as a digest: conditions on it come to the same as long as it is. */
  known(key: string, ids: readonly string[]): string {
    let byIds = this.#known.get(ids);
    if (byIds === undefined) {
      byIds = new Map();
      this.#known.set(ids, byIds);
    }
    let digest = byIds.get(key);
    if (digest === undefined) {
      digest = digestOf(JSON.stringify(ids.map((id) => [id, plainly(this.#source(id).see(key))])));
      byIds.set(key, digest);
    }
    return digest;
  }

  /** IDs of which some workload has one of these values; no other can be known to have one. */
  having(key: string, values: readonly string[]): readonly string[] {
    let byValue = this.#byValue.get(key);
    if (byValue === undefined) {
      byValue = new Map();
      this.#byValue.set(key, byValue);
      for (const { spiffeId, attributes } of this.#inventory.workloads) {
        const value = attributes.get(key);
        if (spiffeId === undefined || value === undefined) continue;
        const same = byValue.get(value);
        if (same === undefined) byValue.set(value, new Set([spiffeId]));
        else same.add(spiffeId);
      }
    }
    const found = new Set(values.flatMap((value) => [...(byValue.get(value) ?? [])]));
    return [...found].sort(byText);
  }

  /** What some of these conditions asked for and could not be told, in order. */
  sharedIn(conditions: Iterable<Condition>): readonly SharedIdentity[] {
    const found = new Map<string, SharedIdentity>();
    for (const condition of conditions)
      for (const [id, one] of this.#shared.get(condition) ?? []) found.set(`${id} ${one.key}`, one);
    return [...found].sort(([a], [b]) => byText(a, b)).map(([, one]) => one);
  }

  #source(id: string): Source {
    let source = this.#sources.get(id);
    if (source === undefined) {
      const workloads = this.#workloads.get(id) ?? [];
      source = new Source({ spiffeId: id }, { ...this.#inventory, workloads }, certificateChannel);
      this.#sources.set(id, source);
    }
    return source;
  }
}

/** Without where it is known from, which decides nothing. */
function plainly({ from: _, pods: _pods, ...seen }: Seen): Omit<Seen, 'from' | 'pods'> {
  return seen;
}
