import { expect, test } from 'vitest';
import { Rounds } from '../../../src/envoy/grpc/rounds.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('[RPC7] calls that came together are asked one after the other, and answered after that', async () => {
  const rounds = new Rounds(1_000);
  const seen: string[] = [];
  const call = (name: string, more?: () => void) => ({
    ask() {
      seen.push(`ask ${name}`);
      more?.();
    },
    shed: () => void seen.push(`shed ${name}`),
    answer: () => void seen.push(`answer ${name}`),
  });
  rounds.add(call('a'));
  process.nextTick(() => rounds.add(call('b', () => rounds.add(call('c')))));
  expect(seen).toEqual([]);
  await turn();
  expect(seen).toEqual(['ask a', 'ask b', 'answer a', 'answer b']);
  await turn();
  expect(seen.slice(4)).toEqual(['ask c', 'answer c']);
});

test('[RPC7] calls whose turn comes too late are turned away, and those of the next round are not', async () => {
  let time = 0;
  const rounds = new Rounds(100, () => time);
  const seen: string[] = [];
  const call = (name: string, takes: number) => ({
    ask() {
      seen.push(`ask ${name}`);
      time += takes;
    },
    shed: () => void seen.push(`shed ${name}`),
    answer: () => void seen.push(`answer ${name}`),
  });
  for (const [name, takes] of [
    ['a', 60],
    ['b', 40],
    ['c', 30],
    ['d', 1],
  ] as const)
    rounds.add(call(name, takes));
  await turn();
  expect(seen.slice(0, 4)).toEqual(['ask a', 'ask b', 'ask c', 'shed d']);
  seen.length = 0;
  rounds.add(call('e', 1));
  await turn();
  expect(seen).toEqual(['ask e', 'answer e']);
});
