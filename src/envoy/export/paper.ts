import type { Effect, WrittenEffect } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import type { Clause } from './clauses.ts';
import { any } from './expression.ts';
import type { JsonObject } from './json.ts';
import { action, defaultName, type Entry, matcherOf } from './matcher.ts';

/**
 * The SPIFFE paper's matchers as it draws them. Its shadow matcher holds only what has a shadow effect and denies all
 * else, so that it counts every other request as denied: it is here to be compared with, and no verdict is claimed.
 */

/** The paper's own, where one matcher stands for several policies. */
const sharedName = 'MeshTrafficPermission';

const effects: readonly WrittenEffect[] = ['deny', 'denyWithShadowAllow', 'allow', 'allowWithShadowDeny'];

/** One matcher for all: as the lists are concatenated, list by list, in order of policies' names. */
export function paperEntry(clauses: readonly Clause[], effect: Effect): Entry {
  const place = ({ governed }: Clause) => effects.indexOf(governed.rule.origin.effect);
  const sorted = clauses.toSorted((a, b) => place(a) - place(b) || byText(a.name, b.name) || a.rank - b.rank);
  const names = new Set(sorted.map(({ name }) => name));
  const [name] = names.size === 1 ? names : [sharedName];
  return { when: any(sorted.map(({ when }) => when)), does: action(name ?? sharedName, effect) };
}

export function paperShadow(guards: readonly Entry[], clauses: readonly Clause[]): JsonObject {
  const entries = [...guards];
  for (const [written, effect] of [
    ['allowWithShadowDeny', 'deny'],
    ['denyWithShadowAllow', 'allow'],
  ] as const) {
    const mine = clauses.filter(({ governed }) => governed.rule.origin.effect === written);
    if (mine.length > 0) entries.push(paperEntry(mine, effect));
  }
  return matcherOf([{ kind: 'list', entries }], action(defaultName, 'deny'));
}
