import { limits } from '../../pdp/model/limits.ts';
import { isOfSite, siteScopes } from '../../pdp/model/of-site.ts';
import { accept, type Checked, refuse } from '../evidence.ts';
import { DerReader, sequence, utf8 } from './der.ts';

/**
 * The extension by which a gateway's certificate carries the attributes of its site:
 *
 *     SiteAttributes ::= SEQUENCE OF SEQUENCE { key UTF8String, value UTF8String }
 *
 * in ascending order of the keys' bytes, each key once. It is not critical, so that others accept the certificate.
 * Its OID is a number drawn by lot under 2.25, the arc of UUIDs (ITU-T X.667), where nobody has to register. It has
 * 31 bits, since libraries read longer ones wrongly.
 */
export const siteExtension = '2.25.1925762350';

/** The bytes that the OID is encoded in, in hex. */
export const siteExtensionBytes = '698796a39a2e';

export function encodeSite(attributes: ReadonlyMap<string, string>): Uint8Array {
  const sorted = [...attributes].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return sequence(...sorted.map(([key, text]) => sequence(utf8(key), utf8(text))));
}

export function readSite(der: Uint8Array): Checked<ReadonlyMap<string, string>> {
  const outer = new DerReader(der);
  const list = outer.sequence();
  if (list === undefined || !outer.done) return malformed();
  const attributes = new Map<string, string>();
  let last: string | undefined;
  while (!list.done) {
    const pair = list.sequence();
    const key = pair?.utf8();
    const text = pair?.utf8();
    if (pair === undefined || key === undefined || text === undefined || !pair.done) return malformed();
    if (attributes.size === limits.attributes)
      return refuse('limit', `got a certificate with more than ${limits.attributes} site attributes`);
    if (key.length > limits.attributeKeyBytes || text.length > limits.attributeValueBytes)
      return refuse(
        'limit',
        'got a certificate with a site attribute that is longer than an attribute may be',
      );
    // A gateway speaks for its site, not for the workloads behind it.
    if (!isOfSite(key))
      return refuse(
        'extension',
        `got ${JSON.stringify(key)} among the site attributes of a certificate, want keys under ${siteScopes.join(', ')}`,
      );
    if (last !== undefined && Buffer.compare(Buffer.from(last), Buffer.from(key)) >= 0) return malformed();
    attributes.set(key, text);
    last = key;
  }
  return accept(attributes);
}

function malformed(): ReturnType<typeof refuse> {
  return refuse('extension', 'got a certificate whose site attributes are not in the form that they have');
}
