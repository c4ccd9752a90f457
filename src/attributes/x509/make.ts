import 'reflect-metadata';
import { createPrivateKey, type KeyObject, randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  type Extension as CertificateExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { tagCertificateUris } from '../../pdp/model/tag-certificate.ts';
import { encodeSite, siteExtension } from './site.ts';

/** Makes certificates for demos, tests and small fabrics: `placet pki`. A real fabric has SPIRE or cert-manager. */

type Keys = webcrypto.CryptoKeyPair;

const curve = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export interface Issued {
  readonly certificate: string;
  /** PKCS #8 in PEM. */
  readonly key: string;
}

export interface Authority extends Issued {
  readonly keys: Keys;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export async function makeAuthority(trustDomain: string, validity: Validity): Promise<Authority> {
  const keys = await makeKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${trustDomain} authority`,
    ...validity,
    signingAlgorithm: curve,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      uris(`spiffe://${trustDomain}`),
    ],
  });
  return { certificate: pem(certificate), key: await privatePem(keys), keys };
}

/** A workload's, or, with attributes of a site, a gateway's. */
export function makeSvid(
  authority: Authority,
  spiffeId: string,
  validity: Validity,
  site?: ReadonlyMap<string, string>,
): Promise<Issued> {
  const own = site === undefined ? [] : [siteAttributes(site)];
  return makeLeaf(authority, [spiffeId], validity, own);
}

/** The certificate of a client of a tag mesh, which is no X.509-SVID: it has several URI SANs. */
export function makeTagCertificate(
  authority: Authority,
  mesh: string,
  tags: ReadonlyMap<string, readonly string[]>,
  validity: Validity,
): Promise<Issued> {
  return makeLeaf(authority, tagCertificateUris(mesh, tags), validity, []);
}

async function makeLeaf(
  authority: Authority,
  sans: readonly string[],
  validity: Validity,
  more: readonly CertificateExtension[],
): Promise<Issued> {
  const keys = await makeKeys();
  const issuer = new X509Certificate(authority.certificate);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: '',
    issuer: issuer.subject,
    ...validity,
    signingAlgorithm: curve,
    signingKey: authority.keys.privateKey,
    publicKey: keys.publicKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      await AuthorityKeyIdentifierExtension.create(authority.keys.publicKey),
      // A certificate without a subject has its names marked critical (RFC 5280 §4.2.1.6).
      uris(...sans),
      ...more,
    ],
  });
  return { certificate: pem(certificate), key: await privatePem(keys) };
}

/** An authority that was made before, to sign with again. */
export async function readAuthority(certificate: string, key: string): Promise<Authority> {
  const privateKey = await importKey(createPrivateKey(key));
  const publicKey = await new X509Certificate(certificate).publicKey.export(curve, ['verify']);
  return { certificate, key, keys: { privateKey, publicKey } };
}

function importKey(key: KeyObject): Promise<webcrypto.CryptoKey> {
  const der = key.export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', Uint8Array.from(der), curve, true, ['sign']);
}

function makeKeys(): Promise<Keys> {
  return webcrypto.subtle.generateKey(curve, true, ['sign', 'verify']);
}

async function privatePem({ privateKey }: Keys): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

function uris(...values: readonly string[]): SubjectAlternativeNameExtension {
  return new SubjectAlternativeNameExtension(
    values.map((value) => ({ type: 'url' as const, value })),
    true,
  );
}

function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

/** Positive, and not to be guessed (RFC 5280 §4.1.2.2). */
function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x01;
  return bytes.toString('hex');
}

function siteAttributes(site: ReadonlyMap<string, string>): Extension {
  return new Extension(siteExtension, false, Uint8Array.from(encodeSite(site)));
}
