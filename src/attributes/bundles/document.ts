import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type Fields, fieldsIn, isFields } from '../../pdp/model/fields.ts';
import { limits } from '../../pdp/model/limits.ts';
import { accept, type Checked, refuse } from '../evidence.ts';
import { checkKey } from '../x509/algorithms.ts';
import { type Certificate, readCertificate } from '../x509/certificate.ts';
import { readPem } from '../x509/pem.ts';
import type { Bundle } from './bundle.ts';

/** A bundle as text: PEM with certificates, or a SPIFFE bundle document, which is a JWK Set. */
export function readBundle(trustDomain: string, text: string): Checked<Bundle> {
  if (text.length > limits.bundleBytes)
    return refuse('limit', `got a bundle of ${text.length} characters, want at most ${limits.bundleBytes}`);
  return text.trimStart().startsWith('{')
    ? readDocument(trustDomain, text)
    : readPemBundle(trustDomain, text);
}

function readPemBundle(trustDomain: string, text: string): Checked<Bundle> {
  const authorities = authoritiesOf(readPem(text, limits.authorities));
  return authorities.ok
    ? accept({ trustDomain, authorities: authorities.value, keys: new Map() })
    : authorities;
}

/** Of certificates that were read; one that is no authority's refuses all. */
export function authoritiesOf(read: Checked<readonly Certificate[]>): Checked<readonly Certificate[]> {
  if (!read.ok) return read;
  for (const certificate of read.value) {
    const fit = checkAuthority(certificate);
    if (!fit.ok) return fit;
  }
  return read;
}

/**
 * A JWK Set with keys of JWT-SVIDs alone, as the Workload API has it (its standard, §6.2.2): they need not say what
 * they are for.
 */
export function readKeySet(trustDomain: string, text: string, most: number): Checked<Bundle> {
  const document = readEntries(text, most);
  if (!document.ok) return document;
  const keys = new Map<string, KeyObject>();
  for (const [fields, where] of document.value.entries) {
    const { use } = fields;
    if (use !== undefined && use !== 'sig' && use !== 'jwt-svid') continue;
    const taken = takeKey(fields, where, keys);
    if (!taken.ok) return taken;
  }
  return accept({ trustDomain, authorities: [], keys });
}

/** §4.2: keys of a use that is not known are skipped, for those that know it. */
function readDocument(trustDomain: string, text: string): Checked<Bundle> {
  const read = readEntries(text, limits.authorities);
  if (!read.ok) return read;
  const { document, entries } = read.value;
  const authorities: Certificate[] = [];
  const keys = new Map<string, KeyObject>();
  for (const [fields, where] of entries) {
    if (fields['use'] === 'x509-svid') {
      const authority = authorityOf(fields, where);
      if (!authority.ok) return authority;
      authorities.push(authority.value);
    } else if (fields['use'] === 'jwt-svid') {
      const taken = takeKey(fields, where, keys);
      if (!taken.ok) return taken;
    }
  }
  const sequence = document['spiffe_sequence'];
  const refreshHint = document['spiffe_refresh_hint'];
  return accept({
    trustDomain,
    authorities,
    keys,
    ...(isCount(sequence) ? { sequence } : {}),
    ...(isCount(refreshHint) ? { refreshHint } : {}),
  });
}

interface Entries {
  readonly document: Fields;
  /** Each key, and where it is. */
  readonly entries: readonly (readonly [Fields, string])[];
}

function readEntries(text: string, most: number): Checked<Entries> {
  const document = objectOf(text);
  const entries = document?.['keys'];
  if (document === undefined || !Array.isArray(entries))
    return refuse('encoding', 'got a text that is no SPIFFE bundle, want a JSON object with "keys"');
  if (entries.length > most)
    return refuse('limit', `got a bundle with ${entries.length} keys, want at most ${most}`);
  return accept({
    document,
    entries: entries.map((entry: unknown, index) => [fieldsIn(entry), `key ${index} of the bundle`]),
  });
}

function authorityOf({ x5c }: Fields, where: string): Checked<Certificate> {
  const [text] = Array.isArray(x5c) && x5c.length === 1 ? (x5c as unknown[]) : [];
  if (typeof text !== 'string')
    return refuse('encoding', `got ${where} without its certificate, want one in "x5c"`);
  const certificate = readCertificate(Buffer.from(text, 'base64'));
  if (!certificate.ok) return certificate;
  const fit = checkAuthority(certificate.value);
  return fit.ok ? certificate : fit;
}

function checkAuthority(certificate: Certificate): Checked<true> {
  const { isAuthority, key, subjectText } = certificate;
  if (!isAuthority)
    return refuse('not-ca', `got the certificate of ${subjectText} in a bundle, want an authority's`);
  return checkKey(key, `the authority ${subjectText}`);
}

function takeKey(fields: Fields, where: string, keys: Map<string, KeyObject>): Checked<true> {
  const key = tokenKeyOf(fields, where);
  if (!key.ok) return key;
  const [kid, object] = key.value;
  if (keys.has(kid)) return refuse('encoding', `got the "kid" of ${where} a second time, want it once`);
  keys.set(kid, object);
  return accept(true);
}

function tokenKeyOf(fields: Fields, where: string): Checked<readonly [string, KeyObject]> {
  const { kid } = fields;
  if (typeof kid !== 'string' || kid === '')
    return refuse('encoding', `got ${where} without a name, want "kid"`);
  const key = publicKeyOf(fields);
  if (key === undefined) return refuse('key', `got ${where}, which is no public key`);
  const fit = checkKey(key, where);
  return fit.ok ? accept([kid, key]) : fit;
}

/** A private key in a bundle is somebody's mistake; it is not taken for a public one. */
function publicKeyOf(fields: Fields): KeyObject | undefined {
  if (fields['d'] !== undefined || fields['k'] !== undefined) return undefined;
  try {
    return createPublicKey({ key: fields as JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function objectOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
