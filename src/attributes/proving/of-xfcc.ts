import type { Mesh } from '../../pdp/model/inventory.ts';
import { SpiffeId } from '../../pdp/model/spiffe-id.ts';
import { readTagCertificate } from '../../pdp/model/tag-certificate.ts';
import { formatViolation } from '../../pdp/model/violation.ts';
import type { Checked } from '../evidence.ts';
import type { Certificate } from '../x509/certificate.ts';
import { isOfTagMesh } from '../x509/tags.ts';
import type { Proving } from './proving.ts';
import type { XfccElement } from './xfcc.ts';

/** A certificate is verified here. Without one, whoever relays the header has verified what it says of the URI. */
export function proveXfcc<Name extends string>(
  name: Name,
  { uris, cert, chain, hash }: XfccElement,
  proving: Proving<Name>,
  meshes: ReadonlyMap<string, Mesh>,
  certificates: (pem: string) => Checked<readonly Certificate[]>,
): void {
  const pem = chain ?? cert;
  // Of both each names somebody, and two are a conflict.
  for (const one of [chain, cert]) {
    if (one === undefined) continue;
    const read = certificates(one);
    if (hash === undefined || !read.ok || read.value[0]?.fingerprint === hash)
      proving.certificates(name, read);
    else proving.refuse(name, { code: 'encoding', message: 'got a certificate of another hash' });
  }
  // Of a client whose only tag is its service there is one URI, which looks like a SPIFFE ID.
  if (isOfTagMesh({ uriSans: uris }, meshes)) {
    // Beside a certificate they are its own, or those of somebody else: a conflict.
    const read = readTagCertificate(uris, meshes);
    if ('identity' in read) proving.tags(read.identity);
    else proving.refuse(name, { code: 'tags', message: read.violations.map(formatViolation).join('; ') });
    return;
  }
  const [uri, ...more] = uris;
  if (uri === undefined && pem !== undefined) return;
  if (uri === undefined || more.length > 0) {
    const message = `got ${uris.length} URIs of the client and no certificate, want exactly one URI`;
    if (pem === undefined) proving.refuse(name, { code: 'san', message });
    return;
  }
  const parsed = SpiffeId.parse(uri);
  if (!parsed.ok)
    proving.refuse(name, {
      code: 'spiffe-id',
      message: `got a URI that is no SPIFFE ID: ${parsed.fault.message}`,
    });
  else if (parsed.value.path === '')
    proving.refuse(name, { code: 'spiffe-id', message: `got ${uri}, want the ID of a workload` });
  else proving.id(name, parsed.value);
}
