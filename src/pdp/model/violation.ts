import { byText } from './text.ts';

/** What can be wrong with a document or a request. Closed: a new way to be wrong is a new code. */
export type ViolationCode =
  | 'syntax' // not YAML, not JSON, not UTF-8
  | 'limit' // a bound of limits.ts
  | 'duplicate-key'
  | 'forbidden-key' // __proto__ and its kin
  | 'unknown-kind'
  | 'unknown-field'
  | 'missing'
  | 'type' // a string where a list is wanted, …
  | 'value' // right type, not among what is accepted
  | 'spiffe-id'
  | 'path'
  | 'empty' // a matcher, list or value with nothing in it
  | 'duplicate-document'
  | 'conflict' // two fields that contradict each other
  | 'reference' // names something that does not exist
  | 'tcp-l7' // an L7 deny that reaches a TCP inbound
  | 'unreadable'; // the file system said no

/** Where in a document or a request something stands: keys and indices from its root. */
export type Path = readonly (string | number)[];

export interface Place {
  readonly file: string;
  /** From 1; 0: what is named is no text and has no lines. */
  readonly line: number;
  readonly column: number;
}

export interface Violation {
  readonly path: Path;
  readonly code: ViolationCode;
  /** What was got and what is wanted; lower case, no full stop. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Where in a file, when the document came from one. */
  readonly place?: Place;
  /** Which document, where it has no place. */
  readonly called?: string;
  /** It stands for so many others, which are not listed. */
  readonly unlisted?: number;
}

/** `spec.rules[0].default.deny[2].spiffeID` */
export function formatPath(path: Path): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(part)) text += text === '' ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text === '' ? '(root)' : text;
}

/** Whether it is at the other one, or below. */
export function startsWith(path: Path, start: Path): boolean {
  return start.every((part, at) => path[at] === part);
}

/** As editors and terminals make it a link. */
export function formatPlace({ file, line, column }: Place): string {
  return line === 0 ? file : `${file}:${line}:${column}`;
}

/** By file, then in the order of the file, what is not listed of it last; what has no place goes first. */
export function byPlace(a: Pick<Violation, 'place' | 'unlisted'>, b: typeof a): number {
  const [one, other] = [a.place, b.place];
  if (one === undefined || other === undefined)
    return Number(one !== undefined) - Number(other !== undefined);
  const last = Number(a.unlisted !== undefined) - Number(b.unlisted !== undefined);
  return byText(one.file, other.file) || last || one.line - other.line || one.column - other.column;
}

export function formatViolation(v: Violation): string {
  const at = v.place ? formatPlace(v.place) : v.called;
  const where = at === undefined ? '' : `${at}: `;
  const hint = v.hint === undefined ? '' : ` (${v.hint})`;
  return `${where}${formatPath(v.path)}: ${v.message}${hint}`;
}
