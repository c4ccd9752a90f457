import type { Inventory } from '../../pdp/model/inventory.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import type { Condition } from '../../pdp/model/rule.ts';
import { targetsOf } from '../../pdp/targets.ts';
import { Among } from '../lint/among.ts';
import { type InboundOf, inboundsOf } from '../lint/inventory.ts';

/** The inbounds of the inventory, found by the conditions of rules, with the values that decisions see of them. */
export class Inbounds {
  readonly all: readonly InboundOf[];
  readonly #among: Among<InboundOf>;
  readonly #ofMesh = new Map<string, number[]>();

  constructor(inventory: Inventory) {
    this.all = inboundsOf(inventory);
    const { dataplanes } = targetsOf(inventory);
    this.#among = new Among(this.all, ({ dataplane, inbound }) => {
      const proxy = dataplanes.get(dataplane.mesh)?.get(dataplane.name);
      const values = proxy?.inbounds.get(String(inbound.port))?.values ?? new Map();
      return new Map([...values].map(([key, value]) => [key, typeof value === 'string' ? [value] : value]));
    });
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

  /** Whether two lists of conditions are about the same inbounds. */
  selectsSame(one: readonly Condition[], other: readonly Condition[]): boolean {
    const [found, wanted] = [this.#among.all(one), this.#among.all(other)];
    return found.size === wanted.size && [...found].every((number) => wanted.has(number));
  }
}
