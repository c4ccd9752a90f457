import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { limits } from '../../pdp/model/limits.ts';
import { formatPath, type Violation } from '../../pdp/model/violation.ts';

/** RFC 9457. */
export interface Problem {
  readonly status:
    | 400
    | 401
    | 403
    | 404
    | 405
    | 406
    | 408
    | 413
    | 415
    | 417
    | 421
    | 422
    | 429
    | 431
    | 500
    | 503;
  readonly title: string;
  /** What was got and what is wanted. */
  readonly detail?: string;
  readonly violations?: readonly Violation[];
}

type Headers = Readonly<Record<string, string>>;

/** Thrown by whoever finds it, so that no handler has to pass it on. */
export class Refused extends Error {
  readonly problem: Problem;
  readonly headers: Headers;

  constructor(problem: Problem, headers: Headers = {}) {
    super(problem.title);
    this.name = 'Refused';
    this.problem = problem;
    this.headers = headers;
  }
}

export const problemType = 'application/problem+json';

export function problemText({ status, title, detail, violations }: Problem): string {
  return JSON.stringify({
    title,
    status,
    ...(detail === undefined ? {} : { detail }),
    ...(violations === undefined ? {} : { violations: violations.map(shown) }),
  });
}

export function problemResponse(c: Context, problem: Problem, headers: Headers = {}): Response {
  return c.body(problemText(problem), problem.status, { ...headers, 'content-type': problemType });
}

/** Where hono is not in between. */
export function sendProblem(outgoing: ServerResponse, problem: Problem, headers: Headers = {}): void {
  const text = problemText(problem);
  const { req } = outgoing;
  const rest = !req.readableEnded && hasBody(req);
  outgoing.writeHead(problem.status, {
    ...headers,
    'content-type': problemType,
    'content-length': Buffer.byteLength(text),
    ...(rest ? { connection: 'close' } : {}),
  });
  if (rest) linger(outgoing, text);
  else outgoing.end(text);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const lingering = 2_000;

/**
 * Whoever is refused while it still sends would lose the reply with the connection. So the reply goes out whole, and
 * what comes after it is dropped, up to a bound, before the connection ends.
 */
function linger(outgoing: ServerResponse, text: string): void {
  const { req } = outgoing;
  let size = 0;
  const end = (): void => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, lingering);
  timer.unref();
  outgoing.write(text);
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limits.lingerBytes) end();
  });
  req.once('end', end);
  req.once('close', end);
  req.resume();
}

/** What nobody thought of is our mistake, and nobody else's business. */
export const unexpected: Problem = { status: 500, title: 'something went wrong here' };

/** A violation as replies show it. */
export function shown({ path, code, message, hint, place }: Violation): object {
  return {
    field: formatPath(path),
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { line: place.line, column: place.column }),
  };
}
