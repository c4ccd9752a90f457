import { evaluate, type Truth } from '../../pdp/explain/evaluate.ts';
import type { View } from '../../pdp/explain/view.ts';
import { type Condition, effectOf, keys, type Rule, type Tier } from '../../pdp/model/rule.ts';

/** The items of one ordered list that count at one inbound, as conditions on clients alone. */

export type World = 'tier' | 'shadow';
export const worlds: readonly World[] = ['tier', 'shadow'];

export interface ClientTag {
  readonly tag: string;
  readonly value: string;
  readonly negated: boolean;
}

export interface ListedItem {
  readonly rule: Rule;
  /** The clients' mesh. */
  readonly mesh: string;
  readonly tags: readonly ClientTag[];
  /** The worlds in which it counts there: a deny unless it is known not to govern, an allow if it is known to. */
  readonly counts: readonly World[];
  /** Whether it is known to govern there. */
  readonly isSure: boolean;
}

/** The weakest first. */
export function listedItems(rules: readonly Rule[], mesh: string, see: View['see']): readonly ListedItem[] {
  const items: ListedItem[] = [];
  for (const rule of rules) {
    if (rule.list?.id !== `mtp/${mesh}`) continue;
    const governs = truthOfAll(
      rule.when.filter(({ side }) => side === 'destination'),
      see,
    );
    const counts = worlds.filter((world) => countsIn(rule[world], governs));
    if (counts.length > 0) items.push({ rule, counts, isSure: governs === 'true', ...clientsOf(rule) });
  }
  return items.sort((a, b) => a.rule.list!.strength - b.rule.list!.strength);
}

function truthOfAll(conditions: readonly Condition[], see: View['see']): Truth {
  const truths = conditions.map((one) => evaluate(one, see(one.side, one.key), undefined).truth);
  if (truths.includes('false')) return 'false';
  return truths.includes('unknown') ? 'unknown' : 'true';
}

function countsIn(tier: Tier | null, governs: Truth): boolean {
  if (tier === null || governs === 'false') return false;
  return governs === 'true' || effectOf(tier) === 'deny';
}

/** Conditions as items of lists have them: on one mesh, and on one value of each tag. */
function clientsOf({ when }: Rule): Pick<ListedItem, 'mesh' | 'tags'> {
  let mesh = '';
  const tags: ClientTag[] = [];
  for (const { side, key, op, values } of when) {
    if (side !== 'source') continue;
    const { value } = values[0]!;
    if (key === keys.mesh) mesh = value;
    else tags.push({ tag: key.slice(keys.tag.length), value, negated: op === 'notIn' });
  }
  return { mesh, tags };
}
