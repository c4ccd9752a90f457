import type { Peer } from '../../../../src/envoy/interpreter/evidence.ts';
import { trustDomains } from '../../../oracle/universe.ts';
import {
  type Authority,
  authority,
  type Certificate,
  leaf,
  type San,
  selfSigned,
} from '../../../support/certificates/index.ts';
import { spiffeBundles, trustedCa } from '../../../support/envoy/trust.ts';

/** The certificates that peers present, each made once. */

const made = new Map<string, Promise<Certificate>>();

/** Signed by the authority of its trust domain, if it has one; what was not validated, by its own key. */
export function certificateOf(peer: Peer): Promise<Certificate> | undefined {
  if (!peer.presented) return undefined;
  const id = JSON.stringify([peer.uriSans, peer.dnsSans, peer.subject, peer.validated]);
  const known = made.get(id);
  if (known !== undefined) return known;
  const options = {
    sans: [...peer.uriSans.map(uriSan), ...peer.dnsSans.map((value): San => ({ dns: value }))],
    ...(peer.subject === undefined ? {} : { commonName: peer.subject.replace(/^CN=/, '') }),
  };
  const certificate = peer.validated
    ? signer(peer).then((found) => leaf(found, options))
    : selfSigned(options);
  made.set(id, certificate);
  return certificate;
}

function uriSan(value: string): San {
  // The encoder for names takes an empty one for none.
  return value === '' ? { uriBytes: Buffer.alloc(0) } : { uri: value };
}

/** Whoever is for its first SPIFFE ID, which need not be the first of its URIs. */
async function signer({ uriSans }: Peer): Promise<Authority> {
  const first = uriSans.find((uri) => uri.startsWith('spiffe://')) ?? '';
  const host = /^spiffe:\/\/([^/]+)/.exec(first)?.[1] ?? '';
  return (await authorities()).find(({ trustDomain }) => trustDomain === host) ?? (await elsewhere());
}

let all: Promise<Authority[]> | undefined;
export function authorities(): Promise<Authority[]> {
  all ??= Promise.all([...trustDomains, 'default', 'other'].map((name) => authority(name)));
  return all;
}
/** Who signs names of no trust domain that we know. */
const elsewhere = async () => (await authorities())[0]!;

/** Everybody whom an authority signed gets as far as the filters, whatever the name: they are tried with all. */
const anySigned = async () => trustedCa(...(await authorities()));
/** As an export asks for it. */
const bundles = async () => spiffeBundles(...(await authorities()));

/** Whom a set's listeners let in: of every fourth with all that an export relies on. */
export async function trusts(): Promise<(seed: number) => Awaited<ReturnType<typeof anySigned>>> {
  const [loose, strict] = [await anySigned(), await bundles()];
  return (seed) => (seed % 4 === 0 ? strict : loose);
}
