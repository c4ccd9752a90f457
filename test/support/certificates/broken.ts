import { type Authority, authority, intermediate } from './authority.ts';
import type { Certificate } from './certificate.ts';
import {
  type LeafOptions,
  leaf,
  nameConstraints,
  purpose,
  purposes,
  selfSigned,
  svid,
  unknownCritical,
  usage,
} from './leaf.ts';
import { dns, type San, uri } from './san.ts';

/** Certificates that are no X509-SVID of the ID they would like to have, each by what is wrong with it. */

export interface World {
  readonly home: Authority;
  /** Of another trust domain. */
  readonly foreign: Authority;
  /** Of the home trust domain; what each certificate would like to be. */
  readonly id: string;
}

export type Maker = (world: World) => Promise<Certificate>;

const named =
  (sans: (id: string) => readonly San[], options: LeafOptions = {}): Maker =>
  ({ home, id }) =>
    leaf(home, { ...options, sans: sans(id) });
const other = (id: string) => `spiffe://${new URL(id).host}/other`;
const trustDomainOf = (id: string) => new URL(id).host;
const pathOf = (id: string) => new URL(id).pathname;
const longest = 2048;

/** Signed as they should be: whoever looks at the signature alone is content. */
export const brokenNames = {
  'no-san': named(() => [], { commonName: 'nobody' }),
  'two-ids': named((id) => [uri(id), uri(other(id))]),
  'two-ids-other-first': named((id) => [uri(other(id)), uri(id)]),
  'the-same-twice': named((id) => [uri(id), uri(id)]),
  'id-then-kuma': named((id) => [uri(id), uri('kuma://kuma.io/service/web')]),
  'kuma-then-id': named((id) => [uri('kuma://kuma.io/service/web'), uri(id)]),
  'dns-only': named(() => [dns('web.example.org')]),
  'dns-like-id': named((id) => [dns(id)]),
  'dns-like-id-beside-other': named((id) => [dns(id), uri(other(id))]),
  'cn-like-id': ({ home, id }) => leaf(home, { commonName: id }),
  'email-only': named(() => [{ email: 'web@example.org' }]),
  'email-like-id': named((id) => [{ email: id }]),
  'comma-in-uri': named((id) => [uri(`${id},${other(id)}`)]),
  'comma-before-id': named((id) => [uri(`spiffe://elsewhere/x,${id}`)]),
  'no-spiffe-uri': named((id) => [uri(`https://${trustDomainOf(id)}${pathOf(id)}`)]),
  'upper-case-scheme': named((id) => [uri(id.replace('spiffe:', 'SPIFFE:'))]),
  'upper-case-trust-domain': named((id) => [
    uri(id.replace(trustDomainOf(id), trustDomainOf(id).toUpperCase())),
  ]),
  'escaped-path': named((id) => [uri(`${id.slice(0, -1)}%${id.charCodeAt(id.length - 1).toString(16)}`)]),
  'dot-segments': named((id) => [uri(`spiffe://${trustDomainOf(id)}/x/..${pathOf(id)}`)]),
  'escaped-dot-segments': named((id) => [uri(`spiffe://${trustDomainOf(id)}/x/%2e%2e${pathOf(id)}`)]),
  'empty-segment': named((id) => [uri(`spiffe://${trustDomainOf(id)}/${pathOf(id)}`)]),
  'trailing-slash': named((id) => [uri(`${id}/`)]),
  'with-query': named((id) => [uri(`${id}?a=b`)]),
  'with-fragment': named((id) => [uri(`${id}#a`)]),
  'with-port': named((id) => [uri(`spiffe://${trustDomainOf(id)}:443${pathOf(id)}`)]),
  'with-user': named((id) => [uri(`spiffe://user@${trustDomainOf(id)}${pathOf(id)}`)]),
  'no-trust-domain': named((id) => [uri(`spiffe://${pathOf(id)}`)]),
  'a-space': named((id) => [uri(`${id} `)]),
  'a-nul': named((id) => [{ uriBytes: Buffer.from(`${id}\0`) }]),
  'a-nul-before-more': named((id) => [{ uriBytes: Buffer.from(`${id}\0.evil`) }]),
  'a-line-break': named((id) => [{ uriBytes: Buffer.from(`${id}\n`) }]),
  'beyond-ascii': named((id) => [{ uriBytes: Buffer.from(`${id}é`) }]),
  'an-empty-uri': named(() => [{ uriBytes: Buffer.alloc(0) }]),
  'too-long': named((id) => [uri(id.padEnd(longest + 1, 'x'))]),
  'trust-domain-too-long': named((id) => [uri(`spiffe://${'x'.repeat(256)}${pathOf(id)}`)]),
  'id-of-the-trust-domain': named((id) => [uri(`spiffe://${trustDomainOf(id)}`)]),
} satisfies Record<string, Maker>;

/** The name is right; what the leaf may be used for is not. */
export const brokenLeaves = {
  'a-ca': ({ home, id }) =>
    svid(home, id, { ca: true, keyUsage: usage.keyCertSign | usage.digitalSignature }),
  'ca-flag-alone': ({ home, id }) => svid(home, id, { ca: true }),
  'may-sign-certificates': ({ home, id }) =>
    svid(home, id, { keyUsage: usage.digitalSignature | usage.keyCertSign }),
  'may-sign-crls': ({ home, id }) => svid(home, id, { keyUsage: usage.digitalSignature | usage.cRLSign }),
  'no-digital-signature': ({ home, id }) => svid(home, id, { keyUsage: usage.keyEncipherment }),
  'no-key-usage': ({ home, id }) => svid(home, id, { keyUsage: undefined }),
  'for-servers-only': ({ home, id }) => svid(home, id, { extendedKeyUsage: [purpose.serverAuth] }),
  'for-mail': ({ home, id }) => svid(home, id, { extendedKeyUsage: [purpose.emailProtection] }),
  'unknown-critical': ({ home, id }) => svid(home, id, { more: [unknownCritical()] }),
} satisfies Record<string, Maker>;

/** Name and use are right; nobody who is trusted vouches for it here and now. */
export const brokenChains = {
  'self-signed': ({ id }) => selfSigned({ sans: [uri(id)] }),
  'self-signed-as-the-root': ({ home, id }) =>
    selfSigned({ sans: [uri(id)], commonName: home.certificate.subjectName.getField('CN')[0] ?? '' }),
  'foreign-id': ({ home, foreign }) => svid(home, `spiffe://${foreign.trustDomain}/ns/a/sa/b`),
  'foreign-signer': ({ foreign, id }) => svid(foreign, id),
  expired: ({ home, id }) => svid(home, id, { validity: 'expired' }),
  'not-yet-valid': ({ home, id }) => svid(home, id, { validity: 'not-yet' }),
  'another-root-of-that-name': async ({ home, id }) =>
    svid(await authority(home.trustDomain, { generation: 1 }), id),
  'intermediate-not-sent': async ({ home, id }) => svid(await intermediate(home), id, { alone: true }),
  'intermediate-expired': async ({ home, id }) => svid(await intermediate(home, { validity: 'expired' }), id),
  'intermediate-no-ca': async ({ home, id }) => svid(await intermediate(home, { notCa: true }), id),
  'too-many-intermediates': async ({ home, id }) =>
    svid(await intermediate(await intermediate(home, { pathLength: 0 })), id),
  'intermediate-of-another-root': async ({ home, foreign, id }) => {
    const below = await intermediate(foreign);
    return svid({ ...below, trustDomain: home.trustDomain }, id);
  },
  'intermediate-for-other-names': async ({ home, foreign, id }) =>
    svid(await intermediate(home, { more: [nameConstraints(foreign.trustDomain, false)] }), id),
  'intermediate-for-its-names': async ({ home, id }) =>
    svid(await intermediate(home, { more: [nameConstraints(home.trustDomain, false)] }), id),
  'intermediate-for-names-critically': async ({ home, id }) =>
    svid(await intermediate(home, { more: [nameConstraints(home.trustDomain, true)] }), id),
  'intermediate-for-mail': async ({ home, id }) =>
    svid(await intermediate(home, { more: [purposes(purpose.emailProtection)] }), id),
  'intermediate-for-servers-only': async ({ home, id }) =>
    svid(await intermediate(home, { more: [purposes(purpose.serverAuth)] }), id),
  'weak-rsa': ({ home, id }) => svid(home, id, { key: 'rsa1024' }),
  'sha-1': async ({ home, id }) => svid(await intermediate(home, { key: 'rsa2048-sha1' }), id),
} satisfies Record<string, Maker>;

/** X509-SVIDs that look unusual, and nothing is wrong with them. */
export const sound = {
  plain: ({ home, id }) => svid(home, id),
  'below-an-intermediate': async ({ home, id }) => svid(await intermediate(home), id),
  'below-two-intermediates': async ({ home, id }) => svid(await intermediate(await intermediate(home)), id),
  'below-an-intermediate-for-both-sides': async ({ home, id }) => {
    const more = [purposes(purpose.clientAuth, purpose.serverAuth, purpose.emailProtection)];
    return svid(await intermediate(home, { more }), id);
  },
  'with-a-subject': ({ home, id }) => svid(home, id, { commonName: 'web' }),
  'with-dns-names': ({ home, id }) => leaf(home, { sans: [dns('web.shop'), uri(id), dns('spiffe.example')] }),
  'with-a-subject-like-another-id': ({ home, id }) => svid(home, id, { commonName: other(id) }),
  'with-a-dns-name-like-another-id': ({ home, id }) => leaf(home, { sans: [uri(id), dns(other(id))] }),
  'without-purposes': ({ home, id }) => svid(home, id, { extendedKeyUsage: undefined }),
  rsa: ({ home, id }) => svid(home, id, { key: 'rsa2048' }),
  p384: ({ home, id }) => svid(home, id, { key: 'p384' }),
  'as-long-as-may-be': ({ home, id }) => svid(home, id.padEnd(longest, 'x')),
} satisfies Record<string, Maker>;
