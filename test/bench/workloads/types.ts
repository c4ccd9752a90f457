/**
 * A workload is documents and requests, and beside them the same rules in a plain form for the reference
 * evaluation and for peers, written by the generator itself: nothing here has passed through Placet.
 */
export interface PlainCondition {
  readonly side: 'source' | 'destination' | 'request';
  readonly key: string;
  readonly op: 'in' | 'notIn' | 'exists' | 'notExists';
  readonly match: 'exact' | 'prefix' | 'under';
  readonly values: readonly string[];
  /** The rank of the trust asked for. */
  readonly floor?: number;
}

export interface PlainRule {
  /** Null: never enforced. */
  readonly tier: 0 | 1 | 2 | 3 | 4 | null;
  readonly shadow: 0 | 1 | 2 | 3 | 4;
  readonly when: readonly PlainCondition[];
  /** Position in the one ordered list of the workload; greater is stronger. */
  readonly strength?: number;
}

export interface PlainDataplane {
  readonly name: string;
  readonly mesh: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly inbound: {
    readonly name: string;
    readonly port: number;
    readonly tags: Readonly<Record<string, string>>;
  };
}

export interface Workload {
  readonly name: WorkloadName;
  /** How many rules the documents make. */
  readonly size: number;
  readonly documents: readonly object[];
  readonly rules: readonly PlainRule[];
  readonly dataplanes: readonly PlainDataplane[];
  /** Each the JSON text of one request of the contract. */
  readonly requests: readonly string[];
}

export const workloadNames = ['S', 'A', 'H', 'M', 'U', 'T'] as const;
export type WorkloadName = (typeof workloadNames)[number];

export type Generator = (size: number, requests: number) => Workload;
