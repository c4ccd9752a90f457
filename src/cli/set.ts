import type { By } from '../pdp/model/decision.ts';
import { fieldsIn } from '../pdp/model/fields.ts';
import type { Rule } from '../pdp/model/rule.ts';
import { byPlace, type Place, type Violation } from '../pdp/model/violation.ts';
import type { Document } from '../policy/document.ts';
import { readPaths } from '../policy/files.ts';
import type { Loaded } from '../policy/load.ts';
import { loadShipped } from '../policy/shipped.ts';
import { exit, Failure } from './failure.ts';
import { named } from './path-words.ts';
import { showViolations } from './show/violations.ts';
import type { Terminal } from './terminal/output.ts';
import { toJson } from './terminal/plain.ts';
import { count } from './terminal/wrap.ts';

/** All that some paths hold: policies with what is wrong with them, and the cases beside them. */
export interface PolicySet {
  readonly documents: readonly Document[];
  readonly cases: readonly Document[];
  readonly loaded: Loaded;
  readonly violations: readonly Violation[];
  /** Files that were named themselves, and in which nothing but comments stands. */
  readonly blank: readonly string[];
}

/** How many there are, those that are not listed too. */
export function totalOf(
  violations: readonly { readonly message: string; readonly unlisted?: number }[],
): number {
  return violations.reduce((sum, { unlisted = 1 }) => sum + unlisted, 0);
}

/** Requests may come from stdin, and so it is tried. */
const noStdin = 'documents come from files and folders, not from stdin';

export function readSet(paths: readonly string[]): PolicySet {
  const { documents, cases, violations: unread, byFile } = readPaths(paths);
  const violations = unread.map((violation) =>
    violation.code === 'unreadable' && violation.place?.file === '-'
      ? { ...violation, hint: noStdin }
      : violation,
  );
  const loaded = loadShipped(documents);
  return {
    documents,
    cases,
    loaded,
    violations: [...violations, ...loaded.violations].sort(byPlace),
    blank: paths.filter((path) => byFile.get(path)?.isBlank === true),
  };
}

/** Documents by kind; what has none, such as the schemas that lie beside policies, is nobody's. */
export function countsOf(set: PolicySet): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { value } of set.documents) {
    const { type, kind } = fieldsIn(value);
    const name = type ?? kind;
    if (typeof name === 'string') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Most likely the wrong paths: nothing in them is Placet's, neither a policy nor what policies are about. */
export function nothingIn(set: PolicySet): Violation | undefined {
  const total = Object.values(countsOf(set)).reduce((sum, n) => sum + n, 0);
  const others = set.loaded.ignored.filter(({ path }) => path.length === 0).length;
  if (set.violations.length > 0 || total > others) return undefined;
  if (set.blank.length > 0) {
    const message = `there are no documents in ${set.blank.map(named).join(', ')}, want at least one`;
    return {
      path: [],
      code: 'empty',
      message,
      hint: 'a file that is empty, or has only comments, says nothing',
    };
  }
  return {
    path: [],
    code: 'empty',
    message: 'there are no policies in these paths',
    hint: 'folders are read for files that end in .yaml, .yml or .json',
  };
}

/**
 * A set that may be decided with. With half a set nothing is decided: what is missing may be a deny. `json`: what is
 * wrong is wanted as JSON, where the answer would have been.
 */
export async function soundSet(
  paths: readonly string[] | undefined,
  terminal: Terminal,
  { json = false }: { readonly json?: boolean } = {},
): Promise<PolicySet> {
  if (paths === undefined)
    throw new Failure(exit.usage, 'no policies were given', 'name them: --policies <path>');
  const set = readSet(paths);
  const nothing = nothingIn(set);
  if (nothing) {
    if (json) await showErrors(terminal, [nothing], true);
    throw new Failure(exit.problems, nothing.message, nothing.hint);
  }
  if (set.violations.length === 0) return set;
  await showErrors(terminal, set.violations, json);
  throw new Failure(
    exit.problems,
    `the documents have ${count(totalOf(set.violations), 'problem')}, so nothing is decided with them`,
  );
}

/** What is wrong, instead of an answer: for people, or in the form of `check --json`. */
export async function showErrors(
  { out, err }: Terminal,
  errors: readonly Violation[],
  json: boolean,
): Promise<void> {
  if (json) await out.line(toJson({ errors }));
  else await showViolations(err, errors, 'error');
}

export function placeOf(set: PolicySet, rule: Rule): Place | undefined {
  return set.documents[rule.origin.document]?.place(rule.origin.path);
}

function keyOf(origin: Pick<By, 'kri' | 'effect' | 'index'>): string {
  return `${origin.kri}#${origin.effect}/${origin.index}`;
}

/** From the deciding rule as a decision names it to the rule itself. */
export function ruleFinder(set: PolicySet): (by: By) => Rule | undefined {
  const rules = new Map<string, Rule>();
  for (const rule of set.loaded.rules) {
    const key = keyOf(rule.origin);
    if (!rules.has(key)) rules.set(key, rule);
  }
  return (by) => rules.get(keyOf(by));
}
