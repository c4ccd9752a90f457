import { readFileSync } from 'node:fs';
import type { Proof } from '../../attributes/identify.ts';
import {
  Bundles,
  type Checked,
  defaultSkew,
  isOfTagMesh,
  type Refusal,
  readBundle,
  readPem,
  verifyJwtSvid,
  verifyTagCertificate,
  X509Verifier,
} from '../../attributes/index.ts';
import type { Mesh } from '../../pdp/model/inventory.ts';
import { limits } from '../../pdp/model/limits.ts';
import { exit, Failure } from '../failure.ts';
import { pairOf } from '../pair.ts';

export interface EvidenceFlags {
  readonly cert?: string;
  readonly jwt?: string;
  readonly ip?: string;
  readonly bundle?: readonly string[];
  readonly audience?: readonly string[];
}

/** What was handed over and does not count, with the reason. */
export interface Refused {
  readonly evidence: string;
  readonly refusal: Refusal;
}

export interface Proved {
  readonly proof: Proof;
  readonly refused: readonly Refused[];
}

/** Bundles as `trust-domain=file`. */
export function readBundles(flags: readonly string[]): Bundles {
  const bundles = new Bundles();
  for (const flag of flags) {
    const pair = pairOf(flag);
    if (pair === undefined)
      throw new Failure(
        exit.usage,
        `--bundle ${flag}: no trust domain`,
        'write --bundle <trust-domain>=<file>',
      );
    const [trustDomain, file] = pair;
    const read = readBundle(trustDomain, textOf(file));
    if (!read.ok) throw new Failure(exit.problems, `${file}: ${read.refusal.message}`);
    bundles.load(file, read.value, Date.now());
  }
  return bundles;
}

/** Each piece of evidence by itself: one that is refused does not spoil the others, and is not hidden by them. */
export async function prove(
  flags: EvidenceFlags,
  bundles: Bundles,
  meshes: ReadonlyMap<string, Mesh>,
): Promise<Proved> {
  const refused: Refused[] = [];
  let proof: Proof = flags.ip === undefined ? {} : { address: flags.ip };
  const take = <T>(evidence: string, checked: Checked<T>, use: (value: T) => Proof): void => {
    if (checked.ok) proof = { ...proof, ...use(checked.value) };
    else refused.push({ evidence, refusal: checked.refusal });
  };
  if (flags.cert !== undefined) {
    const read = readPem(textOf(flags.cert), 1 + limits.intermediates);
    const [leaf, ...rest] = read.ok ? read.value : [];
    if (leaf !== undefined && isOfTagMesh(leaf, meshes)) {
      const authorities = (name: string) => bundles.authorities(name);
      const verified = verifyTagCertificate([leaf, ...rest], meshes, authorities, Date.now());
      take('certificate', verified, ({ identity }) => ({ tags: identity }));
    } else {
      const verified = read.ok ? new X509Verifier(bundles).verify(read.value) : read;
      take('certificate', verified, ({ spiffeId }) => ({ spiffeId }));
    }
  }
  if (flags.jwt !== undefined) {
    const token = flags.jwt.startsWith('@') ? textOf(flags.jwt.slice(1)).trim() : flags.jwt;
    const expected = { audiences: flags.audience ?? [], skew: defaultSkew };
    const verified = await verifyJwtSvid(token, (name) => bundles.keys(name), expected, Date.now());
    take('token', verified, ({ spiffeId }) => ({ spiffeId }));
  }
  return { proof, refused };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Failure(
      exit.problems,
      `${file}: cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
    );
  }
}
