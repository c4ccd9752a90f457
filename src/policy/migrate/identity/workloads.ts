import { type Dataplane, namespaceOf, ownNameOf, type Workload } from '../../../pdp/model/inventory.ts';
import { pushTo } from '../../../pdp/model/lists.ts';
import { keys } from '../../../pdp/model/rule.ts';
import { labelNames } from '../../kinds/head.ts';
import { serviceAccountLabel } from './labels.ts';

/** Which Workload documents describe a dataplane. */
export class WorkloadLinks {
  readonly #byName = new Map<string, Workload>();
  readonly #byAccount = new Map<string, Workload[]>();
  readonly #byLabel = new Map<string, Workload[]>();

  constructor(workloads: readonly Workload[]) {
    for (const workload of workloads) {
      const { namespace, name, attributes } = workload;
      this.#byName.set(`${namespace}/${name}`, workload);
      const account = attributes.get(keys.k8sServiceAccount);
      if (account !== undefined) pushTo(this.#byAccount, `${namespace}/${account}`, workload);
      const first = labelsOf(workload)[0];
      if (first !== undefined) pushTo(this.#byLabel, `${namespace}/${first[0]}=${first[1]}`, workload);
    }
  }

  /**
   * The pod of the dataplane's name; else those of its namespace and service account; else those of its namespace all
   * of whose labels it has, the ones with the most labels.
   */
  of(dataplane: Dataplane): readonly Workload[] {
    const { labels } = dataplane;
    const namespace = namespaceOf(dataplane) ?? 'default';
    for (const name of namesOf(dataplane, namespace)) {
      const found = this.#byName.get(`${namespace}/${name}`);
      if (found !== undefined) return [found];
    }
    const account = labels.get(serviceAccountLabel);
    const same = account === undefined ? undefined : this.#byAccount.get(`${namespace}/${account}`);
    return same ?? this.#labelled(namespace, labels);
  }

  #labelled(namespace: string, labels: ReadonlyMap<string, string>): readonly Workload[] {
    let best: Workload[] = [];
    let most = 0;
    for (const [label, value] of labels)
      for (const workload of this.#byLabel.get(`${namespace}/${label}=${value}`) ?? []) {
        const wanted = labelsOf(workload);
        if (wanted.length < most || wanted.some(([key, text]) => labels.get(key) !== text)) continue;
        if (wanted.length > most) best = [];
        most = wanted.length;
        best.push(workload);
      }
    return best;
  }
}

/** Kuma calls a dataplane as its pod is called, with the namespace behind it, or with a suffix and a label that says so. */
function namesOf(dataplane: Dataplane, namespace: string): readonly string[] {
  const { labels } = dataplane;
  const name = ownNameOf(dataplane);
  const display = labels.get(labelNames.displayName);
  const names = display === undefined ? [name] : [display, name];
  const end = `.${namespace}`;
  return names.flatMap((one) => (one.endsWith(end) ? [one, one.slice(0, -end.length)] : [one]));
}

function labelsOf({ attributes }: Workload): readonly (readonly [string, string])[] {
  return [...attributes]
    .filter(([key]) => key.startsWith(keys.k8sLabel))
    .map(([key, value]) => [key.slice(keys.k8sLabel.length), value] as const);
}
