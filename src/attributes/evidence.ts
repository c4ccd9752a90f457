/** What comes of looking at evidence: what it says, or the one reason for which it is refused. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

export interface Refusal {
  readonly code: RefusalCode;
  /** What was got and what is wanted; lower case, no full stop, never a key or a token. */
  readonly message: string;
}

/** Closed: a new way to be refused is a new code. */
export type RefusalCode =
  | 'limit' // larger, or more of it, than is looked at
  | 'encoding' // no PEM, DER, base64, JSON, or not in the one form that the standard allows
  | 'san' // not exactly one URI SAN
  | 'spiffe-id' // no SPIFFE ID by its standard, or one that names no workload
  | 'is-ca' // an authority where a workload is wanted
  | 'not-ca' // a workload's certificate that signed another one
  | 'key-usage'
  | 'extended-key-usage'
  | 'extension' // a critical one that is not understood, or one that is there twice
  | 'not-yet-valid'
  | 'expired'
  | 'algorithm' // of a signature
  | 'key' // of a kind or size that is not accepted
  | 'path-length'
  | 'signature'
  | 'no-bundle' // nothing is known of the trust domain
  | 'unknown-authority' // no way from the certificate to the bundle, or no such key in it
  | 'audience'
  | 'claim' // missing, or of another type
  | 'token-type'
  | 'unauthenticated' // whoever was asked does not vouch for it
  | 'unavailable' // whoever could vouch for it does not answer
  | 'certificates' // the mesh's clients carry another sort of certificate
  | 'tags'; // a tag certificate that contradicts itself

export function refuse(
  code: RefusalCode,
  message: string,
): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: { code, message } };
}

export function accept<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}
