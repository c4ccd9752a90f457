import type { KeyObject } from 'node:crypto';
import { accept, type Checked, refuse } from '../evidence.ts';
import { type Claims, type Unverified, verifyToken } from './jws.ts';

/** Who we are to those who make tokens, and how far their clocks may differ from ours. */
export interface Expected {
  readonly audiences: readonly string[];
  /** Milliseconds. */
  readonly skew: number;
}

export const defaultSkew = 30_000;

/** When a token ends that one of the keys has signed, and that is for us and valid now. */
export async function signedUntil(
  read: Unverified,
  keys: readonly KeyObject[],
  expected: Expected,
  now: number,
): Promise<Checked<number>> {
  const signed = await verifyToken(read, keys);
  return signed.ok ? checkClaims(read.claims, expected, now) : signed;
}

const mostAudiences = 64;

/** The times and the audience that every token must have; its end in milliseconds. */
function checkClaims(claims: Claims, { audiences, skew }: Expected, now: number): Checked<number> {
  const { aud, nbf, iat } = claims;
  const named = typeof aud === 'string' ? [aud] : aud;
  if (!Array.isArray(named) || named.length === 0 || named.some((one) => typeof one !== 'string'))
    return refuse('audience', 'got a token without an audience, want "aud", a string or a list of strings');
  if (named.length > mostAudiences)
    return refuse('limit', `got a token for ${named.length} audiences, want at most ${mostAudiences}`);
  if (!named.some((one: string) => audiences.includes(one)))
    return refuse(
      'audience',
      `got a token for another audience, want ${audiences.map((one) => JSON.stringify(one)).join(' or ')}`,
    );
  const end = endOf(claims);
  if (!end.ok) return end;
  for (const [name, value] of [
    ['nbf', nbf],
    ['iat', iat],
  ] as const)
    if (value !== undefined && !isTime(value))
      return refuse('claim', `got a token whose "${name}" is no number of seconds`);
  const left = checkEnd(end.value, skew, now);
  if (!left.ok) return left;
  for (const value of [nbf, iat])
    if (isTime(value) && now < value * 1000 - skew)
      return refuse(
        'not-yet-valid',
        `got a token that is valid from ${new Date(value * 1000).toISOString()} on, want one valid now`,
      );
  return end;
}

/** In milliseconds. */
export function endOf({ exp }: Claims): Checked<number> {
  return isTime(exp)
    ? accept(exp * 1000)
    : refuse('claim', 'got a token without an end, want "exp", a number of seconds');
}

export function checkEnd(end: number, skew: number, now: number): Checked<true> {
  return now < end + skew
    ? accept(true)
    : refuse('expired', `got a token that expired at ${new Date(end).toISOString()}, want one valid now`);
}

/** Seconds since the epoch that a `Date` can hold. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 8.64e12;
}
