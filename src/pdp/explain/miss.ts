import type { By } from '../model/decision.ts';
import type { Step } from './steps.ts';

/** The allow that came nearest, and what stands between it and the request. */
export interface NearestMiss {
  readonly allow: {
    readonly id: string;
    readonly by: By;
    /** How many of its conditions are not true. */
    readonly failing: number;
    readonly steps: readonly Step[];
  };
  /** Denies that would still match then, each with what would keep it from matching. */
  readonly denies: readonly { readonly id: string; readonly by: By; readonly steps: readonly Step[] }[];
  /**
   * False: it cannot be had, since what the allow needs is what these denies forbid, or can never be here. With
   * `approximate` it was only not found.
   */
  readonly possible: boolean;
  readonly words: readonly string[];
  /** What is said need not be the least that would do, nor all of it. */
  readonly approximate?: true;
}
