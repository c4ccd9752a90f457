import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import {
  BasicConstraintsExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { times, type Validity } from './certificate.ts';
import { type KeyKind, type Keys, keysFor, signingAlgorithm } from './keys.ts';
import { type San, sanExtension } from './san.ts';

/** Who signs: a root, or an intermediate below one. */
export interface Authority {
  readonly trustDomain: string;
  /** The root's PEM: what a bundle of this trust domain holds. */
  readonly bundle: string;
  /** Between the root and whoever is signed, nearest first; empty for a root. */
  readonly intermediates: readonly string[];
  readonly certificate: X509Certificate;
  readonly keys: Keys;
}

export interface AuthorityOptions {
  readonly key?: KeyKind;
  readonly validity?: Validity;
  /** A second authority of the same name has other keys: rotation, or somebody who claims the name. */
  readonly generation?: number;
  readonly pathLength?: number;
  readonly name?: string;
  /** What an intermediate that is none lacks. */
  readonly notCa?: boolean;
  readonly sans?: readonly San[];
  readonly more?: readonly Extension[];
}

export function serial(): string {
  // Positive, as RFC 5280 §4.1.2.2 wants it.
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

export function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

function extensions(options: AuthorityOptions, trustDomain: string): Extension[] {
  return [
    new BasicConstraintsExtension(options.notCa !== true, options.pathLength, true),
    new KeyUsagesExtension(
      options.notCa === true
        ? KeyUsageFlags.digitalSignature
        : KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign,
      true,
    ),
    sanExtension(options.sans ?? [{ uri: `spiffe://${trustDomain}` }], false),
    ...(options.more ?? []),
  ];
}

/** The root of a trust domain. */
export async function authority(trustDomain: string, options: AuthorityOptions = {}): Promise<Authority> {
  const keys = await keysFor(`root ${trustDomain} ${options.generation ?? 0}`, options.key);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: [{ CN: [options.name ?? `${trustDomain} root`] }],
    ...times(options.validity ?? 'long'),
    signingAlgorithm: signingAlgorithm(keys),
    keys,
    extensions: extensions(options, trustDomain),
  });
  return { trustDomain, bundle: pem(certificate), intermediates: [], certificate, keys };
}

/** An authority below another. */
export async function intermediate(above: Authority, options: AuthorityOptions = {}): Promise<Authority> {
  const { trustDomain } = above;
  const depth = above.intermediates.length + 1;
  const keys = await keysFor(`${depth} below ${trustDomain} ${options.generation ?? 0}`, options.key);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: [{ CN: [options.name ?? `${trustDomain} intermediate ${depth}`] }],
    issuer: above.certificate.subjectName.toJSON(),
    ...times(options.validity ?? 'long'),
    signingAlgorithm: signingAlgorithm(above.keys),
    signingKey: above.keys.privateKey,
    publicKey: keys.publicKey,
    extensions: extensions(options, trustDomain),
  });
  return {
    trustDomain,
    bundle: above.bundle,
    intermediates: [pem(certificate), ...above.intermediates],
    certificate,
    keys,
  };
}
