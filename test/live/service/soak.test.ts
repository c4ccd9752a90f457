import { expect, test } from 'vitest';
import { soak } from '../../soak/service.ts';

test('[RUN6] under load and reloads nothing is answered otherwise than wanted, and what was decided is decided so again', async () => {
  const { got, reloads, decided, dropped, files, replayed } = await soak({
    milliseconds: 15_000,
    workers: 2,
    clients: 2,
    // Files that are put aside are renamed, all of them each time: smaller ones would measure that.
    fileBytes: 4_000_000,
  });
  expect([got.words, got.wrong]).toEqual([[], 0]);
  // Everything was written down, in files that were put aside meanwhile, by each set that there was.
  expect([got.decisions, dropped, replayed['lines']]).toEqual([decided, 0, decided]);
  const { same = 0, refused = 0, different, otherSnapshot, unreadable } = replayed;
  expect([same + refused, different, otherSnapshot, unreadable]).toEqual([decided, 0, 0, 0]);
  // Certificates that nobody vouches for are among them.
  expect([reloads > 3, decided > 200, files > 2, refused > 0, same > refused]).toEqual(Array(5).fill(true));
}, 180_000);
