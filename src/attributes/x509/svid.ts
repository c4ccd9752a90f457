import { SpiffeId } from '../../pdp/model/spiffe-id.ts';
import { accept, type Checked, refuse } from '../evidence.ts';
import { checkKey, named } from './algorithms.ts';
import type { Certificate } from './certificate.ts';
import { vouchedUntil } from './chain.ts';
import { isForBothSides } from './purposes.ts';

/** An X.509-SVID that was verified: who carries it, and how long that can be believed. */
export interface X509Svid {
  readonly spiffeId: SpiffeId;
  readonly leaf: Certificate;
  /** The first moment at which a certificate on its path is no longer valid. */
  readonly validUntil: number;
}

/** The authorities of one trust domain; undefined if nothing is known of it. */
export type AuthoritiesOf = (trustDomain: string) => readonly Certificate[] | undefined;

/** X.509-SVID standard §§2–5, against the bundle of the trust domain that the ID itself names. */
export function verifyX509Svid(
  chain: readonly [Certificate, ...Certificate[]],
  authoritiesOf: AuthoritiesOf,
  now: number,
): Checked<X509Svid> {
  const [leaf] = chain;
  const id = spiffeIdOf(leaf);
  if (!id.ok) return id;
  const fit = checkLeaf(leaf);
  if (!fit.ok) return fit;
  const spiffeId = id.value;
  const authorities = authoritiesOf(spiffeId.trustDomain.name);
  if (authorities === undefined)
    return refuse(
      'no-bundle',
      `got an ID of the trust domain ${spiffeId.trustDomain}, of which there is no bundle`,
    );
  const until = vouchedUntil(chain, authorities, now);
  return until.ok ? accept({ spiffeId, leaf, validUntil: until.value }) : until;
}

/** §2: exactly one URI SAN, which is the ID; §5.2: the ID of a workload has a path. */
function spiffeIdOf({ uriSans }: Certificate): Checked<SpiffeId> {
  const [uri, ...more] = uriSans;
  if (uri === undefined)
    return refuse('san', 'got a certificate without a URI SAN, want one with exactly one');
  const ofTags = uriSans.some((one) => one.startsWith('kuma://'))
    ? '; tags are read where a Mesh says "certificates: tags"'
    : '';
  if (more.length > 0)
    return refuse('san', `got a certificate with ${uriSans.length} URI SANs, want exactly one${ofTags}`);
  const parsed = SpiffeId.parse(uri);
  if (!parsed.ok) return refuse('spiffe-id', `got a URI SAN that is no SPIFFE ID: ${parsed.fault.message}`);
  if (parsed.value.path === '')
    return refuse('spiffe-id', `got ${uri}, which names a trust domain, want the ID of a workload`);
  return accept(parsed.value);
}

/** §4: what a leaf must be and must not be. */
export function checkLeaf(leaf: Certificate): Checked<true> {
  const who = named(leaf.subjectText);
  const { keyUsage } = leaf;
  if (leaf.isAuthority) return refuse('is-ca', `got ${who}, which is an authority's, want a workload's`);
  if (keyUsage === undefined)
    return refuse('key-usage', `got ${who} without key usage, want digitalSignature`);
  if (!keyUsage.critical)
    return refuse('key-usage', `got ${who} whose key usage is not critical, want it critical`);
  if (!keyUsage.digitalSignature)
    return refuse('key-usage', `got ${who} whose key usage lacks digitalSignature, want it`);
  if (keyUsage.keyCertSign || keyUsage.crlSign)
    return refuse(
      'key-usage',
      `got ${who} whose key may sign certificates or revocations, want one that may not`,
    );
  if (!isForBothSides(leaf))
    return refuse(
      'extended-key-usage',
      `got ${who} whose extended key usage lacks serverAuth or clientAuth, want both or none`,
    );
  if (leaf.notUnderstood.length > 0)
    return refuse(
      'extension',
      `got the critical extension ${leaf.notUnderstood[0]} on ${who}, which is not understood`,
    );
  return checkKey(leaf.key, who);
}
