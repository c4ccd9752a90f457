import type { Condition, Pattern } from './model/rule.ts';
import { type Trust, trustRank } from './model/trust.ts';

/** Why nobody can tell a value, in a closed list, so that each can be put in words. */
export type Cause =
  | 'missing' // not given, and its set does not claim to be complete
  | 'unidentified' // nothing at all is known of who asks
  | 'shared-identity' // workloads that carry the same SPIFFE ID differ
  | 'not-vouched' // set by somebody who may not set it (SPEC SRC8)
  | 'below-floor' // known, but less trusted than the condition asks
  | 'not-shown' // the request shows no method or path
  | 'layer-4' // the inbound, or one that may be meant, shows no layer 7
  | 'inbound-not-named' // several inbounds, and nobody said which
  | 'no-namespace'; // the destination does not say its namespace

/** What one side of a request has under a key. Without a trust it is no evidence, and meets every floor. */
export type Seen =
  | {
      readonly is: 'value';
      readonly values: readonly string[];
      readonly from: string;
      readonly trust?: Trust;
      readonly since?: number;
    }
  | { readonly is: 'absent'; readonly from: string; readonly trust?: Trust }
  /** One of several; each alone would be a value. */
  | { readonly is: 'either'; readonly options: readonly string[]; readonly from: string }
  | {
      readonly is: 'unknown';
      readonly from: string;
      readonly cause: Cause;
      readonly pods?: readonly string[];
    };

export type Truth = 'true' | 'false' | 'unknown';

/** SPEC UNK2, UNK3, SRC10. */
export function truthOf(condition: Condition, seen: Seen, floor: Trust | undefined): Truth {
  const { op } = condition;
  if (seen.is === 'unknown' || isBelow(seen, floor)) return 'unknown';
  if (seen.is === 'absent') return op === 'notIn' || op === 'notExists' ? 'true' : 'false';
  if (op === 'exists') return 'true';
  if (op === 'notExists') return 'false';
  const values = seen.is === 'either' ? seen.options : seen.values;
  const among = values.some((value) => condition.values.some((pattern) => matches(pattern, value)));
  if (among && seen.is === 'either') return 'unknown';
  return among === (op === 'in') ? 'true' : 'false';
}

export function isBelow(seen: Seen, floor: Trust | undefined): boolean {
  if (floor === undefined || seen.is === 'unknown' || seen.is === 'either') return false;
  return seen.trust !== undefined && trustRank[seen.trust] < trustRank[floor];
}

/** SPEC OP1. */
export function matches({ match, value: wanted }: Pattern, value: string): boolean {
  if (match === 'exact') return value === wanted;
  if (match === 'prefix') return value.startsWith(wanted);
  return value === wanted || value.startsWith(`${wanted}/`);
}

export function causeOf(seen: Seen, floor: Trust | undefined): Cause {
  if (seen.is === 'unknown') return seen.cause;
  return isBelow(seen, floor) ? 'below-floor' : 'inbound-not-named';
}
