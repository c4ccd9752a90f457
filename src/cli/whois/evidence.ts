import { readBundle } from '../../attributes/bundles/document.ts';
import { Bundles } from '../../attributes/bundles/store.ts';
import { Proving } from '../../attributes/proving/proving.ts';
import { readPem } from '../../attributes/x509/pem.ts';
import { X509Verifier } from '../../attributes/x509/verifier.ts';
import type { Mesh } from '../../pdp/model/inventory.ts';
import { limits } from '../../pdp/model/limits.ts';
import { exit, Failure } from '../failure.ts';
import { pairFlag } from '../pair.ts';
import { textOf } from '../path-words.ts';

export interface EvidenceFlags {
  readonly cert?: string;
  readonly jwt?: string;
  readonly ip?: string;
  readonly serviceAccount?: string;
  readonly bundle?: readonly string[];
  /** Where it is; true: where the environment says. */
  readonly workloadApi?: string | true;
  readonly audience?: readonly string[];
}

/** Bundles as `trust-domain=file`. */
export function readBundles(flags: readonly string[]): Bundles {
  const bundles = new Bundles();
  for (const flag of flags) {
    const [trustDomain, file] = pairFlag('--bundle', flag, '<trust-domain>=<file>');
    const read = readBundle(trustDomain, textOf(file));
    if (!read.ok) throw new Failure(exit.problems, `${file}: ${read.refusal.message}`);
    bundles.load(file, read.value, Date.now());
  }
  return bundles;
}

/** Each piece of evidence by itself. */
export async function prove(
  flags: EvidenceFlags,
  bundles: Bundles,
  meshes: ReadonlyMap<string, Mesh>,
): Promise<Proving<'certificate' | 'token' | 'address'>> {
  const { cert, jwt, ip, audience = [] } = flags;
  const authorities = { bundles, verifier: new X509Verifier(bundles), audiences: audience };
  const proving = new Proving<'certificate' | 'token' | 'address'>(authorities, meshes);
  if (cert !== undefined)
    proving.certificates('certificate', readPem(textOf(cert), 1 + limits.intermediates));
  if (jwt !== undefined) await proving.token('token', tokenOf(jwt));
  if (ip !== undefined) proving.address('address', ip);
  return proving;
}

/** A token, or `@file`. */
export function tokenOf(flag: string): string {
  return flag.startsWith('@') ? textOf(flag.slice(1)).trim() : flag;
}
