import type { Context } from 'hono';
import { nearest } from '../../pdp/model/text.ts';
import type { Env } from '../http/env.ts';
import { Refused } from '../http/problem.ts';
import type { Part } from './part.ts';

const defaultPage = 100;
const largestPage = 1_000;

/** What nobody reads is not what was meant: a filter that is misspelt would leave all that it was to leave out. */
export function allowOnly(c: Context<Env>, known: readonly string[]): void {
  for (const [name, values] of Object.entries(c.req.queries())) {
    if (values.length > 1) throw wrongQuery(`got ${shown(name)} ${values.length} times, want it once`);
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const hint = near === undefined ? '' : `, did you mean ${near}?`;
    const wanted = known.length === 1 ? known[0] : `one of ${known.join(', ')}`;
    throw wrongQuery(`got the unknown parameter ${shown(name)}, want ${wanted}${hint}`);
  }
}

/** What `partOf` reads. */
export const partFields = ['offset', 'limit'] as const;

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
