import { BOOLEAN, DerReader, OBJECT_IDENTIFIER, OCTET_STRING } from './der.ts';

export interface RawExtension {
  /** The bytes that its OID is encoded in, in hex. */
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

const EXTENSIONS = 0xa3;

/**
 * The extensions of a certificate as they are written (RFC 5280 §4.1). The library rounds large numbers in OIDs, by
 * which one extension could pass for another; undefined if they are not in the form that they have.
 */
export function rawExtensions(der: Uint8Array): readonly RawExtension[] | undefined {
  const fields = new DerReader(der).sequence()?.sequence();
  while (fields?.tag !== undefined && fields.tag !== EXTENSIONS) {
    if (fields.read(fields.tag) === undefined) return undefined;
  }
  if (fields === undefined || fields.done) return fields && [];
  const wrapped = fields.read(EXTENSIONS);
  const list = wrapped && new DerReader(wrapped).sequence();
  const found: RawExtension[] = [];
  while (list !== undefined && !list.done) {
    const one = list.sequence();
    const oid = one?.read(OBJECT_IDENTIFIER);
    const critical = one?.tag === BOOLEAN;
    // True has one form (X.690 §11.1), and false, the default, none at all (§11.5): BER takes any other byte for true.
    if (critical && !isTrue(one.read(BOOLEAN))) return undefined;
    const value = one?.read(OCTET_STRING);
    if (one === undefined || oid === undefined || value === undefined || !one.done) return undefined;
    found.push({ oid: Buffer.from(oid).toString('hex'), critical, value });
  }
  return list && found;
}

function isTrue(content: Uint8Array | undefined): boolean {
  return content?.length === 1 && content[0] === 0xff;
}
