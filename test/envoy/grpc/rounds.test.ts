import { expect, test } from 'vitest';
import { Rounds } from '../../../src/envoy/grpc/rounds.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('[RPC7] calls that came together are asked one after the other, and answered after that', async () => {
  const rounds = new Rounds();
  const seen: string[] = [];
  const call = (name: string, more?: () => void) => ({
    ask() {
      seen.push(`ask ${name}`);
      more?.();
    },
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
