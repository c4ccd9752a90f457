import { type Inventory, namespaceOf } from '../../pdp/model/inventory.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { type Condition, keys } from '../../pdp/model/rule.ts';
import type { Among } from '../lint/among.ts';
import { amongInbounds, type InboundOf, inboundsOf } from '../lint/inventory.ts';

/** What requests may say of an inbound that is in no inventory. */
export const toldByRequests: ReadonlySet<string> = new Set([keys.route, keys.namespace, keys.k8sNamespace]);

/** The inbounds of the inventory, found by the conditions of rules, with the values that decisions see of them. */
export class Inbounds {
  readonly all: readonly InboundOf[];
  readonly #among: Among<InboundOf>;
  readonly #ofMesh = new Map<string, number[]>();

  constructor(inventory: Inventory) {
    this.all = inboundsOf(inventory);
    this.#among = amongInbounds(this.all, inventory);
    for (const [number, { dataplane }] of this.all.entries()) {
      pushTo(this.#ofMesh, dataplane.mesh, number);
    }
  }

  of(mesh: string): readonly number[] {
    return this.#ofMesh.get(mesh) ?? [];
  }

  /** In their order. */
  select(conditions: readonly Condition[]): readonly number[] {
    return [...this.#among.all(conditions)].sort((a, b) => a - b);
  }

  /**
   * Those that a rule with these conditions is for or not as a request says: of a route, always, and of a namespace
   * where no label says it (SPEC DST4, DST8).
   */
  asRequestsTell(conditions: readonly Condition[]): readonly number[] {
    const placed = conditions.filter(({ key }) => key !== keys.route);
    const said = placed.filter(({ key }) => !toldByRequests.has(key));
    return [
      ...(placed.length < conditions.length ? this.select(placed) : []),
      ...(said.length < placed.length ? this.select(said) : []).filter(
        (number) => namespaceOf(this.all[number]!.dataplane) === undefined,
      ),
    ];
  }

  /** Whether two lists of conditions are about the same inbounds. */
  selectsSame(one: readonly Condition[], other: readonly Condition[]): boolean {
    const [found, wanted] = [this.#among.all(one), this.#among.all(other)];
    return found.size === wanted.size && [...found].every((number) => wanted.has(number));
  }
}
