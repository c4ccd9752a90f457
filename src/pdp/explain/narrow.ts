import { type MatchesOne, matches } from '../model/condition.ts';
import type { PatternWork } from '../model/pattern-work.ts';
import { keys, type Pattern, type Rule } from '../model/rule.ts';
import { Open } from './open.ts';
import type { Assignment } from './solve.ts';
import { type Demand, type State, truthOf } from './states.ts';
import type { Wanted } from './steps.ts';

/** What is asked of what a step leaves open. */
export interface Narrowing {
  readonly goal: readonly Demand[];
  demandsOf(rule: Rule): readonly Demand[];
  /** Rules whose part is not the same for all that is open. */
  unsettled(assignment: Assignment): readonly Rule[];
  readonly work: PatternWork;
}

const mostRounds = 64;
/** Exceptions that are more than one value. */
const mostWider = 256;

/**
 * [NEAR2] What each key shall become. Where a step leaves open what to, all that does not do is left out, whatever other
 * steps leave open is chosen to be; where that cannot be said of all, the one value that was tried is named.
 */
export function narrowed(assignment: Assignment, narrowing: Narrowing): ReadonlyMap<string, Wanted> {
  const opens = new Map([...assignment].flatMap(([id, state]) => openOf(id, state)));
  if (opens.size === 0) return new Map();
  const { work } = narrowing;
  const one: MatchesOne = (patterns, value) =>
    work.some(patterns, value, true, (pattern) => matches(pattern, value));
  for (const { id, condition } of narrowing.goal) {
    const open = opens.get(id);
    if (open === undefined) continue;
    const doubts = open.doubts(condition, one);
    if (doubts === undefined) return samples(opens);
    opens.set(id, open.but(doubts));
  }
  for (let round = 0; round < mostRounds; round++) {
    const whole = new Map([...assignment].map(([id, state]) => [id, opened(state, opens.get(id))]));
    const rules = narrowing.unsettled(whole);
    if (work.done) break;
    if (rules.length === 0) return new Map([...opens].map(([id, open]) => [id, wantedOf(open)]));
    for (const rule of rules) {
      const helping = narrowing.demandsOf(rule).flatMap((demand) => {
        const { id } = demand;
        const [open, state] = [opens.get(id), assignment.get(id)];
        if (open === undefined || state === undefined) return [];
        if (truthOf(demand, state.seen, work) !== 'false') return [];
        const doubts = open.doubts(demand.condition, one);
        return doubts === undefined ? [] : [{ id, open: open.but(doubts), count: doubts.length }];
      });
      const [best] = helping.sort((a, b) => a.count - b.count);
      if (best === undefined) return samples(opens);
      opens.set(best.id, best.open);
    }
    if ([...opens.values()].some(({ except }) => except.filter(isWider).length > mostWider)) break;
  }
  return samples(opens);
}

function isWider({ match }: Pattern): boolean {
  return match !== 'exact';
}

function openOf(id: string, { seen, step }: State): [string, Open][] {
  const to = step?.to;
  if (to?.is === 'other') {
    const beginning = step?.side === 'request' && step.key === keys.path ? '/' : '';
    return [[id, new Open(seen.values, { beginning, route: isRoute(step) })]];
  }
  if (to?.is !== 'within') return [];
  const { match, value } = to.pattern;
  const beginning = match === 'under' ? `${value}/` : value;
  return [[id, new Open(seen.values, { within: to.pattern, beginning, route: isRoute(step) })]];
}

function isRoute(step: State['step']): boolean {
  return step?.side === 'destination' && step.key === keys.route;
}

function opened(state: State, open: Open | undefined): State {
  return open === undefined ? state : { ...state, seen: { ...state.seen, open } };
}

function wantedOf({ reach: { within }, except }: Open): Wanted {
  return within === undefined ? { is: 'other', than: except } : { is: 'within', pattern: within, except };
}

function samples(opens: ReadonlyMap<string, Open>): ReadonlyMap<string, Wanted> {
  return new Map([...opens].map(([id, { sample }]) => [id, { is: 'value', value: sample[0] as string }]));
}
