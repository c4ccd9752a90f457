import { floorOf } from '../model/condition.ts';
import type { Inventory } from '../model/inventory.ts';
import type { PatternWork } from '../model/pattern-work.ts';
import type { Channel, Request } from '../model/request.ts';
import { type Condition, effectOf, keys, type Rule } from '../model/rule.ts';
import type { Trust } from '../model/trust.ts';
import { blameOf, inTheWay, nobody, notFound, unsolved } from './in-the-way.ts';
import type { NearestMiss } from './miss.ts';
import { narrowed } from './narrow.ts';
import { type Assignment, isEvidence, type Problem, type Solution, solve } from './solve.ts';
import { type Demand, idOf, type State, truthOf } from './states.ts';
import { type Step, sectionStep, wordsFor } from './steps.ts';
import { byOf, failingOf, type Weighed, weigh, worldOf } from './verdict.ts';
import { type View, viewOf } from './view.ts';

/** Rounds, and denies that a round takes up: bounds for sets of rules in which more and more denies come up. */
const mostRounds = 64;
const mostAtOnce = 64;
export interface Attempt {
  readonly cost: number;
  readonly miss: NearestMiss;
}

const impossible = 1e9;

/** What the request does not have, and is supposed to have here. */
export interface Given {
  /** The section that it would have to name. */
  readonly section?: string;
  /** Something that says who asks. */
  readonly identity?: true;
}

/** A request at one destination, and the rules that govern it there. */
export class Situation {
  readonly view: View;
  readonly request: Request;
  readonly #inventory: Inventory;
  readonly #channel: Channel;
  readonly #floor: Trust;
  readonly #work: PatternWork;
  readonly #rules: readonly Rule[];
  readonly #governing: readonly Weighed[];
  readonly #unplaced: boolean;
  /** Of weighing them all. */
  readonly #comparisons: number;
  readonly #given: Given;

  constructor(
    rules: readonly Rule[],
    inventory: Inventory,
    request: Request,
    channel: Channel,
    work: PatternWork,
    given: Given = {},
  ) {
    this.request = request;
    this.view = viewOf(request, inventory, channel);
    this.#inventory = inventory;
    this.#channel = channel;
    this.#floor = inventory.site.floor;
    this.#work = work;
    this.#given = given;
    this.#governing = this.#weighAll(rules, this.view.see);
    this.#unplaced = this.view.see('destination', keys.namespace).state === 'unknown';
    // Others can come to govern only where it is said what the destination is.
    this.#rules = this.#unplaced ? rules : this.#governing.map(({ rule }) => rule);
    this.#comparisons = this.#rules.reduce((sum, rule) => sum + sizeOf(rule), 0);
  }

  /** The same, with what the request would have to give. */
  giving(request: Request, given: Given): Situation {
    return new Situation(this.#rules, this.#inventory, request, this.#channel, this.#work, given);
  }

  #weighAll(rules: readonly Rule[], see: View['see']): Weighed[] {
    return rules.flatMap((rule) => {
      const weighed = rule.tier === null ? undefined : weigh(rule, rule.tier, this.view, this.#floor, see);
      return weighed === undefined ? [] : [weighed];
    });
  }

  nearestAllow(): Weighed | undefined {
    let nearest: Weighed | undefined;
    for (const weighed of this.#governing) {
      if (weighed.barred || weighed.tier === null || effectOf(weighed.tier) === 'deny') continue;
      if (nearest === undefined || failingOf(weighed) < failingOf(nearest)) nearest = weighed;
    }
    return nearest;
  }

  /** Undefined where the allow does not govern, or nothing is decided by rules. */
  attempt(allow: Rule): Attempt | undefined {
    if (this.view.guard !== undefined) return undefined;
    if (!this.#governing.some(({ rule }) => rule === allow)) return undefined;
    if (this.view.ambiguity !== undefined && worldOf(this.#governing, true).ambiguous) return undefined;
    const goal = this.#demandsOf(allow);
    const denies = new Map(this.#telling().map((rule) => [rule, this.#demandsOf(rule)]));
    let exact = true;
    let before: { readonly problem: Problem; readonly solution: Solution } | undefined;
    for (let round = 0; round < mostRounds; round++) {
      const problem = this.#problem(goal, [...denies.values()]);
      const found = solve(problem);
      exact &&= found.exact;
      if (found.solution === undefined) {
        // Not found is not that there is none.
        if (this.#work.done && before !== undefined)
          return this.#can(allow, before.problem, before.solution, false);
        return this.#cannot(allow, goal, denies, exact);
      }
      before = { problem, solution: found.solution };
      const more = this.#blockers(allow, this.#weighWith(found.solution.assignment)).filter(
        (rule) => !denies.has(rule),
      );
      const last = round === mostRounds - 1 || this.#work.done;
      if (more.length === 0 || last) return this.#can(allow, problem, found.solution, exact && !last);
      for (const rule of more.slice(0, mostAtOnce)) denies.set(rule, this.#demandsOf(rule));
    }
    return undefined;
  }

  /** [SRC1] Where it has to be said who asks, and the allow asks for nothing of it: a deny that does, and would fall. */
  #telling(): Rule[] {
    if (!this.#given.identity) return [];
    const found = this.#governing.find(({ rule, tier }) => {
      return tier !== null && effectOf(tier) === 'deny' && rule.when.some(({ side }) => side === 'source');
    });
    return found === undefined ? [] : [found.rule];
  }

  #demandsOf(rule: Rule): Demand[] {
    const allows = rule.tier !== null && effectOf(rule.tier) === 'allow';
    return rule.when.map((condition) => ({
      id: this.#idOf(condition),
      condition,
      floor: floorOf(condition, allows, this.#floor),
    }));
  }

  /** [DST4] What says the namespace that policies bind by says that of the destination too, where neither is known. */
  #idOf({ side, key }: Pick<Condition, 'side' | 'key'>): string {
    const both = side === 'destination' && key === keys.k8sNamespace && this.#unplaced;
    return idOf(side, both ? keys.namespace : key);
  }

  #problem(goal: readonly Demand[], denies: Problem['denies']): Problem {
    const { see, anew } = this.view;
    const { identity: identifies = false } = this.#given;
    return {
      goal,
      denies,
      see,
      anew: (side, key) => ({
        ...anew(side, key),
        ...(identifies && side === 'source' ? { identifies } : {}),
      }),
      identifies,
      work: this.#work,
    };
  }

  #weighWith(assignment: Assignment): Weighed[] {
    const see: View['see'] = (side, key) =>
      assignment.get(this.#idOf({ side, key }))?.seen ?? this.view.see(side, key);
    this.#work.spend(this.#comparisons);
    return this.#weighAll(this.#rules, see);
  }

  /** Denies that decide although the allow matches, in policy order. */
  #blockers(allow: Rule, weighed: readonly Weighed[]): Rule[] {
    const { overruled } = worldOf(weighed, false);
    const standing = weighed.filter(({ outcome, rule }) => outcome !== 'no' && !overruled.has(rule.id));
    const allowed = Math.min(5, ...standing.map(({ tier }) => tier ?? 5).filter((tier) => tier % 2 === 1));
    // An allow that a stronger one of its list overrules lets in what that one does.
    const winner = weighed.find(({ rule }) => rule.id === overruled.get(allow.id))?.tier ?? 0;
    const heir = effectOf(winner) === 'allow' ? winner : 0;
    return standing.flatMap(({ rule, tier }) => {
      if (tier === null || effectOf(tier) === 'allow' || allowed < tier) return [];
      const sameList = rule.list !== undefined && rule.list.id === allow.list?.id;
      return sameList || tier < Math.max(allow.tier ?? 0, heir) ? [rule] : [];
    });
  }

  /** Also what could let another item of a list count, which says nothing of whether it blocks itself. */
  #unsettled(allow: Rule, open: Assignment, tried: readonly Weighed[]): Rule[] {
    const weighed = this.#weighWith(open);
    const counted = new Set(tried.flatMap(({ rule, outcome }) => (outcome === 'no' ? [] : [rule])));
    const listed = weighed.filter(
      ({ rule, outcome }) => rule.list !== undefined && (outcome !== 'no') !== counted.has(rule),
    );
    return [...new Set([...this.#blockers(allow, weighed), ...listed.map(({ rule }) => rule)])];
  }

  #can(allow: Rule, problem: Problem, { assignment: tried, cost }: Solution, exact: boolean): Attempt {
    const assignment = this.#narrowed(allow, tried, problem);
    const own = new Set(problem.goal.map(({ id }) => id));
    const { section } = this.#given;
    const steps = section === undefined ? [] : [sectionStep(section)];
    const first = new Map([...assignment].filter(([id]) => own.has(id)));
    // No deny asks for who asks, as such: it goes with what the allow needs.
    const said =
      this.#given.identity && ![...first].some(isEvidence) ? [...assignment].find(isEvidence) : undefined;
    if (said !== undefined) first.set(...said);
    for (const state of first.values()) steps.push(...this.#stepsOf(state));
    const denies = this.#deniesAfter(allow, first, assignment, tried);
    const words = [...new Set([...steps, ...denies.flatMap((deny) => deny.steps)].map((step) => step.words))];
    if (!exact) words.push(...unsolved(denies));
    const miss = {
      allow: { id: allow.id, by: byOf(allow), failing: 0, steps },
      denies,
      possible: true,
      words,
    };
    return {
      cost: cost + (section === undefined ? 0 : 1),
      miss: exact ? miss : { ...miss, approximate: true },
    };
  }

  /** Denies that match once the allow does, and those that come up as others fall, each with what keeps it off. */
  #deniesAfter(allow: Rule, first: Assignment, whole: Assignment, tried: Assignment): NearestMiss['denies'] {
    const taken = new Map(first);
    const met = new Set<string>();
    const found: NearestMiss['denies'][number][] = [];
    for (let before = -1; before < found.length && (before < 0 || !this.#work.done); ) {
      before = found.length;
      for (const rule of this.#blockers(allow, this.#weighWith(taken))) {
        if (met.has(rule.id)) continue;
        met.add(rule.id);
        const demands = this.#demandsOf(rule);
        const helping = [...whole].filter(([id]) => {
          const seen = tried.get(id)?.seen;
          if (first.has(id) || seen === undefined) return false;
          return demands.some((one) => one.id === id && truthOf(one, seen, this.#work) === 'false');
        });
        // What helps is not known then.
        if (this.#work.done) helping.length = 0;
        for (const [id, state] of helping) taken.set(id, state);
        const steps = helping.flatMap(([, state]) => this.#stepsOf(state));
        found.push({ id: rule.id, by: byOf(rule), steps });
      }
    }
    return found;
  }

  #narrowed(allow: Rule, assignment: Assignment, { goal }: Problem): Assignment {
    const tried = this.#weighWith(assignment);
    const standing = new Set(this.#blockers(allow, tried));
    return narrowed(assignment, {
      goal,
      demandsOf: (rule) => this.#demandsOf(rule),
      // What stands as it is was not looked at, for there is too much of it.
      unsettled: (open) => this.#unsettled(allow, open, tried).filter((rule) => !standing.has(rule)),
      work: this.#work,
    });
  }

  #stepsOf({ step }: State): Step[] {
    if (step === undefined) return [];
    return [{ ...step, words: wordsFor(step, this.view.see(step.side, step.key)) }];
  }

  /** Each deny that alone stands in the way; if none does, some that do together. */
  #cannot(
    allow: Rule,
    goal: readonly Demand[],
    denies: ReadonlyMap<Rule, readonly Demand[]>,
    exact: boolean,
  ): Attempt {
    const isBarred = (demands: Problem['denies']) =>
      solve(this.#problem(goal, demands)).solution === undefined && !this.#work.done;
    const { solution } = solve(this.#problem(goal, []));
    const isNever = solution === undefined && !this.#work.done;
    const { blame, isAlone, isKnown } = isNever ? nobody : blameOf([...denies], isBarred, exact);
    const { section } = this.#given;
    const steps = section === undefined ? [] : [sectionStep(section)];
    const assignment = solution?.assignment ?? new Map();
    const demandsOf = (rule: Rule) => this.#demandsOf(rule);
    const narrowing = { goal, demandsOf, unsettled: () => [], work: this.#work };
    for (const state of narrowed(assignment, narrowing).values()) steps.push(...this.#stepsOf(state));
    const words = isKnown ? inTheWay(allow, blame, isAlone) : [notFound(allow, blame)];
    const miss: NearestMiss = {
      allow: { id: allow.id, by: byOf(allow), failing: 0, steps },
      denies: blame.map((rule) => ({ id: rule.id, by: byOf(rule), steps: [] })),
      possible: false,
      words,
    };
    return { cost: impossible, miss: isKnown ? miss : { ...miss, approximate: true } };
  }
}

function sizeOf({ when }: Rule): number {
  return when.reduce((sum, { values }) => sum + 1 + values.length, 0);
}
