import type { Context } from 'hono';
import type { Env } from './env.ts';
import { Refused } from './problem.ts';

/** The body as JSON, or a refusal that says what is wrong with it. */
export async function readJson(c: Context<Env>): Promise<unknown> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/json\s*(?:;\s*charset=utf-8\s*)?$/i.test(type))
    throw new Refused({
      status: 415,
      title: 'the body is not JSON',
      detail: `got content-type ${JSON.stringify(type)}, want application/json in UTF-8`,
    });
  const text = await c.req.text();
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Refused({
      status: 400,
      title: 'the body is not JSON',
      detail: (error as Error).message,
    });
  }
}
