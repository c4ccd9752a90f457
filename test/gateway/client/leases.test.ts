import { expect, test } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { Leases } from '../../../src/client/leases.ts';
import type { Fetch, Reply } from '../../../src/client/types.ts';

const reply = (ttl: number, snapshot = 'a') => ({ decision: 'allow', ttl, snapshot }) as Reply;

function leases(most = 10) {
  const clock = { now: 1_000 };
  return { clock, kept: new Leases(most, () => clock.now) };
}

test('[CLT4] a decision is used again until its time is over, counted from when it was asked', () => {
  const { clock, kept } = leases();
  kept.keep('q', reply(5), 400);
  clock.now = 5_399;
  expect(kept.get('q')?.ttl).toBe(5);
  clock.now = 5_400;
  expect(kept.get('q')).toBeUndefined();
});

test.each([0, -1, Number.NaN])('[CLT4] what may be used for %s seconds is not kept', (ttl) => {
  const { kept } = leases();
  kept.keep('q', reply(ttl), 1_000);
  expect(kept.get('q')).toBeUndefined();
});

test('[CLT4] the one that was used longest ago goes first', () => {
  const { kept } = leases(2);
  kept.keep('a', reply(5), 1_000);
  kept.keep('b', reply(5), 1_000);
  kept.get('a');
  kept.keep('c', reply(5), 1_000);
  expect(['a', 'b', 'c'].map((question) => kept.get(question) !== undefined)).toEqual([true, false, true]);
});

test('[CLT4] a reply of another snapshot forgets all others, also one that is not kept', () => {
  const { kept } = leases();
  kept.keep('a', reply(5), 1_000);
  kept.keep('b', reply(0, 'b'), 1_000);
  expect(kept.get('a')).toBeUndefined();
});

test.each([
  [undefined, 3],
  [0, 3],
  [10, 2],
])('[CLT4] of %s that may be kept, three questions ask %i times', async (keep, times) => {
  let asked = 0;
  const fetch: Fetch = async () => {
    asked++;
    return { status: 200, headers: { get: () => null }, text: async () => JSON.stringify(reply(5)) };
  };
  const client = connect({ url: 'http://a', fetch, ...(keep === undefined ? {} : { keep }) });
  for (const service of ['a/b', 'a/b', 'a/c']) await client.decide({ destination: { service } });
  expect(asked).toBe(times);
});
