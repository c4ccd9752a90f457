import type { z } from 'zod';
import { formatViolation } from '../../pdp/model/violation.ts';
import { violationsOf } from '../../policy/schema/issues.ts';
import { Refused } from '../http/problem.ts';

export function readAs<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new Refused({
    status: 400,
    title: 'no such request',
    violations: violationsOf(result.error.issues, { schema, input }),
  });
}

/** What is wrong, in one line. */
export function messageOf({ problem: { title, detail, violations = [] } }: Refused): string {
  const said = violations.length > 0 ? violations.map(formatViolation).join('; ') : detail;
  return said === undefined ? title : `${title}: ${said}`;
}
