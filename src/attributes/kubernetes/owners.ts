import { fieldsIn, listIn } from '../../pdp/model/fields.ts';
import type { Pod } from './pod.ts';

/** What controls a ReplicaSet; a Deployment's pods are owned by it through one. */
export interface Controlled {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly owner: Pod['owner'];
}

export function controlledOf(value: unknown): Controlled | undefined {
  const { metadata } = fieldsIn(value);
  const { uid, namespace, name, ownerReferences } = fieldsIn(metadata);
  if (typeof uid !== 'string' || typeof namespace !== 'string' || typeof name !== 'string') return undefined;
  const references = listIn(ownerReferences).map(fieldsIn);
  const controller = references.find((one) => one['controller'] === true);
  const kind = controller?.['kind'];
  const of = controller?.['name'];
  const owner = typeof kind === 'string' && typeof of === 'string' ? { kind, name: of } : undefined;
  return { uid, namespace, name, owner };
}

/** ReplicaSets by name. Until they are known, a pod that one controls has an owner that nobody can tell. */
export class Owners {
  readonly #replicaSets = new Map<string, Controlled>();

  replace(items: readonly Controlled[]): void {
    this.#replicaSets.clear();
    for (const item of items) this.set(item);
  }

  /** Whether that changes what owns anything. */
  set(item: Controlled): boolean {
    const key = `${item.namespace}/${item.name}`;
    const known = this.#replicaSets.get(key);
    this.#replicaSets.set(key, item);
    return (
      known === undefined || known.owner?.kind !== item.owner?.kind || known.owner?.name !== item.owner?.name
    );
  }

  delete({ uid, namespace, name }: Controlled): boolean {
    const key = `${namespace}/${name}`;
    return this.#replicaSets.get(key)?.uid === uid && this.#replicaSets.delete(key);
  }

  /** `Deployment/web`, `StatefulSet/db`, `ReplicaSet/alone`; null if its ReplicaSet is not known (yet). */
  ownerOf({ namespace, owner }: Pod): string | undefined | null {
    if (owner === undefined) return undefined;
    if (owner.kind !== 'ReplicaSet') return `${owner.kind}/${owner.name}`;
    const replicaSet = this.#replicaSets.get(`${namespace}/${owner.name}`);
    if (replicaSet === undefined) return null;
    const above = replicaSet.owner ?? owner;
    return `${above.kind}/${above.name}`;
  }
}
