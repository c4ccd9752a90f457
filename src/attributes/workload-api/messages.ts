import { limits } from '../../pdp/model/limits.ts';
import { SpiffeId } from '../../pdp/model/spiffe-id.ts';
import { accept, type Checked, type RefusalCode, refuse } from '../evidence.ts';
import { type Fields, fieldOf, fieldsOf, WireFault } from './protobuf.ts';

/**
 * The messages of the Workload API (standard §§5–6) as they come, before anything in them is believed. A field that
 * must be there and is empty, one that is there once and comes twice: the message is refused.
 */

export interface SvidMessage {
  readonly spiffeId: string;
  /** DER after DER, the leaf first. */
  readonly chain: Uint8Array;
  /** PKCS #8. */
  readonly key: Uint8Array;
  /** DER after DER. */
  readonly bundle: Uint8Array;
  readonly hint: string;
}

export interface JwtSvidMessage {
  readonly spiffeId: string;
  readonly token: string;
  readonly hint: string;
}

/** Bundles as they come, by the name of their trust domain. */
export type BundleMessages = ReadonlyMap<string, Uint8Array>;

export function readX509Svids(message: Uint8Array): Checked<readonly [SvidMessage, ...SvidMessage[]]> {
  return checked(() =>
    svidsOf(message, (fields) => ({
      spiffeId: text(once(fields, 1, 'spiffe_id')),
      chain: once(fields, 2, 'x509_svid'),
      key: once(fields, 3, 'x509_svid_key'),
      bundle: once(fields, 4, 'bundle'),
      hint: text(optional(fields, 5, 'hint')),
    })),
  );
}

export function readJwtSvids(message: Uint8Array): Checked<readonly [JwtSvidMessage, ...JwtSvidMessage[]]> {
  return checked(() =>
    svidsOf(message, (fields) => ({
      spiffeId: text(once(fields, 1, 'spiffe_id')),
      token: text(once(fields, 2, 'svid')),
      hint: text(optional(fields, 3, 'hint')),
    })),
  );
}

export function readX509Bundles(message: Uint8Array): Checked<BundleMessages> {
  return checked(() => bundlesOf(message, 2));
}

export function readJwtBundles(message: Uint8Array): Checked<BundleMessages> {
  return checked(() => bundlesOf(message, 1));
}

export function jwtSvidRequest(audiences: readonly string[], spiffeId?: string): Uint8Array {
  return Buffer.concat([
    ...audiences.map((audience) => fieldOf(1, audience)),
    ...(spiffeId === undefined ? [] : [fieldOf(2, spiffeId)]),
  ]);
}

class Fault extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

function checked<T>(read: () => T): Checked<T> {
  try {
    return accept(read());
  } catch (error) {
    if (error instanceof WireFault) return refuse('encoding', error.message);
    if (error instanceof Fault) return refuse(error.code, error.message);
    throw error;
  }
}

/** Fields of one message that has no lists in it; some more than we know of may be there. */
const fieldsOfOne = 64;

function svidsOf<T>(message: Uint8Array, read: (fields: Fields) => T): readonly [T, ...T[]] {
  const values = fieldsOf(message, limits.workloadFields).get(1) ?? [];
  if (values.length > limits.workloadSvids)
    throw new Fault('limit', `got ${values.length} SVIDs, want at most ${limits.workloadSvids}`);
  const [first, ...rest] = values.map((value) => read(fieldsOf(value, fieldsOfOne)));
  if (first === undefined) throw new Fault('encoding', 'got a message without SVIDs, want at least one');
  return [first, ...rest];
}

/** A map of Protocol Buffers: entries with a key and a value. */
function bundlesOf(message: Uint8Array, number: number): BundleMessages {
  const entries = fieldsOf(message, limits.workloadFields).get(number) ?? [];
  if (entries.length === 0) throw new Fault('encoding', 'got a message without bundles, want at least one');
  if (entries.length > limits.workloadBundles)
    throw new Fault('limit', `got ${entries.length} bundles, want at most ${limits.workloadBundles}`);
  const bundles = new Map<string, Uint8Array>();
  for (const entry of entries) {
    const fields = fieldsOf(entry, fieldsOfOne);
    const trustDomain = trustDomainOf(text(once(fields, 1, 'the key of a bundle')));
    if (bundles.has(trustDomain))
      throw new Fault('encoding', `got the bundle of ${trustDomain} twice, want it once`);
    bundles.set(trustDomain, optional(fields, 2, 'the value of a bundle'));
  }
  return bundles;
}

/** Bundles are named by the ID of their trust domain. */
function trustDomainOf(id: string): string {
  const parsed = SpiffeId.parse(id);
  if (!parsed.ok)
    throw new Fault('spiffe-id', `got a bundle of what is no trust domain: ${parsed.fault.message}`);
  if (parsed.value.path !== '')
    throw new Fault('spiffe-id', `got a bundle of ${id}, want the ID of a trust domain, which has no path`);
  return parsed.value.trustDomain.name;
}

function once(fields: Fields, number: number, name: string): Uint8Array {
  const value = optional(fields, number, name);
  if (value.length === 0) throw new Fault('encoding', `got a message with an empty ${name}, want it filled`);
  return value;
}

const nothing = new Uint8Array();

/** What is not sent is empty. */
function optional(fields: Fields, number: number, name: string): Uint8Array {
  const values = fields.get(number) ?? [];
  if (values.length > 1) throw new Fault('encoding', `got ${name} twice in one message, want it once`);
  return values[0] ?? nothing;
}

function text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Fault('encoding', 'got a text that is no UTF-8');
  }
}
