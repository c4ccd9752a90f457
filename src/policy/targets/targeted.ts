import type { Path } from '../../pdp/model/violation.ts';
import type { Head } from '../kinds/head.ts';
import type { TargetRef } from './target-ref.ts';

/** Any policy with a `targetRef` at its top, whatever its kind (SPEC REF1). */

/**
 * `first-wins`: `conf.to[]` and `conf.from[]`, with the conf of an item inline, or `conf` alone.
 * `later-overrides`: `to[].default`, `from[].default` and `rules[].default`, or `default` alone.
 */
export type Form = 'first-wins' | 'later-overrides';

export type Conf = Readonly<Record<string, unknown>>;

export interface Item {
  /** As written; an item of `from` without one, and an item of `rules`, is about all clients of the mesh. */
  readonly targetRef: TargetRef;
  readonly conf: Conf;
  /** Where the item stands in its document. */
  readonly path: Path;
}

export interface Targeted {
  readonly head: Head;
  readonly form: Form;
  /** As written; undefined where it is absent or empty. */
  readonly targetRef: TargetRef | undefined;
  readonly to: readonly Item[] | undefined;
  readonly from: readonly Item[] | undefined;
  /** The conf of a kind with neither array, such as ProxyTemplate. */
  readonly own: Conf | undefined;
  /** Of a synchronised copy with `to` that does not say it, by what its references lead to. */
  readonly role?: 'producer' | 'consumer';
}
