import type { KeyObject } from 'node:crypto';
import { compactVerify, errors } from 'jose';
import { isFields } from '../../pdp/model/fields.ts';
import { limits } from '../../pdp/model/limits.ts';
import { accept, type Checked, refuse } from '../evidence.ts';

/** JWT-SVID standard §3: no algorithm without a signature, none with a shared secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'] as const;

export type Claims = Readonly<Record<string, unknown>>;

export interface Header {
  readonly alg: string;
  readonly kid: string;
}

/** Keys by `kid`: several of one, where several who are believed call theirs so. */
export type KeysByName = ReadonlyMap<string, readonly KeyObject[]>;

/** A token before its signature is looked at: nothing in it is believed yet, but it says which key to ask. */
export interface Unverified {
  readonly token: string;
  readonly header: Header;
  readonly claims: Claims;
}

/** Reads the compact form alone; the JSON forms have room for what nobody signed. */
export function readToken(token: string): Checked<Unverified> {
  if (token.length > limits.tokenBytes)
    return refuse('limit', `got a token of ${token.length} bytes, want at most ${limits.tokenBytes}`);
  const parts = token.split('.');
  if (parts.length !== 3 || parts.some((part) => part === ''))
    return refuse('encoding', 'got no signed token in compact form, want header.claims.signature');
  const [headerBytes, claimsBytes, signature] = parts.map(bytesOf);
  const [header, claims] = [headerBytes, claimsBytes].map(jsonOf);
  if (header === undefined)
    return refuse('encoding', 'got a token whose header is no JSON object in base64url');
  if (claims === undefined)
    return refuse('encoding', 'got a token whose claims are no JSON object in base64url');
  if (signature === undefined)
    return refuse('encoding', 'got a token whose signature is not in base64url, want it without padding');
  const { alg, kid, typ } = header;
  if (typeof alg !== 'string' || !(algorithms as readonly string[]).includes(alg))
    return refuse(
      'algorithm',
      `got a token with the algorithm ${quoted(alg)}, want one of ${algorithms.join(', ')}`,
    );
  if (typ !== undefined && typ !== 'JWT' && typ !== 'JOSE')
    return refuse('token-type', `got a token of the type ${quoted(typ)}, want "JWT", "JOSE" or none`);
  if (header['crit'] !== undefined || header['b64'] !== undefined)
    return refuse('encoding', 'got a token with "crit" or "b64" in its header, want neither');
  if (typeof kid !== 'string' || kid === '')
    return refuse('unknown-authority', 'got a token that does not name its key, want "kid" in its header');
  return accept({ token, header: { alg, kid }, claims });
}

/** Whether one of the keys has signed the token; which of them is asked first changes nothing. */
export async function verifyToken(read: Unverified, keys: readonly KeyObject[]): Promise<Checked<true>> {
  let refused: Checked<true> = unusable;
  for (const key of keys) {
    const verified = await verifyBy(read, key);
    if (verified.ok) return verified;
    if (verified !== unusable) refused = verified;
  }
  return refused;
}

// A key of another kind than the algorithm, bytes that are no signature: whatever it is, it is no proof.
const unusable = refuse('encoding', 'got a token that cannot be verified with the key that it names');

async function verifyBy({ token, header }: Unverified, key: KeyObject): Promise<Checked<true>> {
  try {
    await compactVerify(token, key, { algorithms: [header.alg] });
    return accept(true);
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed)
      return refuse('signature', `got a token whose signature is not that of the key ${quoted(header.kid)}`);
    return unusable;
  }
}

/** Node skips what it does not know. The same bytes have one form alone (RFC 4648 §3.5), so that a token has one too. */
function bytesOf(part: string): Uint8Array | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

function jsonOf(bytes: Uint8Array | undefined): Claims | undefined {
  if (bytes === undefined) return undefined;
  try {
    // A mark at the beginning is no JSON (RFC 8259 §8.1), and stays where it is.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a token says of itself is not printed at length, nor as it is. */
function quoted(value: unknown): string {
  return JSON.stringify(typeof value === 'string' ? value.slice(0, 64) : value)?.slice(0, 80) ?? 'none';
}
