import type { PatternWork } from '../model/pattern-work.ts';
import type { Side } from '../model/rule.ts';
import { mostPatterns } from './alternatives.ts';
import { type Least, leastOf, type Way } from './least.ts';
import type { Anew, Seen } from './seen.ts';
import { type Demand, placeOf, type State, statesOf, truthOf } from './states.ts';

/** All demands of `goal` shall be true, and of each of `denies` one shall be false. */
export interface Problem {
  readonly goal: readonly Demand[];
  readonly denies: readonly (readonly Demand[])[];
  see(side: Side, key: string): Seen;
  anew(side: Side, key: string): Anew;
  /** [SRC1] Whether the source has to have something, so as to be one. */
  readonly identifies: boolean;
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

type Choice = readonly [id: string, state: State];

/** [SRC1] Whether it says who asks. */
export function isEvidence([id, { seen }]: Choice): boolean {
  return id.startsWith('source ') && seen.state === 'known';
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
  /** Those that leave the goal's own demands on the key true. */
  readonly #states = new Map<string, readonly State[]>();
  readonly #assigned = new Map<string, State>();
  #best: Solution | undefined;
  #first = false;
  #left = budget;
  /** The keys that the goal wants otherwise, in the order in which they are chosen. */
  #wanted: readonly string[] = [];
  #least: readonly Least[] | undefined;
  /** Which denies fall by a state, a bit for each. */
  readonly #falls = new Map<State, number>();

  constructor(problem: Problem) {
    this.#problem = problem;
    const all = Map.groupBy([...problem.goal, ...problem.denies.flat()], ({ id }) => id);
    const goals = Map.groupBy(problem.goal, ({ id }) => id);
    this.truncated = false;
    for (const [id, demands] of all) {
      const [side, key] = placeOf(id);
      if (demands.reduce((sum, demand) => sum + demand.condition.values.length, 0) > mostPatterns)
        this.truncated = true;
      const states = statesOf(side, key, problem.see, demands, problem.anew(side, key), problem.work);
      const kept = (state: State) => {
        return (goals.get(id) ?? []).every((goal) => truthOf(goal, state.seen, problem.work) === 'true');
      };
      this.#states.set(id, states.filter(kept));
    }
  }

  run(first: boolean): Solution | undefined {
    this.#first = first;
    if (first) this.#left = budgetForAny;
    else this.#weigh();
    this.#step(0);
    return this.#best;
  }

  /** What the rest costs at least, whichever denies are left. */
  #weigh(): void {
    const { goal, denies, work } = this.#problem;
    const open = goal.filter((demand) => this.#truth(demand) !== 'true');
    this.#wanted = [...new Set(open.map(({ id }) => id))];
    const demands = denies.map((deny) => Map.groupBy(deny, ({ id }) => id));
    const falling = (id: string, truth: (demand: Demand) => string) =>
      demands.reduce((bits, deny, i) => {
        return deny.get(id)?.some((demand) => truth(demand) === 'false') ? bits | (1 << i) : bits;
      }, 0);
    const staying: Way[][] = [];
    const chosen = new Map<string, Way[]>();
    for (const [id, states] of this.#states) {
      const ways = states.map((state) => {
        const falls = falling(id, (demand) => truthOf(demand, state.seen, work));
        this.#falls.set(state, falls);
        return { falls, cost: state.cost };
      });
      if (this.#wanted.includes(id)) chosen.set(id, ways);
      else staying.push([{ falls: falling(id, (demand) => this.#truth(demand)), cost: 0 }, ...ways]);
    }
    const wanted = this.#wanted.map((id) => chosen.get(id) ?? []);
    this.#least = work.done ? undefined : leastOf(denies.length, staying, wanted);
  }

  /** No way on from here costs less. */
  #rest(): number {
    const least = this.#least?.[this.#wanted.filter((id) => this.#assigned.has(id)).length];
    if (least === undefined) return 0;
    let fallen = 0;
    for (const state of this.#assigned.values()) fallen |= this.#falls.get(state) ?? 0;
    return least[(least.length - 1) & ~fallen] as number;
  }

  #truth(demand: Demand): string {
    const { side, key } = demand.condition;
    const seen = this.#assigned.get(demand.id)?.seen ?? this.#problem.see(side, key);
    return truthOf(demand, seen, this.#problem.work);
  }

  #step(cost: number): void {
    const { work } = this.#problem;
    if (this.#best !== undefined && this.#first) return;
    if (cost + this.#rest() >= (this.#best?.cost ?? Number.POSITIVE_INFINITY)) return;
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
    if (deny === undefined) return this.#end(cost);
    this.#branch(deny, cost, (demands, state) =>
      demands.some((demand) => truthOf(demand, state.seen, work) === 'false'),
    );
  }

  /** Tries each state of each key that the demands are on. */
  #branch(
    demands: readonly Demand[],
    cost: number,
    helps: (demands: readonly Demand[], state: State) => boolean,
  ): void {
    const byKey = Map.groupBy(demands, ({ id }) => id);
    const { work } = this.#problem;
    const ways: Choice[] = [];
    for (const [id, own] of byKey) {
      if (this.#assigned.has(id)) continue;
      for (const state of this.#states.get(id) ?? []) if (helps(own, state)) ways.push([id, state]);
    }
    if (!work.done) this.#try(ways, cost);
  }

  #end(cost: number): void {
    if (this.#problem.identifies && ![...this.#assigned].some(isEvidence)) {
      const all = [...this.#states].flatMap(([id, states]) => states.map((state): Choice => [id, state]));
      return this.#try(
        all.filter((way) => !this.#assigned.has(way[0]) && isEvidence(way)),
        cost,
      );
    }
    this.#best = { assignment: new Map(this.#assigned), cost };
  }

  #try(ways: Choice[], cost: number): void {
    // The cheapest first; among these, what the policies write before what they do not.
    ways.sort(([, a], [, b]) => a.cost - b.cost);
    for (const [id, state] of ways) {
      this.#assigned.set(id, state);
      this.#step(cost + state.cost);
      this.#assigned.delete(id);
    }
  }
}
