import { isFields } from '../../pdp/model/fields.ts';
import { type Dataplane, findDataplane, ownNameOf } from '../../pdp/model/inventory.ts';
import { nearest } from '../../pdp/model/text.ts';
import { shippedKinds } from '../../policy/files.ts';
import { outboundNames } from '../../policy/inspect/proxy.ts';
import type { InboundEntry, KindConf, OutboundConf } from '../../policy/merge/confs.ts';
import { exit, Failure } from '../failure.ts';
import { meshMeant } from '../requests/mesh.ts';
import type { PolicySet } from '../set.ts';

/** What a command line names: a proxy, a kind, one of the proxy's outbounds or inbounds. */

/** `mesh/name`, or a name, whose mesh is told by SPEC DST9. */
export function pickDataplane({ loaded: { inventory } }: PolicySet, named: string): Dataplane {
  const all = [...inventory.dataplanes.values()];
  if (all.length === 0) throw new Failure(exit.problems, 'there are no dataplanes in these paths');
  const slash = named.indexOf('/');
  const name = named.slice(slash + 1);
  const mesh = slash < 0 ? (meshMeant(inventory, name) ?? 'default') : named.slice(0, slash);
  const found = findDataplane(inventory, mesh, name);
  if (found !== undefined) return found;
  const same = all.filter((one) => ownNameOf(one) === name && (slash < 0 || one.mesh === mesh));
  if (same.length > 0) {
    const names = same.map((one) => `${one.mesh}/${one.name}`);
    throw new Failure(exit.usage, `${named}: the name of several dataplanes`, `one of ${names.join(', ')}`);
  }
  const known = all.flatMap((one) => (slash < 0 ? [one.name] : [`${one.mesh}/${one.name}`]));
  throw new Failure(exit.usage, `${named}: no such dataplane`, meant(named, known));
}

/** A dataplane as `mesh/name`, where its name alone was given. */
export function withMesh(set: PolicySet, named: string): string {
  if (named.includes('/')) return named;
  const { mesh, name } = pickDataplane(set, named);
  return `${mesh}/${name}`;
}

export function pickKind({ loaded }: PolicySet, named: string | undefined): void {
  if (named === undefined || loaded.kinds.has(named)) return;
  // A set without policies of these kinds is read without their descriptions.
  const shipped = shippedKinds().map(({ value }) => (isFields(value) ? String(value['name']) : ''));
  const known = ['MeshTrafficPermission', ...loaded.kinds.keys(), ...shipped];
  if (!known.includes(named))
    throw new Failure(exit.usage, `${named}: no such kind of policies`, meant(named, known));
}

/** By the service's name or tag, the port that the workload calls, or the identifier of the service. */
export function pickOutbounds(confs: readonly KindConf[], named: string): (one: OutboundConf) => boolean {
  const known = new Set(confs.flatMap(({ outbounds }) => outbounds.flatMap(outboundNames)));
  if (confs.length > 0 && !known.has(named))
    throw new Failure(exit.usage, `${named}: no such outbound`, meant(named, known));
  return (one) => outboundNames(one).includes(named);
}

/** By name or port. */
export function pickInbounds({ inbounds }: Dataplane, named: string): (one: InboundEntry) => boolean {
  const known = inbounds.flatMap(({ name, port }) => [...(name === undefined ? [] : [name]), String(port)]);
  if (!known.includes(named)) throw new Failure(exit.usage, `${named}: no such inbound`, meant(named, known));
  return ({ inbound: { name, port } }) => name === named || String(port) === named;
}

const mostNamed = 8;

function meant(named: string, known: Iterable<string>): string {
  const all = [...known];
  const near = nearest(named, all);
  if (near !== undefined) return `did you mean ${near}?`;
  if (all.length === 0) return 'there are none';
  const more = all.length > mostNamed ? `, and ${all.length - mostNamed} more` : '';
  return `there ${all.length === 1 ? 'is' : 'are'} ${all.slice(0, mostNamed).join(', ')}${more}`;
}
