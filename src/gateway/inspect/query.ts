import type { Context } from 'hono';
import type { Env } from '../http/env.ts';
import { Refused } from '../http/problem.ts';
import type { Part } from './part.ts';

const defaultPage = 100;
const largestPage = 1_000;

export function partOf(c: Context<Env>): Part {
  return {
    from: numberOf(c, 'offset', 0, Number.MAX_SAFE_INTEGER),
    most: numberOf(c, 'limit', defaultPage, largestPage),
  };
}

/** Those fields that are asked for. */
export function filterOf<F extends string>(
  c: Context<Env>,
  fields: readonly F[],
): Readonly<Partial<Record<F, string>>> {
  const asked = fields.flatMap((field) => {
    const value = c.req.query(field);
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(asked) as Partial<Record<F, string>>;
}

export function oneOf<T extends string>(c: Context<Env>, name: string, known: readonly T[]): T | undefined {
  const text = c.req.query(name);
  const found = known.find((one) => one === text);
  if (text === undefined || found !== undefined) return found;
  throw wrongQuery(`got ${name}=${shown(text)}, want ${known.join(' or ')}`);
}

function numberOf(c: Context<Env>, name: string, otherwise: number, most: number): number {
  const text = c.req.query(name);
  if (text === undefined) return otherwise;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw wrongQuery(`got ${name}=${shown(text)}, want a number up to ${most}`);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}

function wrongQuery(detail: string): Refused {
  return new Refused({ status: 400, title: 'the query is not understood', detail });
}
