import { Hono } from 'hono';
import { authzenConfiguration, authzenRoutes } from './authzen/routes.ts';
import { asker } from './decide/ask.ts';
import { decideWays } from './decide/ways.ts';
import { healthRoutes } from './health/routes.ts';
import { authenticate } from './http/callers.ts';
import type { Env } from './http/env.ts';
import { withoutRoute } from './http/methods.ts';
import { problemResponse, Refused, unexpected } from './http/problem.ts';
import { atWork } from './http/room.ts';
import { wayRoutes } from './http/ways.ts';
import { inspectRoutes } from './inspect/routes.ts';
import { metricsRoutes } from './metrics/routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import type { Service } from './service.ts';
import { isTraced, spans } from './trace/trace.ts';

/** Everything that the service answers over HTTP; each part brings its own routes. */
export function createApp(service: Service): Hono<Env> {
  const app = new Hono<Env>();
  app.onError((error, c) => {
    if (error instanceof Refused) return problemResponse(c, error.problem, error.headers);
    service.observer.failed?.(error);
    return problemResponse(c, unexpected);
  });
  app.notFound(withoutRoute(app));
  if (isTraced()) app.use(spans());
  app.route('/', authzenConfiguration(service));
  app.route('/', referenceRoutes(service));
  app.route('/', healthRoutes(service));
  app.use(authenticate(service.callers), atWork());
  app.route('/', wayRoutes(decideWays(service)));
  app.route('/', metricsRoutes(service));
  app.route('/', authzenRoutes(service, asker(service)));
  app.route('/', inspectRoutes(service));
  return app;
}
