import type { Workload } from '../workloads/types.ts';

/** What every engine in the comparison is reduced to. */
export interface Peer {
  readonly name: PeerName;
  /** True for allow. Takes the contract's object as parsed. */
  decide(request: unknown): boolean;
}

export const peerNames = ['placet', 'opa-wasm', 'opa-wasm-tuned', 'opa-go', 'cedar-wasm'] as const;
export type PeerName = (typeof peerNames)[number];

export type MakePeer = (workload: Workload) => Promise<Peer>;
