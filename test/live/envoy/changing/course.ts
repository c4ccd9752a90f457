import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { differing, type PolicySet } from './sets.ts';
import type { Counts, Node, Traffic } from './traffic.ts';

/** How a thousand sets follow one another under traffic, and what must be true of it. */

/** So many come one by one: the next when all nodes have the one before and all clients were answered by it. */
export const changes = 1_000;
/** So many come after them, faster than anybody takes them. */
const rush = 100;
const rushed = 3;
export const setsInAll = 1 + changes + rush;

export interface Given {
  readonly nodes: readonly Node[];
  readonly sets: readonly PolicySet[];
  readonly traffic: Traffic;
  /** Writes one. */
  put(set: PolicySet): void;
  /** Whether all nodes have it, as far as is known. */
  taken(number: number): boolean | Promise<boolean>;
}

export interface Course {
  /** Milliseconds from the writing of each until all nodes had it. */
  readonly lags: readonly number[];
  /** The same of the last of the rush. */
  readonly last: number;
  readonly oneByOne: Counts;
  readonly inRush: Counts;
  /** Those before the first change among them. */
  readonly requests: number;
}

/** `between` is called when the thousand are there and before the rush. */
export async function run(given: Given, between: () => unknown = () => undefined): Promise<Course> {
  const { sets, traffic } = given;
  await traffic.settled();
  const before = traffic.counted();
  const lags: number[] = [];
  for (let number = 1; number <= changes; number++) {
    lags.push(await until(given, number, write(given, number)));
    await traffic.settled();
  }
  const oneByOne = traffic.counted();
  await between();
  let start = 0;
  for (let number = changes + 1; number < sets.length; number++) {
    start = write(given, number);
    await pause(rushed);
    // Only looked at: what is known to be in force is what windows begin with.
    await given.taken(number);
  }
  const last = await until(given, sets.length - 1, start);
  await traffic.settled();
  await traffic.end();
  const inRush = traffic.counted();
  const requests = before.requests + oneByOne.requests + inRush.requests;
  return { lags, last, oneByOne, inRush, requests };
}

function write({ traffic, put, sets }: Given, number: number): number {
  const start = performance.now();
  traffic.given = number;
  put(sets[number]!);
  return start;
}

async function until({ taken }: Given, number: number, start: number): Promise<number> {
  while (!(await taken(number))) {
    if (performance.now() - start > 20_000) throw new Error(`not all nodes have taken set ${number}`);
    await pause(1);
  }
  return performance.now() - start;
}

/** What holds however the sets come to the nodes. */
export async function expectSound({ nodes, sets, traffic }: Given, course: Course): Promise<void> {
  const { lags, last, oneByOne, inRush, requests } = course;
  const sorted = lags.toSorted((a, b) => a - b);
  const [median, most] = [sorted[changes / 2]!, sorted[Math.floor(changes * 0.99)]!];
  const dataplanes = nodes.map(({ dataplane }) => dataplane);
  const flips = sets
    .slice(1, changes + 1)
    .reduce((sum, set, at) => sum + differing(sets[at]!, set, dataplanes), 0);
  const shown = (counts: Counts) => JSON.stringify(counts).replaceAll('"', '');
  console.log(
    `${nodes.length} nodes, ${requests} requests; ${changes} changes of ${flips} verdicts: ${shown(oneByOne)}; ` +
      `${rush} more: ${shown(inRush)}; all have one after ${median.toFixed()} ms, 99 of 100 times within ` +
      `${most.toFixed()} ms, the last after ${last.toFixed()} ms`,
  );
  // Each client was asked about each set while nothing else could be in force: these hold however slow it is here.
  expect(oneByOne.widest).toBeLessThanOrEqual(2);
  expect(oneByOne.decisive).toBeGreaterThanOrEqual(changes * traffic.varying);
  expect(oneByOne.late).toBeGreaterThanOrEqual(flips);
  expect(flips).toBeGreaterThan((changes * traffic.varying) / 3);
  // And there were questions while it changed.
  expect(oneByOne.old + oneByOne.new).toBeGreaterThan(changes / 10);
  expect(Math.max(most, last)).toBeLessThan(1_000);
  await expectNoneLost(nodes, traffic, requests);
}

/** Nobody was answered wrong, and no connection ended, also by Envoy's own count. */
export async function expectNoneLost(
  nodes: readonly Node[],
  traffic: Traffic,
  requests: number,
): Promise<void> {
  expect(traffic.wrong).toEqual([]);
  expect(traffic.lost).toEqual([]);
  let answered = 0;
  for (const { lab } of nodes) {
    const stats = await statsOf(lab.envoy.admin);
    // Nobody came twice, and nobody was sent away.
    const clients = traffic.clientsOf(lab);
    expect(stats).toMatchObject({ cx_total: clients, cx_active: clients, cx_destroy: 0 });
    answered += stats['rq_total'] ?? 0;
  }
  expect(answered).toBe(requests);
}

/** Of its listener, which is called `web`. */
async function statsOf(admin: (path: string) => Promise<string>): Promise<Readonly<Record<string, number>>> {
  const text = await admin('/stats?filter=^http.web.downstream');
  return Object.fromEntries(
    [...text.matchAll(/^http\.web\.downstream_(\S+): (\d+)$/gm)].map(([, name, value]) => [
      name,
      Number(value),
    ]),
  );
}
