import type { Effect, Tier, WrittenEffect } from './rule.ts';
import type { Trust } from './trust.ts';
import type { Violation } from './violation.ts';

export const reasons = [
  'rule',
  'default',
  'unidentified',
  'invalid-source',
  'conflict',
  'shared-identity',
  'unknown-attribute',
  'stale',
  'ambiguous-path',
  'incomplete-request',
  'unknown-destination',
  'peer-refused',
  'token-refused',
  'not-ready',
  'invalid-request',
] as const;
export type Reason = (typeof reasons)[number];

/** The rule that decided, as its owner would look for it. */
export interface By {
  readonly policy: string;
  readonly kri: string;
  readonly effect: WrittenEffect;
  readonly index: number;
}

export interface Decision {
  readonly decision: Effect;
  readonly tier: Tier | null;
  readonly by: By | null;
  /** The verdict that would hold with every shadow effect in force, and its own deciding rule. */
  readonly shadow: Effect;
  readonly shadowBy: By | null;
  readonly reason: Reason;
  /** The weakest trust among the values the deciding rule read; null where it read none. */
  readonly trust: Trust | null;
  readonly snapshot: string;
  /** Keys of source or destination that the reason is about: what was unknown, what contradicts itself. */
  readonly keys?: readonly string[];
  /** Milliseconds since the oldest value used was seen, where the request says both. */
  readonly age?: number;
  /** Only with `invalid-request`. */
  readonly violations?: readonly Violation[];
}

/** A deny that no rule decided, in both worlds: a guard's (TIER4), or of what is no request. */
export function refusal(
  reason: Reason,
  snapshot: string,
  more: Pick<Decision, 'keys' | 'violations'> = {},
): Decision {
  return {
    decision: 'deny',
    tier: null,
    by: null,
    shadow: 'deny',
    shadowBy: null,
    reason,
    trust: null,
    snapshot,
    ...more,
  };
}
