import type { Inventory } from '../../pdp/model/inventory.ts';
import type { Rule } from '../../pdp/model/rule.ts';
import type { Decide } from './compare.ts';
import type { Destination } from './evidence.ts';

/** What a chain is compared with, and how much of it. */
export interface Verifying {
  readonly rules: readonly Rule[];
  readonly inventory: Inventory;
  readonly decide: Decide;
  readonly destination: Destination;
  /** Clients come with exchange tokens, which say who they are. */
  readonly tokens?: boolean;
  /** Whether shadow verdicts are compared too; the papers' own shadows are not the policies'. */
  readonly shadow: boolean;
  /** Requests that are tried, at most, for each way through a chain. */
  readonly most: number;
  /** Comparisons that its filters may take in all. */
  readonly comparisons: number;
}
