import { createPrivateKey, webcrypto } from 'node:crypto';

/** Kinds of keys, the weak ones included. A process makes one of each kind and uses it again: keys are slow. */
export type KeyKind = keyof typeof algorithms;

export type Keys = webcrypto.CryptoKeyPair;

const rsa = (modulusLength: number, hash = 'SHA-256') => ({
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash,
});
const algorithms = {
  p256: { name: 'ECDSA', namedCurve: 'P-256' },
  p384: { name: 'ECDSA', namedCurve: 'P-384' },
  p521: { name: 'ECDSA', namedCurve: 'P-521' },
  rsa2048: rsa(2048),
  rsa1024: rsa(1024),
  // WebCrypto ties the hash to the key.
  'rsa2048-sha1': rsa(2048, 'SHA-1'),
  ed25519: { name: 'Ed25519' },
} as const;

const made = new Map<string, Promise<Keys>>();

/** The same `name` gives the same pair; leaves share one, authorities have one each. */
export function keysFor(name: string, kind: KeyKind = 'p256'): Promise<Keys> {
  const id = `${kind} ${name}`;
  const known = made.get(id);
  if (known !== undefined) return known;
  const usages: webcrypto.KeyUsage[] = ['sign', 'verify'];
  const keys = webcrypto.subtle.generateKey(algorithms[kind], true, usages) as Promise<Keys>;
  made.set(id, keys);
  return keys;
}

export async function privatePem({ privateKey }: Keys): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

export function signingAlgorithm({ privateKey }: Keys): { name: string; hash: string } {
  const { name, hash } = privateKey.algorithm as { name: string; hash?: { name: string } };
  return { name, hash: hash?.name ?? 'SHA-256' };
}
