import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Hono } from 'hono';
import type { Called, Caller, Callers, Observer } from '../service.ts';
import { gone, readBody } from './body.ts';
import { admitted, callingOf } from './callers.ts';
import type { Env } from './env.ts';
import { checkHead, parseBody, readJson } from './json.ts';
import { Refused, sendProblem, unexpected } from './problem.ts';
import { checkRoom, proving, working } from './room.ts';

/** What answers a body, with the text of the reply. */
export type Answer = (body: unknown, caller: Caller) => string | Promise<string>;

export interface Answering {
  readonly answer: Answer;
  /** Answers bodies of which no objects need to be made; undefined: of this one they do. */
  readonly plainly?: (body: Buffer, caller: Caller) => string | Promise<string> | undefined;
}

/** A path to which bodies are posted, and what answers them. */
export interface Way extends Answering {
  readonly path: string;
  readonly bodyBytes: number;
}

export function wayRoutes(ways: readonly Way[]): Hono<Env> {
  const app = new Hono<Env>();
  for (const { path, bodyBytes, answer } of ways)
    app.post(path, async (c) => {
      const text = await answer(await readJson(c, bodyBytes), c.var.caller);
      return c.body(text, 200, { 'content-type': 'application/json' });
    });
  return app;
}

/**
 * The same ways without anything in between: gateways ask at every request of somebody else, and what hono and its
 * promises cost is more than what a decision costs (test/bench/service). All that is not such a request goes on.
 */
export function direct(
  ways: readonly Way[],
  callers: Callers,
  observer: Observer,
  otherwise: RequestListener,
): RequestListener {
  const byPath = new Map(ways.map((way) => [way.path, way]));
  return (incoming, outgoing) => {
    const way = incoming.method === 'POST' ? byPath.get(incoming.url ?? '') : undefined;
    if (way === undefined) return void otherwise(incoming, outgoing);
    const fail = (error: unknown): void => failed(outgoing, observer, error);
    try {
      checkHead(incoming);
      const called = callers.caller(callingOf(incoming));
      if (called instanceof Promise)
        proving(incoming, called).then((one) => post(way, one, incoming, outgoing, fail), fail);
      else post(way, called, incoming, outgoing, fail);
    } catch (error) {
      fail(error);
    }
  };
}

function post(
  way: Way,
  called: Called,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fail: (error: unknown) => void,
): void {
  try {
    const caller = admitted(called);
    readBody(incoming, way.bodyBytes, (error, body) => {
      if (body === undefined) return fail(error);
      try {
        checkRoom(incoming);
        const text = way.plainly?.(body, caller) ?? way.answer(parseBody(body), caller);
        if (typeof text === 'string') send(outgoing, text);
        else
          working(incoming, text)
            .then((later) => send(outgoing, later))
            .catch(fail);
      } catch (refused) {
        fail(refused);
      }
    });
  } catch (error) {
    fail(error);
  }
}

function send(outgoing: ServerResponse, text: string): void {
  const length = Buffer.byteLength(text);
  outgoing.writeHead(200, ['content-type', 'application/json', 'content-length', String(length)]);
  // What is ASCII is copied as it is.
  outgoing.end(text, length === text.length ? 'latin1' : 'utf8');
}

/** Whatever was wrong, in the form of everything that is: what nobody thought of tells nothing. */
export function failed(outgoing: ServerResponse, observer: Observer, error: unknown): void {
  if (error === gone || outgoing.headersSent) return;
  if (error instanceof Refused) return sendProblem(outgoing, error.problem, error.headers);
  observer.failed?.(error);
  sendProblem(outgoing, unexpected);
}
