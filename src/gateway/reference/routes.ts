import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import type { Env } from '../http/env.ts';
import { takePage } from '../http/room.ts';
import { documentOf } from '../openapi/document.ts';
import { operations } from '../openapi/operations.ts';
import type { Json } from '../openapi/schema.ts';
import type { Service } from '../service.ts';
import { pageOf } from './page.ts';
import { style } from './style.ts';

/** What there is to ask, for programs and for people; open to everybody, since the program itself is. */
export function referenceRoutes({ settings }: Service): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/openapi.json', (c) => {
    takePage(c.env);
    return c.json(document(), 200, cached);
  });
  app.get('/docs', (c) => {
    takePage(c.env);
    const base = settings.publicUrl ?? new URL(c.req.url).origin;
    return c.body(pageOf(document(), base), 200, { ...cached, ...guarded });
  });
  return app;
}

const cached = { 'cache-control': 'max-age=300' };
const hash = createHash('sha256').update(style).digest('base64');
const guarded = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

let made: Json | undefined;

/** Made when first asked for: most services never are. */
function document(): Json {
  if (made === undefined) {
    const file = new URL('../../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    made = documentOf(operations, version);
  }
  return made;
}
