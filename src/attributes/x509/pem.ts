import { limits } from '../../pdp/model/limits.ts';
import { accept, type Checked, refuse } from '../evidence.ts';
import { type Certificate, readCertificate } from './certificate.ts';

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';
const keyLabel = 'PRIVATE KEY-----';

/** The certificates of a PEM text, in order; text between them is a comment (RFC 7468 §5.2). */
export function readPem(text: string, most: number): Checked<readonly Certificate[]> {
  if (text.length > most * limits.certificateBytes * 2)
    return refuse(
      'limit',
      `got ${text.length} characters of PEM, want at most ${most * limits.certificateBytes * 2}`,
    );
  if (text.includes(keyLabel))
    return refuse('encoding', 'got a private key beside the certificates, want certificates only');
  const found: Certificate[] = [];
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at)) {
    const from = at + begin.length;
    const to = text.indexOf(end, from);
    if (to < 0) return refuse('encoding', 'got a PEM block without an end, want "-----END CERTIFICATE-----"');
    if (found.length === most) return refuse('limit', `got more than ${most} certificates`);
    const der = base64(text.slice(from, to));
    if (der === undefined)
      return refuse('encoding', `got a PEM block that is no base64 (block ${found.length + 1})`);
    const certificate = readCertificate(der);
    if (!certificate.ok) return certificate;
    found.push(certificate.value);
    at = to + end.length;
  }
  if (found.length === 0)
    return refuse('encoding', 'got no certificate in PEM, want "-----BEGIN CERTIFICATE-----"');
  return accept(found);
}

/** Certificates in DER, one after the other, as the Workload API has them. */
export function readDerSequence(bytes: Uint8Array, most: number): Checked<readonly Certificate[]> {
  const found: Certificate[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (found.length === most) return refuse('limit', `got more than ${most} certificates`);
    const length = lengthAt(bytes, at);
    const certificate = readCertificate(bytes.subarray(at, at + length));
    if (!certificate.ok) return certificate;
    found.push(certificate.value);
    at += length;
  }
  if (found.length === 0) return refuse('encoding', 'got no certificate, want at least one');
  return accept(found);
}

/** How many bytes the DER value at a position has; all that is left if it does not say. */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at + 1] ?? 0;
  if (first < 0x80) return Math.min(2 + first, bytes.length - at);
  const size = first & 0x7f;
  if (size === 0 || size > 3) return bytes.length - at;
  let length = 0;
  for (let i = 0; i < size; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
  return Math.min(2 + size + length, bytes.length - at);
}

/** Strict base64 with white space between; `Buffer` would take anything. */
function base64(text: string): Uint8Array | undefined {
  const bare = text.replaceAll(/[\t\n\r ]/g, '');
  if (bare.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(bare)) return undefined;
  const bytes = Buffer.from(bare, 'base64');
  // Bits that the padding leaves over must be zero: one certificate has one text.
  return bytes.toString('base64') === bare ? bytes : undefined;
}
