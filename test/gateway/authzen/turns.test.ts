import { expect, test } from 'vitest';
import { evaluateAll } from '../../../src/gateway/authzen/evaluate.ts';
import {
  type Asking,
  searchActions,
  searchResources,
  searchSubjects,
} from '../../../src/gateway/authzen/search.ts';
import { operatorChannel } from '../../../src/pdp/model/request.ts';
import { snapshotOf } from './world.ts';

const one = {
  subject: { type: 'user', id: 'a' },
  action: { name: 'read' },
  resource: { type: 'record', id: '1' },
};

/** Does something that takes long, and counts how much of it came in each turn of the event loop. */
async function inTurns(work: (step: () => void, now: () => number) => Promise<unknown>): Promise<number[]> {
  let [clock, turn, over] = [0, 0, false];
  const turns: number[] = [];
  const others = () => {
    turn++;
    if (!over) setImmediate(others);
  };
  setImmediate(others);
  const step = () => {
    clock += 5;
    turns.push(turn);
  };
  await work(step, () => clock);
  over = true;
  return [...Map.groupBy(turns, (n) => n).values()].map((all) => all.length);
}

test('[AZ13] a list that takes long lets others have their turn', async () => {
  const counts = await inTurns(async (step, now) => {
    const evaluate = async () => {
      step();
      return { decision: true, context: {} } as never;
    };
    const { evaluations } = await evaluateAll({ evaluations: Array(100).fill(one) }, evaluate, now);
    expect(evaluations).toHaveLength(100);
  });
  expect(counts.length).toBeGreaterThan(10);
  expect(Math.max(...counts)).toBeLessThanOrEqual(8);
});

const things = Array.from(
  { length: 100 },
  (_, i) => `---
type: Workload
namespace: people
name: p-${i}
spec: {attributes: {user:id: u-${i}}}
---
type: Service
namespace: records
name: r-${i}
spec: {attributes: {record:id: r-${i}}}
---
type: AccessPolicy
namespace: records
name: action-${i}
spec:
  action: allow
  from: [{workloadSelector: {matchLabels: {user:id: u-${i}}}}]
  to: [{workloadSelector: {matchLabels: {action:name: a-${i}}}}]
`,
).join('');
const { snapshot } = snapshotOf(things);

let reads = 0;
/** Counts how often it is looked at. */
const properties = {
  get read() {
    reads++;
    return ['x'];
  },
};
const user = { type: 'user', id: 'u-1', properties };
const resource = { type: 'record', id: 'r-1', properties };
const action = { name: 'a-1', properties };
const context = properties;
test.each<[string, (asking: Asking) => Promise<unknown>]>([
  ['subjects', (asking) => searchSubjects({ subject: { type: 'user' }, action, resource, context }, asking)],
  [
    'resources',
    (asking) => searchResources({ subject: user, action, resource: { type: 'record' }, context }, asking),
  ],
  ['actions', (asking) => searchActions({ subject: user, resource, context }, asking)],
])(
  '[AZ36] a search for %s that takes long lets others have their turn, and reads its question once',
  async (_, search) => {
    reads = 0;
    const counts = await inTurns((step, now) => {
      const decide: typeof snapshot.decide = (...given) => {
        step();
        return snapshot.decide(...given);
      };
      return search({ snapshot: { ...snapshot, decide }, channel: operatorChannel, now });
    });
    expect(counts.reduce((sum, count) => sum + count)).toBe(100);
    expect(counts.length).toBeGreaterThan(10);
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
    expect(reads).toBeLessThan(10);
  },
);
