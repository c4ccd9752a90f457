import { expect, test } from 'vitest';
import { evaluateAll } from '../../../src/gateway/authzen/evaluate.ts';

const one = {
  subject: { type: 'user', id: 'a' },
  action: { name: 'read' },
  resource: { type: 'record', id: '1' },
};

test('[AZ13] a list that takes long lets others have their turn', async () => {
  let [clock, turn, over] = [0, 0, false];
  const turns: number[] = [];
  const others = () => {
    turn++;
    if (!over) setImmediate(others);
  };
  setImmediate(others);
  const evaluate = async () => {
    clock += 5;
    turns.push(turn);
    return { decision: true, context: {} } as never;
  };
  const { evaluations } = await evaluateAll({ evaluations: Array(100).fill(one) }, evaluate, () => clock);
  over = true;
  expect(evaluations).toHaveLength(100);
  const counts = [...Map.groupBy(turns, (n) => n).values()].map((all) => all.length);
  expect(counts.length).toBeGreaterThan(10);
  expect(Math.max(...counts)).toBeLessThanOrEqual(8);
});
