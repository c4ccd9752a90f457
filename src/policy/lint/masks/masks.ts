import { createEngine, type Engine } from '../../../pdp/engine.ts';
import type { Request } from '../../../pdp/model/request.ts';
import { effectOf, type Rule, type Tier } from '../../../pdp/model/rule.ts';
import type { Loaded, PolicyInfo } from '../../load.ts';
import { clientOf, requestAt } from './client.ts';
import { LikelyIds } from './ids.ts';
import { type Group, groupsOf, type Party, remembered, type Scope } from './scopes.ts';
import { rulesOfSort, type Sort, sorts } from './sorts.ts';

/** Clients that one lint may try; of a set that needs more only a part is looked at. */
const mostTries = 20_000;
/** Of one tier of one policy, for one sort of destinations. */
const mostRules = 6;

/**
 * One policy before another of another sort (SPEC LINT12): of the weak one's sort alone, the weak one decides about
 * a client; of all policies the strong one decides, and otherwise.
 */
export interface Mask {
  readonly strong: PolicyInfo;
  readonly weak: PolicyInfo;
  readonly sorts: readonly [strong: Sort, weak: Sort];
  /** Which of its rules are before, and before which. */
  readonly tiers: readonly [strong: Tier, weak: Tier];
  /** The rules that decide about the first client. */
  readonly rules: readonly [strong: Rule, weak: Rule];
  /** Where; with a client for each group, at its first inbound. */
  readonly groups: readonly Group[];
  readonly clients: readonly Request[];
}

interface Found extends Mask {
  readonly groups: Group[];
  readonly clients: Request[];
}

/** In the order in which they are found, which is that of inbounds and of policies. */
export function masksOf(loaded: Loaded, groups = groupsOf(loaded), most = mostTries): readonly Mask[] {
  const verdicts = new Verdicts(loaded);
  const ids = new LikelyIds(loaded.inventory);
  const sidesOf = remembered(sidesIn);
  const found = new Map<string, Found>();
  let tries = most;
  for (const group of groups ?? []) {
    tries -= group.scopes.length;
    for (const [strong, weak] of pairsOf(group.scopes.map(sidesOf))) {
      if (tries <= 0) return [...found.values()];
      const key = `${strong.party.policy.order} ${strong.tier} ${weak.party.policy.order} ${weak.tier}`;
      const known = found.get(key);
      if (known?.groups.at(-1) === group) continue;
      const mask = tryAt(group, strong, weak, known?.rules);
      if (mask === undefined) continue;
      if (known === undefined) found.set(key, mask);
      else {
        known.groups.push(group);
        known.clients.push(...mask.clients);
      }
    }
  }
  return [...found.values()];

  function tryAt(
    group: Group,
    strong: Side,
    weak: Side,
    known: Mask['rules'] | undefined,
  ): Found | undefined {
    tries--;
    const route = routeOf(strong.scope, weak.scope);
    if (route === null) return undefined;
    for (const rules of rulesBetween(known, strong.rules, weak.rules)) {
      tries--;
      const client = clientOf(rules, ids);
      if (client === undefined) continue;
      const request = requestAt(group.inbounds[0]!, route, client);
      if (!verdicts.isBy(rules[1], weak.sort, request) || !verdicts.isBy(rules[0], undefined, request))
        continue;
      return {
        strong: strong.party.policy,
        weak: weak.party.policy,
        sorts: [strong.sort, weak.sort],
        tiers: [strong.tier, weak.tier],
        rules,
        groups: [group],
        clients: [request],
      };
    }
    return undefined;
  }
}

/** The lower tier decides; where both say the same nothing is hidden. */
const tiersBetween: readonly (readonly [Tier, Tier])[] = ([0, 1, 2, 3, 4] as const).flatMap((a) =>
  ([0, 1, 2, 3, 4] as const).filter((b) => a < b && effectOf(a) !== effectOf(b)).map((b) => [a, b] as const),
);

interface Side {
  readonly sort: Sort;
  readonly tier: Tier;
  readonly scope: Scope;
  readonly party: Party;
  /** The first ones of the tier. */
  readonly rules: readonly Rule[];
}

/** By sort, then by tier. */
type Sides = Readonly<Record<Sort, readonly (readonly Side[])[]>>;

function sidesIn(scope: Scope): Sides {
  const of = (sort: Sort) => {
    const byTier: Side[][] = [[], [], [], [], []];
    for (const party of scope.parties[sort])
      for (const tier of [0, 1, 2, 3, 4] as const) {
        const rules = firstOf(party, tier);
        if (rules.length > 0) byTier[tier]!.push({ sort, tier, scope, party, rules });
      }
    return byTier;
  };
  return { privileged: of('privileged'), access: of('access'), ids: of('ids'), tags: of('tags') };
}

function firstOf({ rules }: Party, tier: Tier): readonly Rule[] {
  const first: Rule[] = [];
  for (const rule of rules) {
    if (rule.tier === tier) first.push(rule);
    if (first.length === mostRules) break;
  }
  return first;
}

/** Everything that is yielded is worth a try: of many policies of one sort nothing is. */
function* pairsOf(scopes: readonly Sides[]): Generator<readonly [Side, Side]> {
  for (const [a, b] of tiersBetween)
    for (const strong of sorts) {
      const some = scopes.map((sides) => sides[strong][a]!).filter((list) => list.length > 0);
      if (some.length === 0) continue;
      for (const weak of sorts) {
        if (strong === weak) continue;
        const others = scopes.map((sides) => sides[weak][b]!).filter((list) => list.length > 0);
        for (const list of some)
          for (const one of list) for (const theirs of others) for (const other of theirs) yield [one, other];
      }
    }
}

/** Those that are known to be in each other's way first. */
function* rulesBetween(
  known: Mask['rules'] | undefined,
  strong: readonly Rule[],
  weak: readonly Rule[],
): Generator<Mask['rules']> {
  if (known !== undefined) yield known;
  for (const one of strong) for (const other of weak) yield [one, other];
}

/** One that both are for; null where they are for different ones. */
function routeOf({ route: one }: Scope, { route: other }: Scope): string | undefined | null {
  if (one === undefined || other === undefined) return one ?? other;
  return one === other ? one : null;
}

/** What is decided by all policies, and by those of one sort: the same engine that answers requests. */
class Verdicts {
  readonly #loaded: Loaded;
  readonly #engines = new Map<Sort | undefined, Engine>();

  constructor(loaded: Loaded) {
    this.#loaded = loaded;
  }

  isBy({ origin }: Rule, sort: Sort | undefined, request: Request): boolean {
    const { by } = this.#engine(sort).decide(request);
    return by?.kri === origin.kri && by.effect === origin.effect && by.index === origin.index;
  }

  #engine(sort: Sort | undefined): Engine {
    let engine = this.#engines.get(sort);
    if (engine === undefined) {
      const { rules, inventory, snapshot } = this.#loaded;
      engine = createEngine(sort === undefined ? rules : rulesOfSort(rules, sort), inventory, snapshot);
      this.#engines.set(sort, engine);
    }
    return engine;
  }
}
