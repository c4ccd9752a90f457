import { createHash } from 'node:crypto';
import { limits } from '../../pdp/model/limits.ts';
import type { Bundle } from '../bundles/bundle.ts';
import { authoritiesOf, readKeySet } from '../bundles/document.ts';
import type { Bundles } from '../bundles/store.ts';
import { accept, type Checked } from '../evidence.ts';
import type { Certificate } from '../x509/certificate.ts';
import { readCertificates } from './certificates.ts';
import { type BundleMessages, readJwtBundles, readX509Bundles } from './messages.ts';

/** The two sorts of bundles that the Workload API has, and who says so in the store. */
export interface BundleSort {
  readonly method: 'FetchX509Bundles' | 'FetchJWTBundles';
  readonly source: string;
  readMessage(message: Uint8Array): Checked<BundleMessages>;
  /** Of at most so many authorities or keys. */
  readBundle(trustDomain: string, bytes: Uint8Array, most: number): Checked<Bundle>;
}

export const bundleSorts: { readonly x509: BundleSort; readonly jwt: BundleSort } = {
  x509: {
    method: 'FetchX509Bundles',
    source: 'workload API (X.509)',
    readMessage: readX509Bundles,
    readBundle(trustDomain, bytes, most) {
      const authorities = readAuthorities(bytes, most);
      return authorities.ok
        ? accept({ trustDomain, authorities: authorities.value, keys: new Map() })
        : authorities;
    },
  },
  jwt: {
    method: 'FetchJWTBundles',
    source: 'workload API (JWT)',
    readMessage: readJwtBundles,
    readBundle: (trustDomain, bytes, most) =>
      readKeySet(trustDomain, Buffer.from(bytes).toString('utf8'), most),
  },
};

export function readAuthorities(bytes: Uint8Array, most: number): Checked<readonly Certificate[]> {
  return authoritiesOf(readCertificates(bytes, most));
}

/** Takes a message into the store, or refuses it. */
export type TakeBundles = (message: Uint8Array, now: number) => Checked<true>;

/**
 * A message says all there is (standard §4.4), so that what it leaves out goes. A bundle that is unsound keeps its
 * last good one and does not keep the others from changing: else one trust domain that others federate with could
 * stop the rotation of all. For the same reason the small ones come first where there is more than may be read; what
 * is as it was is not read again, since that takes a millisecond a certificate.
 */
export function takeBundles(
  sort: BundleSort,
  bundles: Bundles,
  most: number = limits.authorities,
): TakeBundles {
  const { source } = sort;
  const known = new Map<string, { readonly hash: string; readonly bundle: Bundle }>();
  return (message, now) => {
    const read = sort.readMessage(message);
    if (!read.ok) return read;
    let left = most;
    for (const [trustDomain, bytes] of [...read.value].sort(([, a], [, b]) => a.length - b.length)) {
      const hash = createHash('sha256').update(bytes).digest('hex');
      const before = known.get(trustDomain);
      const bundle =
        before?.hash === hash ? accept(before.bundle) : sort.readBundle(trustDomain, bytes, left);
      if (!bundle.ok) {
        bundles.fail(source, trustDomain, bundle.refusal);
        continue;
      }
      if (bundle.value !== before?.bundle) left -= bundle.value.authorities.length + bundle.value.keys.size;
      known.set(trustDomain, { hash, bundle: bundle.value });
      bundles.load(source, bundle.value, now);
    }
    for (const { trustDomain, source: by } of bundles.status()) {
      if (by !== source || read.value.has(trustDomain)) continue;
      bundles.drop(source, trustDomain);
      known.delete(trustDomain);
    }
    return accept(true);
  };
}
