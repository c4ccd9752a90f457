import type { z } from 'zod';
import { valueAt } from '../../pdp/model/fields.ts';
import type { Path, Violation, ViolationCode } from '../../pdp/model/violation.ts';
import { didYouMean, nameOf, oneOf, quote, unknownFieldMessage } from '../../pdp/model/words.ts';
import { choiceNotes, foreign } from './fields.ts';
import { fieldsAt, schemasAt } from './walk.ts';

/** Turns zod's issues into violations, in our words: what was got, what is wanted, and a hint. */

type Issue = z.core.$ZodIssue;

/** A schema of the same kind in another group that reads more, for "that group has it". */
export interface Wider {
  readonly apiVersion: string;
  readonly schema: z.ZodType;
}

export interface Context {
  readonly schema: z.ZodType;
  readonly input: unknown;
  /** Fields that may stand beside those of the schema at its top. */
  readonly beside?: readonly string[];
  readonly wider?: Wider | undefined;
}

const wanted: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

/** Paths are those of the value that was read. */
export function violationsOf(issues: readonly Issue[], context: Context): Violation[] {
  return issues.flatMap((issue) => translate(issue, issue.path as Path, context));
}

function translate(issue: Issue, path: Path, context: Context): Violation[] {
  switch (issue.code) {
    case 'invalid_type':
      return [wrongType(path, [issue.expected], context)];
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownField(path, key, context));
    case 'invalid_value':
      return [wrongValue(path, issue.values, context)];
    case 'invalid_key':
      return issue.issues.flatMap((inner) => translate(inner, path, context));
    case 'invalid_union':
      return unionIssue(issue, path, context);
    case 'too_small':
    case 'too_big':
      return [outOfRange(issue, path, context)];
    case 'custom': {
      const { code, hint } = issue.params as { code: ViolationCode; hint?: string };
      return [violation(path, code, issue.message, hint)];
    }
    default:
      return [
        violation(path, 'value', `got ${nameOf(valueAt(context.input, path))}, which is not accepted here`),
      ];
  }
}

/** How it was written is not known here: `0o17` is 15 as well. */
export const inQuotes = 'put it in quotes';

function wrongType(path: Path, expected: readonly string[], { input }: Context): Violation {
  const value = valueAt(input, path);
  const words = expected.map((type) => wanted[type] ?? type);
  const message = `got ${nameOf(value)}, want ${oneOf([...new Set(words)])}`;
  if (value === undefined) return violation(path, 'missing', message);
  const quotable = expected.includes('string') && (typeof value === 'number' || typeof value === 'boolean');
  return violation(path, 'type', message, quotable ? inQuotes : undefined);
}

/** The hint names the nearest field, or the group in which there is such a field. */
function unknownField(path: Path, key: string, { schema, beside, wider }: Context): Violation {
  const own = fieldsAt(schema, path);
  const known = path.length === 0 && beside !== undefined ? [...own, ...beside] : own;
  const used = known.filter((field) => !schemasAt(schema, [...path, field]).some((one) => foreign.has(one)));
  const message = unknownFieldMessage(key, used);
  const elsewhere = wider !== undefined && fieldsAt(wider.schema, path).includes(key);
  const hint = elsewhere ? `${wider.apiVersion} has it` : didYouMean(key, known);
  return violation([...path, key], 'unknown-field', message, hint);
}

function wrongValue(path: Path, values: readonly unknown[], { schema, input, wider }: Context): Violation {
  const value = valueAt(input, path);
  const notes = schemasAt(schema, path).flatMap((one) => choiceNotes.get(one) ?? []);
  const named = notes.find((one) => one.named !== undefined)?.named ?? values;
  const want = `want ${oneOf(named.map((one) => (typeof one === 'string' ? quote(one) : String(one))))}`;
  const message = `got ${nameOf(value)}, ${want}`;
  if (value === undefined) return violation(path, 'missing', message);
  if (typeof value !== 'string') return violation(path, 'type', message);
  const known = notes.find((one) => one.hints !== undefined && Object.hasOwn(one.hints, value));
  if (known !== undefined) return violation(path, 'value', message, known.hints![value]);
  const elsewhere = wider !== undefined && enumAt(wider.schema, path).includes(value);
  return violation(
    path,
    'value',
    message,
    elsewhere ? `${wider.apiVersion} has it` : didYouMean(value, named.map(String)),
  );
}

function enumAt(schema: z.ZodType, path: Path): readonly string[] {
  return schemasAt(schema, path).flatMap((one) => [...(one._zod.values ?? [])].map(String));
}

/** The branch that the value was meant for speaks, if there is one; else all that is wanted is named. */
function unionIssue(issue: Issue & { code: 'invalid_union' }, path: Path, context: Context): Violation[] {
  const meant = issue.errors.filter((branch) => !branch.some(isTopType));
  if (meant.length === 1)
    return meant[0]!.flatMap((inner) => translate(inner, [...path, ...(inner.path as Path)], context));
  const expected = issue.errors.flat().flatMap((inner) => (isTopType(inner) ? [inner.expected] : []));
  return [wrongType(path, expected, context)];
}

function isTopType(issue: Issue): issue is Issue & { code: 'invalid_type' } {
  return issue.code === 'invalid_type' && issue.path.length === 0;
}

function outOfRange(
  issue: Issue & { code: 'too_small' | 'too_big' },
  path: Path,
  { input }: Context,
): Violation {
  const value = valueAt(input, path);
  if (issue.code === 'too_small') {
    if (issue.origin === 'number')
      return violation(path, 'value', `got ${nameOf(value)}, want ${issue.minimum} or more`);
    const want = issue.origin === 'string' ? 'some text' : 'at least one entry';
    return violation(path, 'empty', `got ${nameOf(value)}, want ${want}`);
  }
  if (issue.origin === 'number')
    return violation(path, 'value', `got ${nameOf(value)}, want ${issue.maximum} or less`);
  const got = Array.isArray(value) ? `${value.length} entries` : nameOf(value);
  return violation(path, 'limit', `got ${got}, want at most ${issue.maximum}`);
}

export function violation(path: Path, code: ViolationCode, message: string, hint?: string): Violation {
  return hint === undefined ? { path, code, message } : { path, code, message, hint };
}
