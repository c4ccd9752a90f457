import { identify, type Known, requestSource } from '../../../src/attributes/identify.ts';
import { knownOf } from '../../../src/cli/known.ts';
import { channelOf, open, type Placet } from '../../../src/index.ts';
import type { Dataplane, Workload } from '../../../src/pdp/model/inventory.ts';
import type { RequestSource } from '../../../src/pdp/model/request.ts';
import { SpiffeId } from '../../../src/pdp/model/spiffe-id.ts';
import type { Document } from '../../../src/policy/document.ts';
import { load } from '../../../src/policy/load.ts';
import { Identities } from '../../../src/policy/migrate/identity/identity.ts';
import type { Options, Plan } from '../../../src/policy/migrate/outcome.ts';
import { planOf } from '../../../src/policy/migrate/plan.ts';
import { digest } from '../loading.ts';

/** Every pair of client and inbound one by one, through the decisions of the sets as they were and will be. */

export const asDocument = (value: unknown): Document => ({ value, place: () => undefined });
const loaded = (documents: readonly Document[]) => load(documents, digest);

export const usual: Options = { allowNarrower: false, allowWider: false, everySource: false };

export function planFor(values: readonly unknown[], options: Partial<Options> = {}): Plan {
  const documents = values.map(asDocument);
  return planOf(loaded(documents), documents, { ...usual, ...options }, loaded);
}

export interface Pair {
  readonly client: Dataplane | Workload;
  readonly inbound: { readonly mesh: string; readonly dataplane: string; readonly inbound: number };
  readonly before: { readonly enforced: string; readonly shadow: string };
  /** Undefined where nobody knows what the client will carry. */
  readonly after: { readonly enforced: string; readonly shadow: string } | undefined;
}

/** What a client's certificate says; nothing: it has none of a mesh. */
export interface Carried {
  readonly spiffeId?: string;
  readonly mesh?: string;
  readonly tags?: RequestSource['tags'];
}

/** A set as a service has it, which reads certificates by itself: of what these do not say nothing is known. */
export class Served {
  readonly #placet: Placet;
  readonly #known: Known;

  constructor(values: readonly object[]) {
    this.#placet = open(values, { channel: { ...channelOf('relay'), ceiling: 'attested' } });
    this.#known = knownOf(loaded(values.map(asDocument)).inventory);
  }

  verdict(inbound: Pair['inbound'], { spiffeId: id, mesh, tags }: Carried) {
    const read = id === undefined ? undefined : SpiffeId.parse(id);
    if (read?.ok === false) throw new Error(`${id}: ${read.fault.message}`);
    const proof = {
      ...(read === undefined ? {} : { spiffeId: read.value }),
      ...(mesh === undefined || tags === undefined ? {} : { tags: { mesh, tags } }),
    };
    const source = requestSource(identify(proof, this.#known));
    const request = { source, destination: inbound, request: { method: 'GET', path: '/' } };
    const { decision, shadow } = this.#placet.decide(request);
    return { enforced: decision as string, shadow: shadow as string };
  }
}

export function tagsIn({ inbounds, labels }: Dataplane): Record<string, string[]> {
  const tags: Record<string, string[]> = {};
  for (const { tags: own } of inbounds)
    for (const [tag, values] of own) tags[tag] = [...new Set([...(tags[tag] ?? []), ...values])];
  for (const label of ['kuma.io/zone', 'k8s.kuma.io/namespace'])
    if (tags[label] === undefined && labels.has(label)) tags[label] = [labels.get(label)!];
  return tags;
}

export function pairsOf(before: readonly object[], after: readonly object[], mesh: string): Pair[] {
  const documents = before.map(asDocument);
  const { inventory } = loaded(documents);
  const identities = new Identities(inventory, documents);
  const then = new Served(after);
  const now = new Served(before);
  const inbounds = [...inventory.dataplanes.values()]
    .filter((dataplane) => dataplane.mesh === mesh)
    .flatMap(({ name, inbounds: own }) => own.map(({ port }) => ({ mesh, dataplane: name, inbound: port })));
  const clients = [...inventory.dataplanes.values()].map((client) => ({
    client: client as Dataplane | Workload,
    source: { mesh: client.mesh, tags: tagsIn(client) } as Carried,
    id: identities.of(client).id,
  }));
  for (const client of inventory.workloads)
    if (client.spiffeId !== undefined && !identities.linked.has(client))
      clients.push({ client, source: {}, id: client.spiffeId });
  return clients.flatMap(({ client, source, id }) =>
    inbounds.map((inbound) => ({
      client,
      inbound,
      before: now.verdict(inbound, source),
      after: id === undefined ? undefined : then.verdict(inbound, { spiffeId: id }),
    })),
  );
}

/** The set with permissions by tags replaced; what is not written is left out, so that nothing relies on it. */
export function migrated(inventory: readonly object[], plan: Plan, which: 'all' | 'written'): object[] {
  const spiffe = inventory.map((document) =>
    (document as { type: string }).type === 'Mesh' ? { ...document, certificates: 'spiffe' } : document,
  );
  const policies = plan.meshes.flatMap(({ policies: all }) =>
    all.filter(({ written }) => which === 'all' || written).flatMap(({ documents }) => documents),
  );
  return [...spiffe, ...policies];
}
