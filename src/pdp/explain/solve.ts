import type { PatternWork } from '../model/pattern-work.ts';
import type { Side } from '../model/rule.ts';
import { mostPatterns } from './alternatives.ts';
import type { Anew, Seen } from './seen.ts';
import { type Demand, type State, statesOf, truthOf } from './states.ts';

/** All demands of `goal` shall be true, and of each of `denies` one shall be false. */
export interface Problem {
  readonly goal: readonly Demand[];
  readonly denies: readonly (readonly Demand[])[];
  see(side: Side, key: string): Seen;
  anew(side: Side, key: string): Anew;
  /** Shared by all that are solved for one answer. */
  readonly work: PatternWork;
}

/** By side and key, what is otherwise. */
export type Assignment = ReadonlyMap<string, State>;

export interface Solution {
  readonly assignment: Assignment;
  readonly cost: number;
}

/** With more denies than this the first way out is taken, not the least. */
const mostDenies = 12;
/** Ways that are tried for the least, and for any. */
const budget = 20_000;
const budgetForAny = 2_000;

export function idOf({ side, key }: { readonly side: Side; readonly key: string }): string {
  return `${side} ${key}`;
}

/** The least that has to be otherwise; undefined if nothing helps. */
export function solve(problem: Problem): { readonly solution?: Solution; readonly exact: boolean } {
  const search = new Search(problem);
  const few = problem.denies.length <= mostDenies && !search.truncated;
  const solution = search.run(!few);
  return {
    exact: few && !search.exhausted && !problem.work.done,
    ...(solution === undefined ? {} : { solution }),
  };
}

class Search {
  readonly truncated: boolean;
  exhausted = false;
  readonly #problem: Problem;
  readonly #states = new Map<string, readonly State[]>();
  readonly #goals: ReadonlyMap<string, readonly Demand[]>;
  readonly #assigned = new Map<string, State>();
  #best: Solution | undefined;
  #first = false;
  #left = budget;

  constructor(problem: Problem) {
    this.#problem = problem;
    const all = Map.groupBy([...problem.goal, ...problem.denies.flat()], ({ condition }) => idOf(condition));
    this.#goals = Map.groupBy(problem.goal, ({ condition }) => idOf(condition));
    this.truncated = false;
    for (const [id, demands] of all) {
      const [{ condition }] = demands as [Demand];
      const { side, key } = condition;
      if (demands.reduce((sum, demand) => sum + demand.condition.values.length, 0) > mostPatterns)
        this.truncated = true;
      const seen = problem.see(side, key);
      this.#states.set(id, statesOf(side, key, seen, demands, problem.anew(side, key), problem.work));
    }
  }

  run(first: boolean): Solution | undefined {
    this.#first = first;
    if (first) this.#left = budgetForAny;
    this.#step(0);
    return this.#best;
  }

  #truth(demand: Demand): string {
    const { side, key } = demand.condition;
    const seen = this.#assigned.get(idOf(demand.condition))?.seen ?? this.#problem.see(side, key);
    return truthOf(demand, seen, this.#problem.work);
  }

  #step(cost: number): void {
    const { work } = this.#problem;
    if (this.#best !== undefined && (this.#first || cost >= this.#best.cost)) return;
    if (this.#left-- <= 0) {
      this.exhausted = true;
      return;
    }
    const missing = this.#problem.goal.find((demand) => this.#truth(demand) !== 'true');
    if (work.done) return;
    if (missing !== undefined) return this.#branch([missing], cost, () => true);
    const deny = this.#problem.denies.find((demands) =>
      demands.every((demand) => this.#truth(demand) !== 'false'),
    );
    if (work.done) return;
    if (deny === undefined) {
      this.#best = { assignment: new Map(this.#assigned), cost };
      return;
    }
    this.#branch(deny, cost, (demands, state) =>
      demands.some((demand) => truthOf(demand, state.seen, work) === 'false'),
    );
  }

  /** Tries each state of each key that the demands are on, if the goal's own demands on it hold then. */
  #branch(
    demands: readonly Demand[],
    cost: number,
    helps: (demands: readonly Demand[], state: State) => boolean,
  ): void {
    const byKey = Map.groupBy(demands, ({ condition }) => idOf(condition));
    const { work } = this.#problem;
    const ways: { id: string; state: State }[] = [];
    for (const [id, own] of byKey) {
      if (this.#assigned.has(id)) continue;
      const goals = this.#goals.get(id) ?? [];
      for (const state of this.#states.get(id) ?? []) {
        const kept = goals.every((goal) => truthOf(goal, state.seen, work) === 'true');
        if (kept && helps(own, state)) ways.push({ id, state });
      }
    }
    if (work.done) return;
    // The cheapest first; among these, what the policies write before what they do not.
    ways.sort((a, b) => a.state.cost - b.state.cost);
    for (const { id, state } of ways) {
      this.#assigned.set(id, state);
      this.#step(cost + state.cost);
      this.#assigned.delete(id);
    }
  }
}
