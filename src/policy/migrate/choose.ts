import { type Comparison, compare } from './compare.ts';
import type { Marks } from './marks.ts';
import type { Setting } from './setting.ts';
import type { Wanted } from './wanted.ts';

export interface Choice {
  /** What would be if all policies that can be written were. */
  readonly all: Comparison;
  /** What is if those that are chosen are. */
  readonly chosen: Comparison;
  readonly isChosen: (policy: number) => boolean;
}

/** Rounds until what remains is written; more than that and nothing is. */
const rounds = 64;

/**
 * Which policies are written: those by which nothing changes that may not. A policy that is left out takes its
 * denies with it, and what relied on them goes too, until what remains changes nothing by itself (SPEC MIG7).
 */
export function choose(
  setting: Setting,
  wanted: Wanted,
  marks: Marks,
  canSay: (policy: number) => boolean,
  mayWrite: (policy: number) => boolean,
  allowed: { readonly narrows: boolean; readonly widens: boolean },
): Choice {
  const left = new Set([...setting.ground.policies.keys()].filter(canSay));
  const isLeft = (policy: number) => left.has(policy);
  const all = compare(setting, wanted, marks, isLeft);
  let now = all;
  for (let round = 0; ; round++) {
    const before = left.size;
    for (const policy of left)
      if (!mayWrite(policy) || [...now.policies[policy]!.causes].some((change) => !allowed[change]))
        left.delete(policy);
    if (left.size === before) return { all, chosen: now, isChosen: isLeft };
    if (round === rounds) left.clear();
    now = compare(setting, wanted, marks, isLeft);
  }
}
