import type { By } from './model/decision.ts';
import type { Side } from './model/rule.ts';

/** What would have to be otherwise for a denied request to be allowed (SPEC NEAR1 to NEAR4). */
export interface NearestMiss {
  /** Whether the changes lead to an allow. */
  readonly possible: boolean;
  /** Why not. */
  readonly reason?: string;
  /** The changes lead to an allow, but there may be fewer that do. */
  readonly approximate?: true;
  /** The allow with the fewest failing conditions. */
  readonly allow?: { readonly id: string; readonly by: By; readonly failing: number };
  /** Destination first, then source, then request. */
  readonly changes: readonly Change[];
  /** What the allow needs that is never proposed: another identity, another site, better trust. */
  readonly needs: readonly Need[];
  /** Denies that would still match where the allow does, and what makes each give way. */
  readonly denies: readonly StandingDeny[];
}

export interface Change {
  readonly side: Side;
  readonly key: string;
  /** In words: all that the new value must do. */
  readonly what: string;
  /** A value that does it; null: none at all. */
  readonly to: string | null;
}

export interface StandingDeny {
  readonly id: string;
  readonly by: By;
  readonly what: string;
}

/** What an allow needs that is never proposed. */
export interface Need {
  readonly side: Side;
  readonly key: string;
  readonly what: string;
}
