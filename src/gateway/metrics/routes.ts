import { Hono } from 'hono';
import { requireLook } from '../http/callers.ts';
import type { Env } from '../http/env.ts';
import type { Service } from '../service.ts';

/** For Prometheus. Names of policies are in it, so that it is not for everybody who may ask for a decision. */
export function metricsRoutes({ metrics }: Service): Hono<Env> {
  const app = new Hono<Env>();
  if (metrics === undefined) return app;
  app.get('/metrics', async (c) => {
    requireLook(c.var.caller);
    const { type, text } = await metrics();
    return c.body(text, 200, { 'content-type': type });
  });
  return app;
}
