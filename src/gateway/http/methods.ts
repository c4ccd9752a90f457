import type { Context, Hono } from 'hono';
import type { Env } from './env.ts';
import { type Problem, problemResponse } from './problem.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The methods of a path, by the routes that there are. */
function methodsOf(app: Hono<Env>, path: string): string[] {
  const found: string[] = methods.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method),
  );
  if (found.includes('GET')) found.push('HEAD');
  return found.length === 0 ? found : [...found, 'OPTIONS'];
}

/** Where no route was found: nothing there at all, another method, or the question which there are. */
export function withoutRoute(app: Hono<Env>): (c: Context<Env>) => Response {
  return (c) => {
    const { method, path } = c.req;
    const known = methodsOf(app, path);
    const allow = known.join(', ');
    if (known.length === 0) return problemResponse(c, notFound(path));
    if (method === 'OPTIONS') return c.body(null, 204, { allow });
    return problemResponse(c, ...otherMethod(`${method} ${path}`, allow));
  };
}

export function otherMethod(got: string, allow: string): [Problem, { readonly allow: string }] {
  const detail = `got ${got.slice(0, 200)}, want ${allow}`;
  return [{ status: 405, title: 'not with this method', detail }, { allow }];
}

export function notFound(path: string): Problem {
  const detail = `got ${path.slice(0, 200)}; GET /docs and GET /openapi.json say what there is`;
  return { status: 404, title: 'there is nothing here', detail };
}
