import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { type Channel, channelOf, type Request, type Role } from '../../pdp/model/request.ts';
import type { Env } from '../http/env.ts';
import { readJson } from '../http/json.ts';
import { Refused } from '../http/problem.ts';
import type { Service } from '../service.ts';

export function decideRoutes({ live, observer, settings }: Service): Hono<Env> {
  const app = new Hono<Env>();
  app.post('/decide', async (c) => {
    const request = await readJson(c);
    const snapshot = live.current();
    if (snapshot === undefined)
      throw new Refused({ status: 503, title: 'not ready' }, { 'retry-after': '1' });
    const channel = channelFor(c.var.caller.roles);
    const from = performance.now();
    const decision = snapshot.decide(request, channel);
    const id = randomUUID();
    observer.decided({
      id,
      via: 'decide',
      caller: c.var.caller.name,
      request: request as Request,
      channel,
      decision,
      milliseconds: performance.now() - from,
    });
    return c.json({ ...decision, decisionId: id, ttl: settings.ttl });
  });
  return app;
}

function channelFor(roles: ReadonlySet<Role>): Channel {
  return channelOf(roles.has('relay') ? 'relay' : roles.has('assert') ? 'assert' : 'decide');
}
