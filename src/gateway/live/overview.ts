import type { Violation } from '../../pdp/model/violation.ts';

/** What decides now, and how it stands with where it comes from. */
export interface Overview {
  /** Not given: nothing was read yet. */
  readonly snapshot?: string;
  /** Milliseconds since the epoch at which it took over. */
  readonly since?: number;
  readonly counts?: Counts;
  readonly sources: readonly SourceStatus[];
  /** Why some of what lies in the sources does not count. */
  readonly problems: readonly Violation[];
  /** Which of several processes answers. */
  readonly worker?: number;
}

export interface SourceStatus {
  /** `policies`, `cluster pods`, … */
  readonly name: string;
  readonly synced: boolean;
  /** Whether what it gave may still be believed. */
  readonly fresh: boolean;
  /** Milliseconds since it was last known to be so. */
  readonly age?: number;
  /** What is wrong with it now, in words; the last good version goes on. */
  readonly problems: readonly string[];
}

export interface Counts {
  readonly documents: number;
  readonly policies: number;
  readonly rules: number;
  readonly meshes: number;
  readonly dataplanes: number;
  readonly services: number;
  readonly workloads: number;
}
