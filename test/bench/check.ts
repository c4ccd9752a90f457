import { reference } from './reference.ts';
import type { Workload } from './workloads/types.ts';

export class Disagreement extends Error {
  override readonly name = 'Disagreement';
}

/** Holds an engine against the reference evaluation on the first requests; figures of a wrong engine are worth nothing. */
export function check(
  workload: Workload,
  decide: (request: unknown) => { readonly decision: string; readonly shadow?: string },
  count: number,
): { checked: number; allowed: number } {
  const expected = reference(workload);
  let allowed = 0;
  const texts = workload.requests.slice(0, count);
  for (const text of texts) {
    const want = expected(text);
    const got = decide(JSON.parse(text));
    if (got.decision !== want.decision || (got.shadow !== undefined && got.shadow !== want.shadow)) {
      const found = JSON.stringify(got);
      throw new Disagreement(
        `${workload.name} ${workload.size}: got ${found}, want ${JSON.stringify(want)}, for ${text}`,
      );
    }
    if (want.decision === 'allow') allowed++;
  }
  return { checked: texts.length, allowed };
}
