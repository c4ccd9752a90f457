import {
  createHash,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import type { Certificate } from './certificates/index.ts';

/** Tokens as gateways sign them, and as nobody should. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Claims = Readonly<Record<string, Json | undefined>>;

export interface SigningKey {
  readonly kid: string;
  readonly alg: 'ES256' | 'EdDSA';
  readonly jwk: JsonWebKey;
  readonly privateKey: KeyObject;
}

export function signingKey(kid: string, alg: SigningKey['alg']): SigningKey {
  const { publicKey, privateKey } =
    alg === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  return { kid, alg, jwk: { ...publicKey.export({ format: 'jwk' }), kid }, privateKey };
}

/** Of a certificate, as `cnf` has it. */
export function thumbprintOf({ leaf }: Certificate): string {
  return createHash('sha256').update(leaf.raw).digest('base64url');
}

/** Header and claims are written as they are given; what is undefined is left out. */
export function signed(key: SigningKey, claims: Claims, header: Claims = {}): string {
  const head = headOf({ alg: key.alg, kid: key.kid, ...header }, claims);
  const options = { key: key.privateKey, dsaEncoding: 'ieee-p1363' as const };
  return `${head}.${sign(key.alg === 'ES256' ? 'sha256' : null, Buffer.from(head), options).toString('base64url')}`;
}

export function unsigned(key: SigningKey, claims: Claims): string {
  return `${headOf({ alg: 'none', kid: key.kid }, claims)}.`;
}

/** By a secret that everybody knows: the public key. */
export function signedByPublicKey({ kid, jwk }: SigningKey, claims: Claims): string {
  const head = headOf({ alg: 'HS256', kid }, claims);
  return `${head}.${createHmac('sha256', JSON.stringify(jwk)).update(head).digest('base64url')}`;
}

function headOf(header: Claims, claims: Claims): string {
  return [header, claims].map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')).join('.');
}
