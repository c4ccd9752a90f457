import type { KeyObject } from 'node:crypto';
import type { Checked } from '../evidence.ts';
import { accept, refuse } from '../evidence.ts';
import type { Certificate } from './certificate.ts';

/** What is worth accepting (SPEC X4): nothing that a collision or a factoring within reach would break. */

const leastRsaBits = 2048;
const mostRsaBits = 8192;
const curves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** As `Certificate.algorithm` names them. */
const families: readonly string[] = ['RSASSA-PKCS1-v1_5', 'RSA-PSS', 'ECDSA'];
const hashes: readonly string[] = ['SHA-256', 'SHA-384', 'SHA-512'];
const algorithms: ReadonlySet<string> = new Set([
  'Ed25519',
  ...families.flatMap((family) => hashes.map((hash) => `${family} with ${hash}`)),
]);

export function checkAlgorithm({ algorithm, subjectText }: Certificate): Checked<true> {
  if (algorithms.has(algorithm)) return accept(true);
  return refuse(
    'algorithm',
    `got a signature by ${algorithm} on ${named(subjectText)}, want RSA or ECDSA with SHA-256, SHA-384 or SHA-512, or Ed25519`,
  );
}

export function checkKey(key: KeyObject, of: string): Checked<true> {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ed25519') return accept(true);
  if (type === 'ec' && curves.has(details?.namedCurve ?? '')) return accept(true);
  if (type === 'rsa') {
    const bits = details?.modulusLength ?? 0;
    if (bits >= leastRsaBits && bits <= mostRsaBits) return accept(true);
    return refuse('key', `got an RSA key of ${bits} bits on ${of}, want ${leastRsaBits} to ${mostRsaBits}`);
  }
  const curve = details?.namedCurve === undefined ? '' : ` on the curve ${details.namedCurve}`;
  return refuse(
    'key',
    `got a key of the kind ${type ?? 'unknown'}${curve} on ${of}, want RSA, P-256, P-384, P-521 or Ed25519`,
  );
}

/** Workloads often have no subject at all. */
export function named(subject: string): string {
  return subject === '' ? 'the certificate' : `the certificate of ${subject}`;
}
