import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type ExtendedKeyUsageType,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { type Authority, pem, serial } from './authority.ts';
import { type Certificate, certificateOf, times, type Validity } from './certificate.ts';
import { type KeyKind, keysFor, privatePem, signingAlgorithm } from './keys.ts';
import { type San, sanExtension, uri } from './san.ts';

/** Everything about a leaf that a test may want otherwise; what is not given is as in an X509-SVID. */
export interface LeafOptions {
  readonly sans?: readonly San[];
  /** CN of the subject; without it the subject is empty. */
  readonly commonName?: string;
  readonly validity?: Validity;
  readonly key?: KeyKind;
  /** Leaves share a key; with a name it is one of that name. */
  readonly keyName?: string;
  readonly ca?: boolean;
  readonly keyUsage?: number | undefined;
  readonly extendedKeyUsage?: readonly ExtendedKeyUsageType[] | undefined;
  readonly more?: readonly Extension[];
  /** Presented without the intermediates that lead to the root. */
  readonly alone?: boolean;
}

export const usage = KeyUsageFlags;
export const purpose = ExtendedKeyUsage;
const bothSides = [ExtendedKeyUsage.clientAuth, ExtendedKeyUsage.serverAuth];

function extensions(options: LeafOptions): Extension[] {
  const { sans = [], ca = false, commonName, more = [] } = options;
  const keyUsage = 'keyUsage' in options ? options.keyUsage : KeyUsageFlags.digitalSignature;
  const purposes = 'extendedKeyUsage' in options ? options.extendedKeyUsage : bothSides;
  return [
    new BasicConstraintsExtension(ca, undefined, true),
    ...(keyUsage === undefined ? [] : [new KeyUsagesExtension(keyUsage, true)]),
    ...(purposes === undefined ? [] : [new ExtendedKeyUsageExtension([...purposes])]),
    // Critical where there is no subject: RFC 5280 §4.2.1.6.
    ...(sans.length === 0 ? [] : [sanExtension(sans, commonName === undefined)]),
    ...more,
  ];
}

const subject = (options: LeafOptions) =>
  options.commonName === undefined ? '' : [{ CN: [options.commonName] }];

export async function leaf(signer: Authority, options: LeafOptions): Promise<Certificate> {
  const keys = await keysFor(options.keyName ?? 'leaf', options.key);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: subject(options),
    issuer: signer.certificate.subjectName.toJSON(),
    ...times(options.validity ?? 'now'),
    signingAlgorithm: signingAlgorithm(signer.keys),
    signingKey: signer.keys.privateKey,
    publicKey: keys.publicKey,
    extensions: extensions(options),
  });
  const rest = options.alone === true ? [] : signer.intermediates;
  return certificateOf([pem(certificate), ...rest], await privatePem(keys));
}

/** Signed by its own key: nobody vouches for it. */
export async function selfSigned(options: LeafOptions): Promise<Certificate> {
  const keys = await keysFor('self-signed', options.key);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: subject(options) === '' ? [{ CN: ['self'] }] : (subject(options) as { CN: string[] }[]),
    ...times(options.validity ?? 'now'),
    signingAlgorithm: signingAlgorithm(keys),
    keys,
    extensions: extensions(options),
  });
  return certificateOf([pem(certificate)], await privatePem(keys));
}

export function svid(signer: Authority, spiffeId: string, options: LeafOptions = {}): Promise<Certificate> {
  return leaf(signer, { sans: [uri(spiffeId)], ...options });
}

/** What a client of a tag mesh has: `spiffe://<mesh>/<service>` of each service, `kuma://<tag>/<value>` of each tag. */
export function tagCertificate(
  signer: Authority,
  mesh: string,
  services: readonly string[],
  tags: Readonly<Record<string, readonly string[]>> = {},
  options: LeafOptions = {},
): Promise<Certificate> {
  const kuma = { 'kuma.io/service': services, ...tags };
  const sans = [
    ...services.map((service) => uri(`spiffe://${mesh}/${service}`)),
    ...Object.entries(kuma).flatMap(([tag, values]) => values.map((value) => uri(`kuma://${tag}/${value}`))),
  ];
  return leaf(signer, { sans, ...options });
}

/** An extension that nobody knows and that says that it must be understood. */
export function unknownCritical(): Extension {
  return new Extension('1.3.6.1.4.1.55555.1', true, Uint8Array.from([0x05, 0x00]));
}

/** Of an authority: what it says that it is for. */
export function purposes(...all: readonly ExtendedKeyUsageType[]): Extension {
  return new ExtendedKeyUsageExtension([...all]);
}

/** That whatever stands below is for URIs of this host alone (RFC 5280 §4.2.1.10). */
export function nameConstraints(host: string, critical: boolean): Extension {
  const uri = [0x86, host.length, ...Buffer.from(host)];
  const subtrees = [0x30, uri.length, ...uri];
  const permitted = [0xa0, subtrees.length, ...subtrees];
  return new Extension('2.5.29.30', critical, Uint8Array.from([0x30, permitted.length, ...permitted]));
}
