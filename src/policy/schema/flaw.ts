import type { z } from 'zod';
import type { Path, ViolationCode } from '../../pdp/model/violation.ts';

/** What is wrong with one value, before it is known where the value stands. */
export interface Flaw {
  readonly code: ViolationCode;
  readonly message: string;
  readonly hint?: string;
  /** Below the value. */
  readonly path?: Path;
}

/** A check of a value whose type already holds, for `.check(…)`. */
export function sound<T>(find: (value: T) => Flaw | undefined): z.core.CheckFn<T> {
  return (context) => {
    const flaw = find(context.value);
    if (flaw !== undefined) context.issues.push(issueOf(flaw, context.value));
  };
}

/**
 * A check over several fields of an object. It runs even where a field is wrong by itself, so that all is
 * said at once; so it must not rely on the fields' types. `hasUnknown`: a field that is not known, and so not
 * in the value, may be the one that is missed.
 */
export function whole<T extends object>(
  find: (value: Loose<T>, hasUnknown: boolean) => readonly Flaw[],
): z.core.$ZodCheck<T> {
  const check = (context: z.core.ParsePayload<T>): void => {
    const hasUnknown = context.issues.some(
      (issue) => issue.code === 'unrecognized_keys' && (issue.path ?? []).length === 0,
    );
    for (const flaw of find(context.value as Loose<T>, hasUnknown))
      context.issues.push(issueOf(flaw, context.value));
  };
  return {
    _zod: {
      def: {
        check: 'custom',
        when: ({ value }: { readonly value: unknown }) => typeof value === 'object' && value !== null,
      },
      onattach: [],
      check,
    },
  } as unknown as z.core.$ZodCheck<T>;
}

export type Loose<T> = { readonly [K in keyof T]?: unknown };

function issueOf(flaw: Flaw, input: unknown): z.core.$ZodRawIssue {
  const { code, message, hint } = flaw;
  return {
    code: 'custom',
    input,
    message,
    path: [...(flaw.path ?? [])],
    params: { code, hint },
    continue: true,
  };
}
