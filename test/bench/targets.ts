import type { WorkloadName } from './workloads/types.ts';

/** Decisions per second over `JSON.parse` of the same requests per second, at least. */
const ratios: Readonly<Partial<Record<WorkloadName, Readonly<Record<number, number>>>>> = {
  S: { 10000: 1.2 },
  A: { 10000: 3, 100000: 1.2 },
  H: { 10000: 2, 100000: 0.6 },
  M: { 10000: 1 },
  U: { 10000: 0.5 },
  T: { 200: 1 },
};

export function ratioTarget(name: WorkloadName, size: number): number | undefined {
  return ratios[name]?.[size];
}

/** Opening 100k rules takes at most so many times what 10k take. */
export const growthTarget = 15;
/** Nodes visited for S at 100k, at most. */
export const nodesTarget = 12;
/** Megabytes of heap for 100k rules, at most. */
export const heapTarget = 200;

export interface PeerTarget {
  readonly workload: WorkloadName;
  readonly size: number;
  readonly peer: 'opa-wasm' | 'opa-go';
  /** Placet's decisions per second over the peer's, at least. */
  readonly faster?: number;
  /** Placet's memory over the peer's, at most. */
  readonly memory?: number;
}

export const peerTargets: readonly PeerTarget[] = [
  { workload: 'A', size: 10_000, peer: 'opa-wasm', faster: 20 },
  { workload: 'A', size: 10_000, peer: 'opa-go', faster: 30 },
  { workload: 'S', size: 10_000, peer: 'opa-wasm', faster: 4 },
  { workload: 'A', size: 100_000, peer: 'opa-wasm', memory: 0.1 },
  { workload: 'A', size: 100_000, peer: 'opa-go', memory: 0.1 },
];
