import { keys } from '../../pdp/model/rule.ts';
import { type Item, keyOf } from './ground.ts';
import { none } from './others.ts';
import type { Setting } from './setting.ts';
import { tierOf } from './winners.ts';
import { type World, worlds } from './world.ts';

/**
 * Items that never decide, since a stronger one of the same inbounds, or of all, is about the same clients or about
 * all of their mesh. Lists of large sets are full of them, and here they are told at a glance.
 */
export class Overridden {
  readonly #strongest: Readonly<Record<World, readonly ReadonlyMap<string, number>[]>>;
  readonly #everywhere: readonly number[];
  readonly #setting: Setting;

  constructor(setting: Setting) {
    const { ground, row } = setting;
    this.#setting = setting;
    const maps = { enforced: ground.scopes.map(() => new Map()), shadow: ground.scopes.map(() => new Map()) };
    for (const [number, item] of row.items.entries())
      for (const world of worlds)
        if (tierOf(item, world) !== none)
          maps[world][ground.policies[item.policy]!.scope]!.set(keyOf(item.when), number);
    this.#strongest = maps;
    this.#everywhere = [...ground.scopes.keys()].filter(
      (scope) => ground.scopes[scope]!.groups.length === ground.groups.length,
    );
  }

  has(item: Item, world: World): boolean {
    const { ground, row } = this.#setting;
    const { scope, items } = ground.policies[item.policy]!;
    const number = row.starts[item.policy]! + items.indexOf(item);
    const alike = [keyOf(item.when), keyOf(item.when.filter(({ key }) => key === keys.mesh))];
    return [scope, ...this.#everywhere].some((one) =>
      alike.some((key) => (this.#strongest[world][one]!.get(key) ?? -1) > number),
    );
  }
}
