import { Hono } from 'hono';
import { admitted, callingOf } from '../http/callers.ts';
import type { Env } from '../http/env.ts';
import { Refused, shown } from '../http/problem.ts';
import type { Callers, Service } from '../service.ts';

/** For whoever looks after the service: asked without proof of who asks, and then answered with no more than a word. */
export function healthRoutes({ live, callers, inspector }: Service): Hono<Env> {
  const app = new Hono<Env>();
  for (const path of ['/live', '/healthz']) app.get(path, (c) => c.json({ live: true }));
  app.get('/ready', async (c) => {
    const { ready, draining, sources } = live.readiness();
    const status = ready ? 200 : 503;
    if (c.req.query('verbose') === undefined || !(await isKnown(callers, c.env.incoming)))
      return c.json({ ready }, status);
    const { problems = [], ...overview } = (await inspector?.overview()) ?? {};
    return c.json(
      {
        ready,
        ...(draining === undefined ? {} : { draining }),
        ...overview,
        sources,
        problems: problems.map((one) => ({ ...shown(one), ...(one.place === undefined ? {} : one.place) })),
      },
      status,
    );
  });
  return app;
}

async function isKnown(callers: Callers, incoming: Env['Bindings']['incoming']): Promise<boolean> {
  try {
    admitted(await callers.caller(callingOf(incoming)));
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}
