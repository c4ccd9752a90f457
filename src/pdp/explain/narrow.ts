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
 * [NEAR2] The same for all values that a step leaves open, and not for the one that was tried: what does not do is left
 * out, whatever other steps leave open is chosen to be. Where that cannot be said of all, the one is named.
 */
export function narrowed(assignment: Assignment, narrowing: Narrowing): Assignment {
  const opens = new Map([...assignment].flatMap(([id, state]) => openOf(id, state)));
  if (opens.size === 0) return assignment;
  const { work } = narrowing;
  const one: MatchesOne = (patterns, value) =>
    work.some(patterns, value, true, (pattern) => matches(pattern, value));
  for (const { id, condition } of narrowing.goal) {
    const open = opens.get(id);
    if (open === undefined) continue;
    const doubts = open.doubts(condition, one);
    if (doubts === undefined) return settled(assignment);
    opens.set(id, open.but(doubts));
  }
  for (let round = 0; round < mostRounds; round++) {
    const whole = new Map([...assignment].map(([id, state]) => [id, opened(state, opens.get(id))]));
    const rules = narrowing.unsettled(whole);
    if (work.done) break;
    if (rules.length === 0) return whole;
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
      if (best === undefined) return settled(assignment);
      opens.set(best.id, best.open);
    }
    if ([...opens.values()].some(({ except }) => except.filter(isWider).length > mostWider)) break;
  }
  return settled(assignment);
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
  return open === undefined ? state : { ...becoming(state, wantedOf(open)), seen: { ...state.seen, open } };
}

function wantedOf({ reach: { within }, except }: Open): Wanted {
  return within === undefined ? { is: 'other', than: except } : { is: 'within', pattern: within, except };
}

function settled(assignment: Assignment): Assignment {
  return new Map(
    [...assignment].map(([id, state]) => {
      const open = openOf(id, state).length > 0;
      const value = state.seen.values[0] as string;
      return [id, open ? becoming(state, { is: 'value', value }) : state];
    }),
  );
}

function becoming(state: State, to: Wanted): State {
  return state.step === undefined ? state : { ...state, step: { ...state.step, to } };
}
