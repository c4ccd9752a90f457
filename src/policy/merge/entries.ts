import type { Path } from '../../pdp/model/violation.ts';
import { displayName, kriOf } from '../kinds/head.ts';
import type { Conf, Item, Targeted } from '../targets/targeted.ts';

/** Who says a field: the policy, and where in its document the item is that says so. */
export interface Origin {
  readonly kri: string;
  readonly kind: string;
  /** As its owner knows it. */
  readonly policy: string;
  readonly document: number;
  /** The item; of a kind without items, its conf. */
  readonly path: Path;
  /** Where the fields of the conf stand. */
  readonly confPath: Path;
}

/** An item of a policy on its way into merged confs. */
export interface Entry {
  readonly item: Item;
  readonly origin: Origin;
}

/** The items of one array of a policy, the weakest first (SPEC MRG6). */
export function entriesOf(policy: Targeted, direction: 'to' | 'from'): readonly Entry[] {
  const items = policy[direction] ?? [];
  const entries = items.map((item): Entry => {
    const confPath = policy.form === 'first-wins' ? item.path : [...item.path, 'default'];
    return { item, origin: originOf(policy, item.path, confPath) };
  });
  return policy.form === 'first-wins' ? entries.reverse() : entries;
}

/** The conf of a policy of a kind without items. */
export function ownOf(policy: Targeted): { readonly conf: Conf; readonly origin: Origin } | undefined {
  if (policy.own === undefined) return undefined;
  const path = [...policy.head.specPath, policy.form === 'first-wins' ? 'conf' : 'default'];
  return { conf: policy.own, origin: originOf(policy, path, path) };
}

export function originOf({ head }: Targeted, path: Path, confPath: Path): Origin {
  return {
    kri: kriOf(head),
    kind: head.kind,
    policy: displayName(head),
    document: head.document,
    path,
    confPath,
  };
}
