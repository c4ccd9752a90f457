import type { Dataplane, Inventory, Workload } from '../../../pdp/model/inventory.ts';
import { keys } from '../../../pdp/model/rule.ts';
import { SpiffeId } from '../../../pdp/model/spiffe-id.ts';
import { quote } from '../../../pdp/model/words.ts';
import type { Document } from '../../document.ts';
import { labelNames } from '../../kinds/head.ts';
import { environmentLabel, serviceAccountLabel, workloadLabel } from './labels.ts';
import { type MeshIdentity, meshIdentitiesOf } from './mesh-identity.ts';
import { fill } from './template.ts';
import { type Trust, TrustDomains } from './trust-domains.ts';
import { WorkloadLinks } from './workloads.ts';

/** The SPIFFE ID that a dataplane will carry, as far as documents tell (SPEC MIG2). */
export type Identity =
  | { readonly id: string; readonly trustDomain: string; readonly from: 'workload' | 'identity' | 'labels' }
  | { readonly id: undefined; readonly trustDomain: string | undefined; readonly reason: string };

export class Identities {
  readonly trustDomains: TrustDomains;
  readonly #links: WorkloadLinks;
  readonly #identities: readonly MeshIdentity[];
  readonly #linked = new Set<Workload>();

  constructor(inventory: Inventory, documents: readonly Document[]) {
    this.trustDomains = new TrustDomains(inventory);
    this.#links = new WorkloadLinks(inventory.workloads);
    this.#identities = meshIdentitiesOf(documents);
  }

  /** Workloads that were found to be those of a dataplane that was asked for. */
  get linked(): ReadonlySet<Workload> {
    return this.#linked;
  }

  of(dataplane: Dataplane): Identity {
    const workloads = this.#links.of(dataplane);
    for (const workload of workloads) this.#linked.add(workload);
    const carried = new Set(workloads.flatMap(({ spiffeId }) => spiffeId ?? []));
    const [id] = carried;
    if (carried.size > 1)
      return unknown(`its workloads carry different IDs: ${[...carried].map(quote).join(', ')}`);
    if (id !== undefined) return checked(id, 'workload');
    const accounts = new Set(workloads.map(({ attributes }) => attributes.get(keys.k8sServiceAccount)));
    const account =
      (workloads.length === 1 ? [...accounts][0] : undefined) ??
      dataplane.labels.get(serviceAccountLabel) ??
      (accounts.size === 1 ? [...accounts][0] : undefined);
    return this.#byTemplate(dataplane, account);
  }

  #byTemplate(dataplane: Dataplane, account: string | undefined): Identity {
    const { mesh, labels } = dataplane;
    const zone = zoneOf(dataplane);
    const ofMesh = this.#identities.filter((one) => one.mesh === mesh);
    const one = ofMesh.find((identity) => selects(identity, labels, zone));
    if (ofMesh.length > 0 && one === undefined) return unknown('no MeshIdentity of its mesh selects it');
    const trust = this.#trust(dataplane, zone, one);
    if (typeof trust !== 'string' && 'reason' in trust) return unknown(trust.reason);
    const universal = labels.get(environmentLabel) === 'universal';
    const byWorkload = universal || (account === undefined && labels.has(workloadLabel));
    const path = one?.path ?? (byWorkload ? '/workload/{{ .Workload }}' : trust.path);
    const fields = {
      Namespace: labels.get(labelNames.namespace),
      ServiceAccount: account,
      Workload: labels.get(workloadLabel),
      TrustDomain: trust.name,
    };
    const filled = fill(path, { fields, labels });
    if (!filled.ok) return unknown(`${sayMissing(filled.missing)} is not known`, trust.name);
    return checked(`spiffe://${trust.name}${filled.text}`, one === undefined ? 'labels' : 'identity');
  }

  #trust({ mesh, labels }: Dataplane, zone: string | undefined, one: MeshIdentity | undefined): Trust {
    if (one === undefined) return this.trustDomains.of(mesh, zone);
    const template = one.trustDomain ?? '{{ .Mesh }}.{{ .Zone }}.mesh.local';
    const filled = fill(template, { fields: { Mesh: mesh, Zone: zone }, labels });
    if (!filled.ok) return { reason: `${sayMissing(filled.missing)} is not known` };
    return { name: filled.text, path: this.trustDomains.path(filled.text) };
  }
}

const words: Readonly<Record<string, string>> = {
  '{{ .Zone }}': 'its zone',
  '{{ .Namespace }}': 'its namespace',
  '{{ .ServiceAccount }}': 'its service account',
  '{{ .Workload }}': `its label ${JSON.stringify(workloadLabel)}`,
};

function sayMissing(missing: string): string {
  return words[missing] ?? missing;
}

function zoneOf({ labels, inbounds }: Dataplane): string | undefined {
  return (
    labels.get(labelNames.zone) ??
    inbounds.find(({ tags }) => tags.has(labelNames.zone))?.tags.get(labelNames.zone)?.[0]
  );
}

function selects(
  { zone, selector }: MeshIdentity,
  labels: ReadonlyMap<string, string>,
  own: string | undefined,
): boolean {
  if (selector === undefined || (zone !== undefined && zone !== own)) return false;
  return [...selector].every(([label, value]) => labels.get(label) === value);
}

function checked(id: string, from: 'workload' | 'identity' | 'labels'): Identity {
  const parsed = SpiffeId.parse(id);
  if (parsed.ok) return { id, trustDomain: parsed.value.trustDomain.name, from };
  return unknown(`${quote(id)}, which it would carry, is no SPIFFE ID`);
}

function unknown(reason: string, trustDomain?: string): Identity {
  return { id: undefined, trustDomain, reason };
}
