import { expect, test } from 'vitest';
import { sourceLog } from '../../../src/gateway/live/source-log.ts';

test('[KSRV5] says each problem of a source once, and its end', () => {
  const lines: string[] = [];
  const hear = sourceLog((line) => lines.push(line));
  const told = (...problems: string[]) => {
    lines.length = 0;
    hear([
      { name: 'a', synced: true, fresh: true, problems },
      { name: 'b', synced: true, fresh: true, problems: [] },
    ]);
    return [...lines];
  };
  expect(told()).toEqual([]);
  expect(told('x', 'y')).toEqual(['a: x', 'a: y']);
  expect(told('x', 'y')).toEqual([]);
  expect(told('y', 'z')).toEqual(['a: z']);
  expect(told()).toEqual(['a: nothing is wrong any more']);
  expect(told()).toEqual([]);
  expect(told('x')).toEqual(['a: x']);
});
