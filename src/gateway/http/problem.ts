import type { Context } from 'hono';
import { formatPath, type Violation } from '../../pdp/model/violation.ts';

/** RFC 9457. */
export interface Problem {
  readonly status: 400 | 401 | 403 | 404 | 405 | 406 | 408 | 413 | 415 | 422 | 429 | 431 | 503;
  readonly title: string;
  /** What was got and what is wanted. */
  readonly detail?: string;
  readonly violations?: readonly Violation[];
}

/** Thrown by whoever finds it, so that no handler has to pass it on. */
export class Refused extends Error {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
    super(problem.title);
    this.name = 'Refused';
    this.problem = problem;
    this.headers = headers;
  }
}

export function problemResponse(
  c: Context,
  { status, title, detail, violations }: Problem,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = {
    title,
    status,
    ...(detail === undefined ? {} : { detail }),
    ...(violations === undefined ? {} : { violations: violations.map(shown) }),
  };
  return c.body(JSON.stringify(body), status, { ...headers, 'content-type': 'application/problem+json' });
}

function shown({ path, code, message, hint }: Violation): object {
  return { field: formatPath(path), code, message, ...(hint === undefined ? {} : { hint }) };
}
