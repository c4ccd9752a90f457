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

export function isBase64(text: string): boolean {
  return base64(text) !== undefined;
}

/** Strict base64 with white space between; `Buffer` would take anything. */
function base64(text: string): Uint8Array | undefined {
  const bare = text.replaceAll(/[\t\n\r ]/g, '');
  if (bare.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(bare)) return undefined;
  const bytes = Buffer.from(bare, 'base64');
  // Bits that the padding leaves over must be zero: one certificate has one text.
  return bytes.toString('base64') === bare ? bytes : undefined;
}
