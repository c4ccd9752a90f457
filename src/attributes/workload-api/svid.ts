import { createPrivateKey, type KeyObject } from 'node:crypto';
import { limits } from '../../pdp/model/limits.ts';
import type { SpiffeId } from '../../pdp/model/spiffe-id.ts';
import { accept, type Checked, refuse } from '../evidence.ts';
import type { Certificate } from '../x509/certificate.ts';
import { verifyX509Svid } from '../x509/svid.ts';
import { readAuthorities } from './bundle.ts';
import { readCertificates } from './certificates.ts';
import type { SvidMessage } from './messages.ts';

/** An identity of our own, with the key that proves it. */
export interface OwnSvid {
  readonly spiffeId: SpiffeId;
  /** The leaf first, then intermediates: what peers are shown. */
  readonly chain: readonly [Certificate, ...Certificate[]];
  readonly key: KeyObject;
  /** What the operator of the Workload API says it is for; often empty. */
  readonly hint: string;
  /** The first moment at which a certificate on its path is no longer valid. */
  readonly validUntil: number;
}

/** All or none: half of one's identities is a state that nobody foresaw. */
export function readOwnSvids(
  messages: readonly [SvidMessage, ...SvidMessage[]],
  now: number,
  most: number = limits.authorities,
): Checked<readonly [OwnSvid, ...OwnSvid[]]> {
  const svids: OwnSvid[] = [];
  let left = most;
  let last: { readonly bytes: Uint8Array; readonly authorities: readonly Certificate[] } | undefined;
  for (const message of messages) {
    // As a rule all have the bundle of one trust domain.
    if (last === undefined || !Buffer.from(last.bytes).equals(message.bundle)) {
      const authorities = readAuthorities(message.bundle, left);
      if (!authorities.ok) return authorities;
      left -= authorities.value.length;
      last = { bytes: message.bundle, authorities: authorities.value };
    }
    const svid = readOwnSvid(message, last.authorities, now);
    if (!svid.ok) return svid;
    svids.push(svid.value);
  }
  return accept(svids as [OwnSvid, ...OwnSvid[]]);
}

/** What is not good enough for a peer is not good enough for us, and the key has to be that of the certificate. */
function readOwnSvid(
  message: SvidMessage,
  authorities: readonly Certificate[],
  now: number,
): Checked<OwnSvid> {
  const chain = readCertificates(message.chain, 1 + limits.intermediates);
  if (!chain.ok) return chain;
  const verified = verifyX509Svid(chain.value, () => authorities, now);
  if (!verified.ok) return verified;
  const { spiffeId, leaf, validUntil } = verified.value;
  if (spiffeId.toString() !== message.spiffeId)
    return refuse('spiffe-id', `got the certificate of ${spiffeId} as the SVID of another ID, want its own`);
  const key = privateKeyOf(message.key);
  if (key === undefined || !leaf.native.checkPrivateKey(key))
    return refuse(
      'key',
      `got a key that is not that of the certificate of ${spiffeId}, want its own in PKCS #8`,
    );
  return accept({ spiffeId, chain: chain.value, key, hint: message.hint, validUntil });
}

function privateKeyOf(der: Uint8Array): KeyObject | undefined {
  try {
    return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  } catch {
    return undefined;
  }
}

/** As listeners and connections of `node:tls` take it. */
export function credentialsOf({ chain, key }: OwnSvid): { readonly cert: string; readonly key: string } {
  return {
    cert: chain.map(({ native }) => native.toString()).join(''),
    key: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
