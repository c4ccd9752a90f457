import type { ProxyName } from './names.ts';

/** Of the protocol. */
export type Form = 'state-of-the-world' | 'delta';

/**
 * `refused`: it does not take some of what it is to have. `waiting`: it has not taken all of it yet. `outdated`: it has,
 * and some of it is not what the policies say now, since that cannot be exported.
 */
export type NodeState = 'refused' | 'waiting' | 'outdated' | 'current';

/** How it stands with a node. Times are milliseconds since the epoch. */
export interface NodeStatus {
  /** Of its stream, in this process. */
  readonly number: number;
  readonly id: string;
  readonly cluster: string;
  /** Undefined: it does not say which dataplane it is. */
  readonly proxy: ProxyName | undefined;
  readonly form: Form;
  readonly connected: number;
  readonly state: NodeState;
  readonly resources: readonly ResourceStatus[];
  readonly lastRefusal: Refusal | undefined;
}

export interface Version {
  readonly version: string;
  readonly at: number;
}

export interface ResourceStatus {
  readonly name: string;
  /** Last; not given where the node came with what it is to have. */
  readonly sent?: Version;
  /** What the node has said it uses. */
  readonly taken?: Version;
  /** Whether it refuses what it is to have. */
  readonly refused: boolean;
  /** Why what it is to have lets nobody in. */
  readonly denies?: string;
  /** Why it is not what the policies say now. */
  readonly outdated?: string;
}

/** What a node could not use, in its own words. */
export interface Refusal {
  readonly at: number;
  readonly words: string;
  readonly resources: readonly { readonly name: string; readonly version: string }[];
}
