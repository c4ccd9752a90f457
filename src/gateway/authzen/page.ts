import { createHash } from 'node:crypto';
import { isFields } from '../../pdp/model/fields.ts';
import { limits } from '../../pdp/model/limits.ts';
import { byText } from '../../pdp/model/text.ts';
import { Refused } from '../http/problem.ts';
import type { PageRequest } from './types.ts';

/** Where a page begins and how long it may get. */
export interface Page {
  /** The last candidate that the pages before have looked at. */
  readonly after?: string;
  readonly limit: number;
  /** What the token of the page after has to say besides. */
  readonly digest: string;
}

/**
 * A token says which question it belongs to and how far its pages have come. It keeps no state here, so that any
 * worker takes it, and there is nothing to gain from a forged one: all that it names is a place to begin at.
 */
export function pageOf(query: object, { token, limit }: PageRequest = {}): Page {
  const digest = digestOf(query);
  const most = limit === undefined ? undefined : Math.min(limit, limits.searchResults);
  if (token === undefined || token === '') return { limit: most ?? limits.searchResults, digest };
  const [of, before, after] = read(token);
  if (of !== digest) throw refused('got a token of another search, want all but the token as it was');
  if (most !== undefined && most !== before)
    throw refused(`got the limit ${limit} after ${before}, want all but the token as it was`);
  return { limit: before, digest, after };
}

export function tokenAfter({ limit, digest }: Page, after: string): string {
  return Buffer.from(JSON.stringify([digest, limit, after])).toString('base64url');
}

function read(token: string): [string, number, string] {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (isToken(value)) return value;
  } catch {
    // Said below.
  }
  throw refused('got a token that this service has not given, want the next_token of the page before');
}

function isToken(value: unknown): value is [string, number, string] {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [digest, limit, after] = value as unknown[];
  return (
    typeof digest === 'string' &&
    typeof after === 'string' &&
    typeof limit === 'number' &&
    Number.isInteger(limit) &&
    limit >= 0 &&
    limit <= limits.searchResults
  );
}

function refused(detail: string): Refused {
  return new Refused({ status: 400, title: 'no such page', detail });
}

/** The same for the same question, in whatever order its fields come. */
function digestOf(query: object): string {
  const text = JSON.stringify(query, (_, value: unknown) =>
    isFields(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => byText(a, b))) : value,
  );
  return createHash('sha256').update(text).digest('base64url');
}
