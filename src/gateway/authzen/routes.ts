import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { type Ask, notReady } from '../decide/ask.ts';
import { channelFor } from '../decide/join.ts';
import { requireRole } from '../http/callers.ts';
import type { Env } from '../http/env.ts';
import { readJson } from '../http/json.ts';
import { Refused } from '../http/problem.ts';
import { takePage } from '../http/room.ts';
import type { Service, Snapshot } from '../service.ts';
import { configurationAt, endpoints } from './configuration.ts';
import { evaluateAll, evaluator } from './evaluate.ts';
import { readAs } from './parse.ts';
import { actionSearch, evaluation, evaluations, resourceSearch, subjectSearch } from './schemas.ts';
import { type Asking, searchActions, searchResources, searchSubjects } from './search.ts';
import type { Evaluations, Found } from './types.ts';

/** AuthZEN's Authorization API 1.0. */
export function authzenRoutes(service: Service, ask: Ask): Hono<Env> {
  const app = new Hono<Env>();
  const { live, settings } = service;

  app.post(endpoints.access_evaluation_endpoint, async (c) => {
    requireRole(c.var.caller, 'decide');
    const asked = readAs(evaluation, await body(c));
    return c.json(await evaluator(ask, ready(live), c.var.caller)(asked));
  });

  app.post(endpoints.access_evaluations_endpoint, async (c) => {
    requireRole(c.var.caller, 'decide');
    const input = await body(c, settings.batchBytes);
    const asked = readAs(evaluations, input) as Evaluations;
    const evaluate = evaluator(ask, ready(live), c.var.caller);
    if ((asked.evaluations ?? []).length === 0) return c.json(await evaluate(readAs(evaluation, input)));
    return c.json(await evaluateAll(asked, evaluate));
  });

  const search = <S extends z.ZodType>(
    path: string,
    schema: S,
    find: (query: z.output<S>, asking: Asking) => Promise<Found<unknown>>,
  ): void => {
    app.post(path, async (c) => {
      requireRole(c.var.caller, 'explain', 'searches, which tell who there is');
      const asked = readAs(schema, await body(c));
      return c.json(await find(asked, { snapshot: fresh(live), channel: channelFor(c.var.caller.roles) }));
    });
  };
  search(endpoints.search_subject_endpoint, subjectSearch, searchSubjects);
  search(endpoints.search_resource_endpoint, resourceSearch, searchResources);
  search(endpoints.search_action_endpoint, actionSearch, searchActions);
  return app;
}

/** Open to everybody: who looks for the endpoints has not been told yet how to prove who it is. */
export function authzenConfiguration({ settings }: Service): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/.well-known/authzen-configuration', (c) => {
    takePage(c.env);
    const base = settings.publicUrl ?? new URL(c.req.url).origin;
    return c.json(configurationAt(base), 200, { 'cache-control': 'max-age=300' });
  });
  return app;
}

/** §10.1.2 knows one status for all that is wrong with a body. */
async function body(c: Context<Env>, most?: number): Promise<unknown> {
  try {
    return await readJson(c, most);
  } catch (error) {
    if (!(error instanceof Refused) || error.problem.status !== 415) throw error;
    throw new Refused({ ...error.problem, status: 400 }, error.headers);
  }
}

function ready(live: Service['live']): Snapshot {
  const snapshot = live.current();
  if (snapshot === undefined) throw notReady();
  return snapshot;
}

/** A search over what is too old would name those who are denied. */
function fresh(live: Service['live']): Snapshot {
  const snapshot = ready(live);
  if (live.stale?.() !== true) return snapshot;
  throw new Refused(
    { status: 503, title: 'stale', detail: 'the policies are too old to allow anything' },
    { 'retry-after': '1' },
  );
}
