import type { MatchesOne } from '../model/condition.ts';
import type { Condition } from '../model/rule.ts';
import type { Trust } from '../model/trust.ts';
import { weaker } from '../model/trust.ts';

/** Why nobody knows a value. */
export type Cause =
  | 'not-given' // no source is complete for it and none gave it
  | 'shared-identity' // SRC7
  | 'not-trusted-here' // SRC8
  | 'not-shown' // method or path, where the request or the inbound shows none
  | 'ambiguous-path' // PATH2
  | 'section-not-given' // DST5
  | 'namespace-not-given' // DST8
  | 'below-floor'; // UNK2: known, but not well enough for the condition that asks

/** What a value that is given anew counts for. */
export interface Anew {
  /** As far as whoever gives it is trusted. */
  readonly trust?: Trust;
  /** [SRC8] No more than this, by where it is from; not given: nothing there, since it may not be set there. */
  readonly most?: Trust;
  /** [SRC1] That there is a value says who asks, whatever it is. */
  readonly identifies?: true;
}

/** Many values at once: what a condition comes to for all of them, if it is the same. */
export interface Supposed {
  truth(asked: Pick<Condition, 'op' | 'values'>, one: MatchesOne | undefined): 'true' | 'false' | 'unknown';
}

/** What one side of a request is seen to have under a key. */
export interface Seen {
  readonly state: 'known' | 'absent' | 'unknown';
  readonly values: readonly string[];
  /** Not given: Placet's own word, which meets every floor. */
  readonly trust?: Trust;
  readonly since?: number;
  /** In words: `stated in the request`, `template of td.example`, `Dataplane default/backend-1`, … */
  readonly from: string;
  readonly cause?: Cause;
  /** DST5: what it is one of, each with all its values. */
  readonly possible?: readonly (readonly string[])[];
  /** DST8: it may be what its value names in any namespace. */
  readonly anyNamespace?: true;
  /** NEAR2: it is supposed, and may be any of these. */
  readonly open?: Supposed;
  /** SRC7: who shares the identity. */
  readonly pods?: readonly string[];
}

export function known(values: readonly string[], from: string, trust?: Trust, since?: number): Seen {
  const more = { ...(trust === undefined ? {} : { trust }), ...(since === undefined ? {} : { since }) };
  return { state: 'known', values, from, ...more };
}

export function absent(from: string, trust?: Trust): Seen {
  return { state: 'absent', values: [], from, ...(trust === undefined ? {} : { trust }) };
}

export function unknown(
  cause: Cause,
  from: string,
  more: Partial<Pick<Seen, 'pods' | 'possible' | 'values'>> = {},
): Seen {
  return { state: 'unknown', values: [], from, cause, ...more };
}

/** Where two sources say the same, the better one counts; the first where they are as good. */
export function better(a: Seen | undefined, b: Seen | undefined): Seen | undefined {
  if (a?.trust === undefined || b?.trust === undefined) return a ?? b;
  return a.trust !== b.trust && weaker(a.trust, b.trust) === a.trust ? b : a;
}
