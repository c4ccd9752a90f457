import { limits } from '../../pdp/model/limits.ts';
import { accept, type Checked, refuse } from '../evidence.ts';
import { type Certificate, readCertificate } from '../x509/certificate.ts';
import { sizeAt } from '../x509/der.ts';

/** Certificates in DER, one after the other, with nothing between or behind them; at least one, at most `most`. */
export function readCertificates(
  bytes: Uint8Array,
  most: number,
): Checked<readonly [Certificate, ...Certificate[]]> {
  const found: Certificate[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (found.length === most) return refuse('limit', `got more than ${most} certificates`);
    const size = sizeAt(bytes, at);
    if (size === undefined || at + size > bytes.length)
      return refuse('encoding', `got bytes that are no DER after ${found.length} certificates`);
    if (size > limits.certificateBytes)
      return refuse('limit', `got a certificate of ${size} bytes, want at most ${limits.certificateBytes}`);
    // A copy: a certificate is kept for long, and the message that it came in has a private key in it.
    const certificate = readCertificate(new Uint8Array(bytes.subarray(at, at + size)));
    if (!certificate.ok) return certificate;
    found.push(certificate.value);
    at += size;
  }
  const [first, ...rest] = found;
  return first === undefined
    ? refuse('encoding', 'got no certificate, want at least one')
    : accept([first, ...rest]);
}
