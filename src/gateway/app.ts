import { Hono } from 'hono';
import { decideRoutes } from './decide/routes.ts';
import { authenticate } from './http/callers.ts';
import type { Env } from './http/env.ts';
import { problemResponse, Refused } from './http/problem.ts';
import type { Service } from './service.ts';

/** Everything that the service answers over HTTP; each part brings its own routes. */
export function createApp(service: Service): Hono<Env> {
  const app = new Hono<Env>();
  app.onError((error, c) => {
    if (error instanceof Refused) return problemResponse(c, error.problem, error.headers);
    throw error;
  });
  app.notFound((c) =>
    problemResponse(c, { status: 404, title: 'there is nothing here', detail: `got ${c.req.path}` }),
  );
  app.use(authenticate(service.callers));
  app.route('/', decideRoutes(service));
  return app;
}
