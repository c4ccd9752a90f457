import { expect, it } from 'vitest';
import { leastStaleness, paceFor } from '../../../src/attributes/kubernetes/pace.ts';

/** Of a watch without events the server marks the place two seconds before its end, and once a minute (kubernetes, cacher). */
const longestWithoutMark = (watch: number) => Math.min(60_000, watch - 2_000);

it('[KSRV4] leaves time for a mark and a question after it, however little is allowed', () => {
  for (let allowed = leastStaleness; allowed <= 3_600_000; allowed += 5_000) {
    const { probe, watch, retry } = paceFor(allowed);
    expect(retry).toBeLessThanOrEqual(allowed / 3);
    // Asked, marked at the latest in the watch after this one, and asked again.
    expect(probe + longestWithoutMark(watch) + 2_000 + probe).toBeLessThan(allowed);
  }
  expect(paceFor(300_000)).toEqual({ probe: 10_000, watch: 100_000, retry: 30_000 });
});
