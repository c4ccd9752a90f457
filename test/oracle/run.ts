import { type Difference, differenceOf, kindOf, openBoth, type Question } from './compare.ts';
import type { Counts } from './count.ts';
import { generate } from './generate.ts';
import { plainly } from './plainly.ts';
import { reduce } from './reduce.ts';

/** Runs of the comparison, and how a failure is shown. */

export interface Failure {
  seed: number;
  question: Question;
  difference: Difference;
}

/** Compares all requests of the worlds of these seeds; ends at the first `most` failures. */
export function compareSeeds(
  seeds: Iterable<number>,
  counts: Counts | undefined,
  most = 1,
  explained = true,
): Failure[] {
  const failures: Failure[] = [];
  for (const seed of seeds) {
    const { documents, channel, requests, alike } = generate(seed);
    const sides = openBoth(documents, channel);
    const { twin, difference } = sides;
    for (const request of requests) counts?.add(request, twin.decide(request), twin);
    const all = [...requests, ...alike];
    for (const request of all) {
      const found = difference(request, explained);
      if (found === undefined) continue;
      const question = { documents, ...(channel === undefined ? {} : { channel }), request };
      failures.push({ seed, question, difference: found });
      break;
    }
    const misread = sides.misread(all.map(plainly));
    if (misread !== undefined) {
      const { request, difference } = misread;
      failures.push({
        seed,
        question: { documents, ...(channel === undefined ? {} : { channel }), request },
        difference,
      });
    }
    if (counts !== undefined) counts.read += sides.read;
    if (failures.length >= most) return failures;
  }
  return failures;
}

/** The failure made small, as one would write it to `test/pdp/regressions`. */
export function showFailure({ seed, question, difference: found }: Failure): string {
  const small = reduce(question, (candidate) => {
    const difference = differenceOf(candidate);
    return difference !== undefined && kindOf(difference) === kindOf(found);
  });
  const difference = differenceOf(small);
  return JSON.stringify({ seed, ...small, ...difference }, null, 1);
}

export function* range(from: number, count: number): Generator<number> {
  for (let i = 0; i < count; i++) yield from + i;
}
