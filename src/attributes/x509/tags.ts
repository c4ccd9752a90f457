import type { Mesh } from '../../pdp/model/inventory.ts';
import { readTagCertificate, type TagIdentity } from '../../pdp/model/tag-certificate.ts';
import { formatViolation } from '../../pdp/model/violation.ts';
import { accept, type Checked, refuse } from '../evidence.ts';
import type { Certificate } from './certificate.ts';
import { vouchedUntil } from './chain.ts';
import { type AuthoritiesOf, checkLeaf } from './svid.ts';

export interface TagProof {
  readonly identity: TagIdentity;
  readonly validUntil: number;
}

/** Whether a certificate is of the sort that clients of tag meshes carry, where there is such a mesh: it names one. */
export function isOfTagMesh(
  { uriSans }: Pick<Certificate, 'uriSans'>,
  meshes: ReadonlyMap<string, Mesh>,
): boolean {
  const starts = startsOf(meshes);
  if (starts.length === 0) return false;
  return uriSans.some((uri) => starts.some((start) => uri.startsWith(start)));
}

const startsByMeshes = new WeakMap<ReadonlyMap<string, Mesh>, readonly string[]>();

/** What URIs of tag meshes begin with. */
function startsOf(meshes: ReadonlyMap<string, Mesh>): readonly string[] {
  let starts = startsByMeshes.get(meshes);
  if (starts === undefined) {
    const tagged = [...meshes.values()].filter(({ certificates }) => certificates === 'tags');
    starts = tagged.length === 0 ? [] : ['kuma://', ...tagged.map(({ name }) => `spiffe://${name}/`)];
    startsByMeshes.set(meshes, starts);
  }
  return starts;
}

/** The certificate of a client of a tag mesh, by the authorities of that mesh, whose name is its trust domain. */
export function verifyTagCertificate(
  chain: readonly [Certificate, ...Certificate[]],
  meshes: ReadonlyMap<string, Mesh>,
  authoritiesOf: AuthoritiesOf,
  now: number,
): Checked<TagProof> {
  const [leaf] = chain;
  const read = readTagCertificate(leaf.uriSans, meshes);
  if ('violations' in read) return refuse('tags', read.violations.map(formatViolation).join('; '));
  const fit = checkLeaf(leaf);
  if (!fit.ok) return fit;
  const { mesh } = read.identity;
  const authorities = authoritiesOf(mesh);
  if (authorities === undefined)
    return refuse('no-bundle', `got a client of the mesh ${mesh}, of which there is no bundle`);
  const until = vouchedUntil(chain, authorities, now);
  return until.ok ? accept({ identity: read.identity, validUntil: until.value }) : until;
}
