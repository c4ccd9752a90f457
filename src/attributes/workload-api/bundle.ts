import { limits } from '../../pdp/model/limits.ts';
import type { Bundle } from '../bundles/bundle.ts';
import { checkAuthority, readKeySet } from '../bundles/document.ts';
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
  readBundle(trustDomain: string, bytes: Uint8Array): Checked<Bundle>;
}

export const bundleSorts: { readonly x509: BundleSort; readonly jwt: BundleSort } = {
  x509: {
    method: 'FetchX509Bundles',
    source: 'workload API (X.509)',
    readMessage: readX509Bundles,
    readBundle(trustDomain, bytes) {
      const authorities = readAuthorities(bytes);
      return authorities.ok
        ? accept({ trustDomain, authorities: authorities.value, keys: new Map() })
        : authorities;
    },
  },
  jwt: {
    method: 'FetchJWTBundles',
    source: 'workload API (JWT)',
    readMessage: readJwtBundles,
    readBundle: (trustDomain, bytes) => readKeySet(trustDomain, Buffer.from(bytes).toString('utf8')),
  },
};

export function readAuthorities(bytes: Uint8Array): Checked<readonly Certificate[]> {
  const certificates = readCertificates(bytes, limits.authorities);
  if (!certificates.ok) return certificates;
  for (const certificate of certificates.value) {
    const fit = checkAuthority(certificate);
    if (!fit.ok) return fit;
  }
  return certificates;
}

/**
 * Takes a message into the store. It says all there is (standard §4.4), so that what it leaves out goes. A bundle
 * that is unsound keeps its last good one and does not keep the others from changing: else one trust domain that
 * others federate with could stop the rotation of all.
 */
export function takeBundles(
  sort: BundleSort,
  message: Uint8Array,
  bundles: Bundles,
  now: number,
): Checked<true> {
  const read = sort.readMessage(message);
  if (!read.ok) return read;
  for (const [trustDomain, bytes] of read.value) {
    const bundle = sort.readBundle(trustDomain, bytes);
    if (bundle.ok) bundles.load(sort.source, bundle.value, now);
    else bundles.fail(sort.source, trustDomain, bundle.refusal);
  }
  for (const { trustDomain, source } of bundles.status())
    if (source === sort.source && !read.value.has(trustDomain)) bundles.drop(source, trustDomain);
  return accept(true);
}
