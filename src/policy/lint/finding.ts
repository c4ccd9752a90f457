import type { Rule } from '../../pdp/model/rule.ts';
import { formatPath, type Path, type Place } from '../../pdp/model/violation.ts';
import type { Document } from '../document.ts';
import type { Loaded } from '../load.ts';

/** What can be said of policies that are well formed. Closed, as violations are. */
export type LintCode =
  | 'prefix-inside-segment'
  | 'never-decides'
  | 'selects-nothing'
  | 'only-denies'
  | 'no-source'
  | 'tcp-l7'
  | 'labels-across-namespaces'
  | 'key-without-scope'
  | 'alias-on-wrong-side'
  | 'other-certificates'
  | 'bars-everybody'
  | 'masks'
  | 'floor-out-of-reach'
  | 'nobody-may-set'
  | 'unread-key'
  | 'misspelt-label'
  | 'strange-levels'
  | 'unknown-trust-domain';

export interface Finding {
  readonly code: LintCode;
  /** Errors fail a check; warnings do so only where they are asked to; notes say how things stand, and never do. */
  readonly severity: 'error' | 'warning' | 'note';
  readonly path: Path;
  readonly message: string;
  /** A change that, made, silences the finding. */
  readonly hint: string;
  readonly place?: Place;
}

/** What every lint reads, and where it says what it found. */
export interface Ground {
  readonly loaded: Loaded;
  readonly documents: readonly Document[];
  report(document: number, path: Path, found: Pick<Finding, 'code' | 'message' | 'hint'>): void;
}

/** Where a rule stands. */
export function whereabouts({ documents }: Ground, { origin: { document, path } }: Rule): string {
  const place = documents[document]?.place(path);
  return place === undefined ? formatPath(path) : `${place.file}:${place.line}:${place.column}`;
}

/** `"a", "b" and 3 more` */
export function some(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).map((name) => JSON.stringify(name));
  return names.length > most ? `${shown.join(', ')} and ${names.length - most} more` : shown.join(', ');
}
