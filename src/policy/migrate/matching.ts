import { type Condition, keys } from '../../pdp/model/rule.ts';
import { Among } from '../lint/among.ts';
import { Bits } from './bits.ts';
import type { TagSource } from './clients.ts';
import { keyOf } from './ground.ts';

/** Numbers of sources; a list where they are few. */
export interface Members {
  forEach(visit: (member: number) => void): void;
}

/** Which sources meet the conditions of an item, found once for all items with the same. */
export class Matching {
  readonly count: number;
  readonly #among: Among<TagSource>;
  readonly #known = new Map<string, Members>();

  constructor(sources: readonly TagSource[]) {
    this.count = sources.length;
    this.#among = new Among(
      sources,
      ({ mesh, tags }) =>
        new Map([
          [keys.mesh, [mesh]],
          ...[...tags].map(([tag, values]) => [keys.tag + tag, values] as const),
        ]),
    );
  }

  of(conditions: readonly Condition[]): Members {
    const key = keyOf(conditions);
    let members = this.#known.get(key);
    if (members === undefined) {
      const all = this.#among.all(conditions);
      members = all.size * 32 < this.count ? Int32Array.from(all) : Bits.of(this.count, all);
      this.#known.set(key, members);
    }
    return members;
  }
}
