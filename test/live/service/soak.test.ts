import { expect, test } from 'vitest';
import { soak } from '../../soak/service.ts';

test('[RUN6] under load and reloads, what was decided is decided so again', async () => {
  const { replies, lost, others, reloads, lines, same, wrong } = await soak(3_000, 1);
  expect([lost, others, wrong]).toEqual([[], [], 0]);
  // Everything was written down, by both sets.
  expect([lines, same]).toEqual([replies, replies]);
  expect([reloads > 3, replies > 100]).toEqual([true, true]);
});
