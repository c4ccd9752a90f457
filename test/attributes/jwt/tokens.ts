import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';

/** Signs tokens of any content, right or wrong; bytes as they are. */
export interface Signer {
  readonly alg: string;
  readonly kid: string;
  readonly publicKey: KeyObject;
  sign(claims: unknown, header?: Record<string, unknown>): Promise<string>;
}

const kinds = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS384: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} as const;

export function signer(alg: keyof typeof kinds = 'ES256', kid = 'key-1'): Signer {
  const { privateKey, publicKey } = kinds[alg]();
  const key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return {
    alg,
    kid,
    publicKey,
    sign: (claims, header = {}) =>
      new CompactSign(
        claims instanceof Uint8Array ? claims : new TextEncoder().encode(JSON.stringify(claims)),
      )
        .setProtectedHeader({ alg, kid, ...header })
        .sign(key),
  };
}

/** A token without a signature, or with one that somebody else made. */
export function unsigned(header: object, claims: object, signature = 'c2ln'): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${signature}`;
}
