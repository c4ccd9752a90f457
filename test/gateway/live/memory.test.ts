import { expect, test } from 'vitest';
import { gc } from '../../soak/gc.ts';
import { reloads, slopeOf } from '../../soak/reload.ts';

test('[LIVE11] reloads leave nothing behind', async () => {
  const { slope, heap } = await reloads(400, gc);
  console.log(`400 reloads: ${slope.toFixed(0)} bytes each in the last half, ${heap.at(-1)} in all`);
  // Over so few what the engine learns on the way counts too; `npm run soak:reload` is held to 1 KB.
  expect(slope).toBeLessThan(4_096);
});

test('[LIVE11] a slope is what it is', () => {
  expect(slopeOf([5, 5, 5])).toBe(0);
  expect(slopeOf([1, 3, 5, 7])).toBe(2);
});
