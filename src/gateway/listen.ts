import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Env } from './http/env.ts';

export function createServer(app: Hono<Env>): Server {
  return createAdaptorServer({ fetch: app.fetch }) as Server;
}
