import type { Path, Violation } from '../../pdp/model/violation.ts';
import { didYouMean, quote } from '../../pdp/model/words.ts';
import { systemNamespace } from '../kinds/head.ts';
import { violation } from '../schema/issues.ts';
import type { TargetRef } from './target-ref.ts';

/** What is said of a reference that leads nowhere; `near`: names that may have been meant. */
export function missing(ref: TargetRef, path: Path, near: readonly string[]): Violation {
  const at = ref.namespace === undefined ? '' : ` in the namespace ${quote(ref.namespace)}`;
  const what =
    ref.name === undefined ? `a ${ref.kind} with these labels` : `the ${ref.kind} ${quote(ref.name)}${at}`;
  const hint =
    ref.kind === 'MeshExternalService' && ref.name !== undefined && ref.namespace !== systemNamespace
      ? `write the namespace in which it is: ${quote(systemNamespace)}`
      : didYouMean(ref.name ?? '', near);
  return violation(path, 'reference', `got ${what}, which these documents do not have`, hint);
}
