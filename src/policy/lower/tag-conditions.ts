import { type Condition, keys, type Side } from '../../pdp/model/rule.ts';
import type { Pool } from './pool.ts';

/** One condition a tag, `"!v"` being any value but v, also none (SPEC TAG1). */
export function tagConditions(
  side: Side,
  tags: Readonly<Record<string, string>>,
  pool: Pool,
): readonly Condition[] {
  return Object.keys(tags)
    .sort()
    .map((tag) => {
      const value = tags[tag]!;
      const key = keys.tag + tag;
      return value.startsWith('!') ? pool.isNot(side, key, value.slice(1)) : pool.is(side, key, value);
    });
}
