import 'reflect-metadata';
import { createHash, type KeyObject, X509Certificate as NativeCertificate } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type GeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
} from '@peculiar/x509';
import { limits } from '../../pdp/model/limits.ts';
import { accept, type Checked, refuse } from '../evidence.ts';
import { SEQUENCE, sizeAt } from './der.ts';
import { rawExtensions } from './extensions.ts';

/**
 * One certificate as plain values. Its fields are read by @peculiar/x509, which shows all of them; signatures and
 * keys are OpenSSL's, which has to be able to read the same bytes (decision 025).
 */
export interface Certificate {
  readonly der: Uint8Array;
  /** SHA-256 of the DER, in hex. */
  readonly fingerprint: string;
  readonly native: NativeCertificate;
  readonly key: KeyObject;
  /** Names as they are encoded, in hex: two are the same if their bytes are. */
  readonly subject: string;
  readonly issuer: string;
  /** For people. */
  readonly subjectText: string;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Of its signature: `ECDSA with SHA-256`. */
  readonly algorithm: string;
  readonly uriSans: readonly string[];
  readonly isAuthority: boolean;
  /** How many authorities may stand below it; undefined: any number. */
  readonly pathLength: number | undefined;
  readonly keyUsage: KeyUsage | undefined;
  readonly extendedKeyUsage: readonly string[] | undefined;
  /** OIDs of critical extensions that nothing here understands. */
  readonly notUnderstood: readonly string[];
  /** By the bytes that their OIDs are encoded in, in hex: their values as they are. */
  readonly extensions: ReadonlyMap<string, Uint8Array>;
}

export interface KeyUsage {
  readonly critical: boolean;
  readonly digitalSignature: boolean;
  readonly keyCertSign: boolean;
  readonly crlSign: boolean;
}

/** Key usage, subject alternative name, basic constraints, extended key usage. */
const understood: ReadonlySet<string> = new Set(['551d0f', '551d11', '551d13', '551d25']);

export function readCertificate(der: Uint8Array): Checked<Certificate> {
  if (der.length > limits.certificateBytes)
    return refuse(
      'limit',
      `got a certificate of ${der.length} bytes, want at most ${limits.certificateBytes}`,
    );
  if (der[0] !== SEQUENCE || sizeAt(der, 0) !== der.length)
    return refuse('encoding', 'got bytes that are no single DER certificate, want one and nothing behind it');
  try {
    return accept(valuesOf(der));
  } catch (error) {
    if (error instanceof Fault) return refuse(error.code, error.message);
    return refuse('encoding', 'got bytes that are no X.509 certificate');
  }
}

class Fault extends Error {
  readonly code: 'extension' | 'encoding';

  constructor(code: 'extension' | 'encoding', message: string) {
    super(message);
    this.code = code;
  }
}

function valuesOf(der: Uint8Array): Certificate {
  const native = new NativeCertificate(der);
  const parsed = new X509Certificate(new Uint8Array(der));
  const extensions = new Map<string, Uint8Array>();
  const notUnderstood: string[] = [];
  const raw = rawExtensions(der);
  if (raw?.length !== parsed.extensions.length)
    throw new Fault('encoding', 'got extensions that can be read in two ways, want them in DER');
  for (const { oid, critical, value } of raw) {
    if (extensions.has(oid))
      throw new Fault('extension', `got the extension ${dotted(oid)} twice, want it once`);
    extensions.set(oid, value);
    if (critical && !understood.has(oid)) notUnderstood.push(dotted(oid));
  }
  const constraints = parsed.getExtension(BasicConstraintsExtension);
  const usage = parsed.getExtension(KeyUsagesExtension);
  const names = parsed.getExtension(SubjectAlternativeNameExtension)?.names.items ?? [];
  const uriSans = names.filter(isUri).map(({ value }) => value);
  return {
    der,
    fingerprint: createHash('sha256').update(der).digest('hex'),
    native,
    // Read now: a key that is none is found out where certificates are refused.
    key: native.publicKey,
    subject: hex(parsed.subjectName.toArrayBuffer()),
    issuer: hex(parsed.issuerName.toArrayBuffer()),
    subjectText: parsed.subject,
    notBefore: parsed.notBefore.getTime(),
    notAfter: parsed.notAfter.getTime(),
    algorithm: algorithmOf(parsed),
    uriSans,
    // Either reader's word is enough: a workload is what both say it is.
    isAuthority: constraints?.ca === true || native.ca,
    pathLength: constraints?.pathLength,
    keyUsage: usage === null ? undefined : usageOf(usage),
    extendedKeyUsage: parsed.getExtension(ExtendedKeyUsageExtension)?.usages.map(String),
    notUnderstood,
    extensions,
  };
}

/** Web Crypto's names; the library's own type for them needs a browser's. */
function algorithmOf({ signatureAlgorithm }: X509Certificate): string {
  const { name, hash } = signatureAlgorithm as { name: string; hash?: string | { name: string } };
  return hash === undefined ? name : `${name} with ${typeof hash === 'string' ? hash : hash.name}`;
}

function isUri({ type }: GeneralName): boolean {
  return type === 'url';
}

function usageOf({ usages, critical }: KeyUsagesExtension): KeyUsage {
  return {
    critical,
    digitalSignature: (usages & KeyUsageFlags.digitalSignature) !== 0,
    keyCertSign: (usages & KeyUsageFlags.keyCertSign) !== 0,
    crlSign: (usages & KeyUsageFlags.cRLSign) !== 0,
  };
}

/** An OID as people write it. */
function dotted(hexBytes: string): string {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const byte of Buffer.from(hexBytes, 'hex')) {
    arc = arc * 128n + BigInt(byte & 0x7f);
    if (byte >= 0x80) continue;
    if (arcs.length === 0) {
      const top = arc < 80n ? arc / 40n : 2n;
      arcs.push(top, arc - top * 40n);
    } else arcs.push(arc);
    arc = 0n;
  }
  return arcs.join('.');
}

function hex(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString('hex');
}
