import { attributesWorkload } from './a.ts';
import type { Workload } from './types.ts';
import { dense } from './universe.ts';

/** H: as A, with three or four source conditions in a fixed dense universe. */
export function h(size: number, requests: number): Workload {
  return attributesWorkload('H', { universe: dense, conditions: [3, 4] }, size, requests, 3_000);
}
