import { afterEach, expect, test, vi } from 'vitest';
import { Freshness } from '../../../src/gateway/live/freshness.ts';

afterEach(() => vi.useRealTimers());

const source = (age?: number) => ({
  name: 'policies',
  synced: age !== undefined,
  problems: [],
  ...(age === undefined ? {} : { age }),
});

test('[LIVE10] what was last read grows old by itself, at the limit and one above', () => {
  let now = 1_000;
  const freshness = new Freshness(500, () => now);
  expect(freshness.stale).toBe(true);
  freshness.hear([source(100)]);
  now += 400;
  expect([freshness.stale, freshness.sources[0]]).toEqual([false, { ...source(500), fresh: true }]);
  now += 1;
  expect([freshness.stale, freshness.sources[0]]).toEqual([true, { ...source(501), fresh: false }]);
  freshness.hear([source(0)]);
  expect(freshness.stale).toBe(false);
});

test('[LIVE10] the oldest source counts, and one that was never whole is never fresh', () => {
  const freshness = new Freshness(500, () => 0);
  freshness.hear([source(0), source(501)]);
  expect(freshness.stale).toBe(true);
  freshness.hear([source(0), source()]);
  expect([freshness.stale, freshness.sources.map(({ fresh }) => fresh)]).toEqual([true, [true, false]]);
});

test('[LIVE10] the time of day changes nothing', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const freshness = new Freshness(60_000);
  freshness.hear([source(0)]);
  for (const year of ['1999', '2099']) {
    vi.setSystemTime(new Date(`${year}-01-01`));
    expect([freshness.stale, freshness.sources[0]?.fresh]).toEqual([false, true]);
  }
});
