import type { Fields } from '../../pdp/model/fields.ts';
import type { Things } from '../lower/inventory.ts';
import type { PeerEntry } from '../lower/peers.ts';
import type { Access, Permission, Policy } from '../lower/policy.ts';
import type { SiteEntry } from '../lower/site.ts';
import type { Report } from '../report.ts';
import { violation } from '../schema/issues.ts';
import { type Head, kriOf, named } from './head.ts';
import type { Kind, ResourceKind } from './kind.ts';

/** A document of a kind that a reference may lead to, or that is a policy by its description. */
export interface Entry {
  readonly head: Head;
  readonly spec: Fields;
}

/** The documents that were read, by kind, each name of a kind once (SPEC DOC4); of those that decide nothing all. */
export class Registry implements Things {
  readonly policies: Policy[] = [];
  readonly meshes: Growing<Things['meshes']> = [];
  readonly dataplanes: Growing<Things['dataplanes']> = [];
  readonly services: Growing<Things['services']> = [];
  readonly workloads: Growing<Things['workloads']> = [];
  readonly sites: SiteEntry[] = [];
  readonly peers: PeerEntry[] = [];
  readonly described: Entry[] = [];
  readonly resources: (Entry & { readonly kind: ResourceKind })[] = [];
  readonly zones: Head[] = [];
  readonly #report: Report;
  readonly #byKey = new Map<string, Head>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** `spec` must have been read by the schema of the kind. */
  add(head: Head, spec: unknown, kind: Kind): void {
    if (kind.described !== undefined) this.described.push({ head, spec: spec as Fields });
    else if (kind.resource === 'Zone') this.zones.push(head);
    else if (kind.resource !== undefined)
      this.resources.push({ head, spec: spec as Fields, kind: kind.resource });
    else this.#addOnce(head, spec);
  }

  /** One that is refused for something else takes no name from one that is right; call it once all of those are here. */
  addRefused(head: Head, kind: Kind): void {
    if (kind.described !== undefined || kind.resource !== undefined) return;
    keysOf(head).some((key) => this.#isSecond(head, key, 'another'));
  }

  #addOnce(head: Head, spec: unknown): void {
    if (keysOf(head).some((key) => this.#isSecond(head, key))) return;
    const entry = { head, spec };
    switch (head.kind) {
      case 'MeshTrafficPermission':
        this.policies.push(entry as Permission);
        return;
      case 'AccessPolicy':
      case 'PrivilegedAccessPolicy':
        this.policies.push(entry as Access);
        return;
      case 'Mesh':
        this.meshes.push(entry as Things['meshes'][number]);
        return;
      case 'Dataplane':
        this.dataplanes.push(entry as Things['dataplanes'][number]);
        return;
      case 'Service':
        this.services.push(entry as Things['services'][number]);
        return;
      case 'Workload':
        this.workloads.push(entry as Things['workloads'][number]);
        return;
      case 'Site':
        this.sites.push(entry as SiteEntry);
        return;
      case 'Peer':
        this.peers.push(entry as PeerEntry);
    }
  }

  #isSecond(head: Head, key: string, which = 'the first'): boolean {
    const first = this.#byKey.get(key);
    if (first === undefined) {
      this.#byKey.set(key, head);
      return false;
    }
    const where = this.#report.whereabouts(first.document, first.root);
    const message = `got a second ${head.kind} ${named(head)}, ${which} is at ${where}`;
    const hint = first.name === head.name ? undefined : `both have the identifier ${kriOf(head)}`;
    this.#report.add(head.document, violation(head.root, 'duplicate-document', message, hint));
    return true;
  }
}

/** A permission's identifier may be that of one by another name. */
function keysOf(head: Head): readonly string[] {
  const key = `${head.kind} ${head.mesh} ${head.namespace ?? ''} ${head.name}`;
  return head.kind === 'MeshTrafficPermission' ? [key, kriOf(head)] : [key];
}

type Growing<T> = T extends readonly (infer E)[] ? E[] : never;
