/**
 * Decisions and the yardstick, in alternating slices of the same requests. Each slice is parsed afresh outside the
 * clock, so that no string has been hashed and no object seen before `decide` gets it; it is short, so that objects are
 * as near as to a service, which decides each as soon as it has parsed it.
 */
export const slice = 20;

export interface Round {
  readonly perSec: number;
  readonly yardstick: number;
}

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export type Decide = (request: unknown) => { readonly decision: string };

/** So that no engine can leave out work whose result nobody reads. */
let sink = 0;

export function round(requests: readonly string[], decide: Decide): Round {
  let parsing = 0;
  let deciding = 0;
  for (let at = 0; at < requests.length; at += slice) {
    const texts = requests.slice(at, at + slice);
    const parseStart = performance.now();
    for (const text of texts) if (JSON.parse(text) === null) sink++;
    parsing += performance.now() - parseStart;
    const objects: unknown[] = texts.map((text) => JSON.parse(text));
    const decideStart = performance.now();
    for (const object of objects) if (decide(object).decision === 'allow') sink++;
    deciding += performance.now() - decideStart;
  }
  return { perSec: (1_000 * requests.length) / deciding, yardstick: (1_000 * requests.length) / parsing };
}

export function rounds(requests: readonly string[], decide: Decide, count: number): Round[] {
  // Until the compiler has seen enough of it.
  for (let i = 0; i < 3; i++) round(requests, decide);
  return Array.from({ length: count }, () => round(requests, decide));
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, low: sorted[0]!, high: sorted.at(-1)! };
}

export function sunk(): number {
  return sink;
}
