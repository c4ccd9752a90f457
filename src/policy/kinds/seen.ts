import type { Things } from '../lower/inventory.ts';
import type { Access, Permission, Policy } from '../lower/policy.ts';
import type { SiteEntry } from '../lower/site.ts';
import type { Report } from '../report.ts';
import { violation } from '../schema/issues.ts';
import { quote } from '../schema/words.ts';
import { type Head, kriOf } from './head.ts';

/** The documents that were read, by kind, each name of a kind once (SPEC DOC4). */
export class Registry implements Things {
  readonly policies: Policy[] = [];
  readonly meshes: Mutable<Things['meshes']> = [];
  readonly dataplanes: Mutable<Things['dataplanes']> = [];
  readonly services: Mutable<Things['services']> = [];
  readonly workloads: Mutable<Things['workloads']> = [];
  readonly sites: SiteEntry[] = [];
  readonly #report: Report;
  readonly #byKey = new Map<string, Head>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** `spec` must have been read by the schema of the head's kind. */
  add(head: Head, spec: unknown): void {
    const key = `${head.kind} ${head.mesh} ${head.namespace ?? ''} ${head.name}`;
    if (
      this.#isSecond(head, key) ||
      (head.kind === 'MeshTrafficPermission' && this.#isSecond(head, kriOf(head)))
    )
      return;
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
    }
  }

  #isSecond(head: Head, key: string): boolean {
    const first = this.#byKey.get(key);
    if (first === undefined) {
      this.#byKey.set(key, head);
      return false;
    }
    const where = this.#report.whereabouts(first.document, first.root);
    const message = `got a second ${head.kind} ${named(head)}, the first is at ${where}`;
    const hint = first.name === head.name ? undefined : `both have the identifier ${kriOf(head)}`;
    this.#report.add(head.document, violation(head.root, 'duplicate-document', message, hint));
    return true;
  }
}

type Mutable<T> = T extends readonly (infer E)[] ? E[] : never;

function named({ name, namespace, mesh }: Head): string {
  const inMesh = mesh === '' ? '' : ` in the mesh ${quote(mesh)}`;
  return `${quote(name)}${namespace === undefined ? '' : ` in the namespace ${quote(namespace)}`}${inMesh}`;
}
