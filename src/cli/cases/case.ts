import type { Reason } from '../../pdp/model/decision.ts';
import type { Effect } from '../../pdp/model/rule.ts';
import type { Path, Place, Violation } from '../../pdp/model/violation.ts';

/** A deciding rule as a case names it: a policy or a KRI, with or without one rule of it; null: none at all. */
export type Wanted = string | null;

export interface Case {
  readonly note: string;
  readonly request: unknown;
  readonly want: Effect;
  readonly by?: Wanted;
  readonly shadow?: Effect;
  readonly shadowBy?: Wanted;
  readonly reason?: Reason;
  readonly tier?: number | null;
  readonly trust?: string | null;
  readonly place?: Place;
  /** Where the file has a part of the request: in the case, or in the defaults that it was taken from. */
  locate?(part: Path, of: 'value' | 'key'): { readonly path: Path; readonly place?: Place };
}

/** The cases of one document. */
export interface CaseFile {
  readonly file: string;
  readonly title?: string;
  readonly about?: string;
  /** Those that are sound. */
  readonly cases: readonly Case[];
  /** How many there are, those that are not sound too. */
  readonly total: number;
  /** Something is wrong with its defaults: what its cases ask is not known. */
  readonly unsure: boolean;
  readonly violations: readonly Violation[];
}
