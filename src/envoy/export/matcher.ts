import { pushTo } from '../../pdp/model/lists.ts';
import type { Effect } from '../../pdp/model/rule.ts';
import { all, any, type Expression, nameOf } from './expression.ts';
import { implies } from './implies.ts';
import type { Item } from './items.ts';
import { type JsonObject, typed } from './json.ts';
import { inputs, predicate, sortedMap } from './predicate.ts';

/** Matchers: lists, and trees over IDs that backtrack, one tier after the other. */

export const defaultName = 'default';

export function action(name: string, effect: Effect): JsonObject {
  const deny = effect === 'deny' ? { action: 'DENY' } : {};
  return {
    action: {
      name: 'envoy.filters.rbac.action',
      typed_config: typed('envoy.config.rbac.v3.Action', { name, ...deny }),
    },
  };
}

export interface Entry {
  readonly when: Expression;
  readonly does: JsonObject;
}

/** One part of a matcher; where nothing in it matches, what comes behind it is tried. */
export type Stage =
  | { readonly kind: 'list'; readonly entries: readonly Entry[] }
  | {
      readonly kind: 'tree';
      readonly map: 'exact' | 'prefix';
      readonly keys: ReadonlyMap<string, JsonObject>;
    };

/** Stages in order, then what holds where none matches. What always matches ends it. */
export function matcherOf(stages: readonly Stage[], last: JsonObject): JsonObject {
  let matcher: JsonObject | undefined;
  let end = last;
  for (const stage of stages.toReversed()) {
    if (stage.kind === 'tree') {
      const map = { map: sortedMap(stage.keys) };
      const tree =
        stage.map === 'exact'
          ? { input: inputs.id, exact_match_map: map }
          : { input: inputs.id, prefix_match_map: map };
      matcher = { matcher_tree: tree, on_no_match: matcher === undefined ? end : { matcher } };
      continue;
    }
    const always = stage.entries.findIndex(({ when }) => when === true);
    if (always >= 0) {
      matcher = undefined;
      end = stage.entries[always]!.does;
    }
    const entries = always < 0 ? stage.entries : stage.entries.slice(0, always);
    if (entries.length === 0) continue;
    matcher = { matcher_list: listOf(entries), on_no_match: matcher === undefined ? end : { matcher } };
  }
  return matcher ?? { on_no_match: end };
}

function listOf(entries: readonly Entry[]): JsonObject {
  return { matchers: entries.map(({ when, does }) => ({ predicate: predicate(when), on_match: does })) };
}

/** Items of one tier as a list: those of one name together. */
export function listStages(items: readonly Item[], effect: Effect, merge: boolean): readonly Stage[] {
  if (items.length === 0) return [];
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const { name, rank } = item.clause;
    const group = merge ? name : `${rank}`;
    pushTo(groups, group, item);
  }
  const entries = [...groups.values()].map((group) => ({
    when: any(byRest(group)),
    does: action(group[0]!.clause.name, effect),
  }));
  return [{ kind: 'list', entries }];
}

/** Keys that have the rest in common stand beside each other. */
function byRest(items: readonly Item[]): readonly Expression[] {
  const rests = new Map<string, { rest: Expression; keys: Expression[] }>();
  for (const { key, rest } of items) {
    const name = nameOf(rest);
    let same = rests.get(name);
    if (same === undefined) {
      same = { rest, keys: [] };
      rests.set(name, same);
    }
    same.keys.push(key === undefined ? true : { of: 'id', ...key });
  }
  return [...rests.values()].map(({ rest, keys }) => beside(any(keys), rest));
}

/** A regex says what its text begins with already; a key that another part of the rest is beside says more. */
function beside(key: Expression, rest: Expression): Expression {
  return implies(rest, key) ? rest : all([key, rest]);
}

/** Items of one tier as trees over IDs, and as a list what has no ID to look up. */
export function treeStages(items: readonly Item[], effect: Effect, merge: boolean): readonly Stage[] {
  const stages: Stage[] = [];
  for (const map of ['exact', 'prefix'] as const) {
    const byKey = new Map<string, Item[]>();
    for (const item of items) {
      if (item.key?.match !== map) continue;
      pushTo(byKey, item.key.value, item);
    }
    if (byKey.size === 0) continue;
    const keys = new Map([...byKey].map(([key, mine]) => [key, below(mine, effect)] as const));
    stages.push({ kind: 'tree', map, keys });
  }
  stages.push(
    ...listStages(
      items.filter(({ key }) => key === undefined),
      effect,
      merge,
    ),
  );
  return stages;
}

/**
 * What a key leads to: its action, or a list that has no `on_no_match`, since that would keep Envoy from trying shorter
 * prefixes. All of a tier have one effect, so that one which asks for nothing more stands for all behind it.
 */
function below(items: readonly Item[], effect: Effect): JsonObject {
  const sorted = items.toSorted((a, b) => a.clause.rank - b.clause.rank);
  const always = sorted.find(({ rest }) => rest === true);
  const named = sorted.filter(
    (item) => item.rest !== true && (always === undefined || item.clause.rank < always.clause.rank),
  );
  const entries = named.map(({ rest, clause }) => ({ when: rest, does: action(clause.name, effect) }));
  const last = always === undefined ? undefined : action(always.clause.name, effect);
  if (entries.length === 0) return last as JsonObject;
  return { matcher: { matcher_list: listOf(entries), ...(last === undefined ? {} : { on_no_match: last }) } };
}
