import type { Part } from './part.ts';

export const envoyForms = ['state-of-the-world', 'delta'] as const;

/**
 * `refused`: it does not take some of what it is to have. `waiting`: it has not taken all of it yet. `outdated`: it has,
 * and some of it is not what the policies say now, since that cannot be exported.
 */
export const envoyStates = ['refused', 'waiting', 'outdated', 'current'] as const;
export type EnvoyState = (typeof envoyStates)[number];

export interface EnvoyFilter {
  readonly id?: string;
  readonly mesh?: string;
  readonly dataplane?: string;
  readonly state?: EnvoyState;
}

export interface EnvoyPage {
  readonly total: number;
  readonly envoys: readonly EnvoyStatus[];
  /** The offset of the page after, if there is one. */
  readonly next?: number;
}

/** In the order of identifiers; of all workers, where there are several. */
export type Envoys = (where: EnvoyFilter, part: Part) => Promise<EnvoyPage>;

/** How it stands with one Envoy that gets its filters here. Times are in the form of ISO 8601. */
export interface EnvoyStatus {
  readonly id: string;
  readonly cluster: string;
  /** Not given: it does not say which one it is. */
  readonly dataplane?: { readonly mesh: string; readonly name: string };
  readonly form: (typeof envoyForms)[number];
  readonly connected: string;
  readonly state: EnvoyState;
  /** The first of them. */
  readonly resources: readonly EnvoyResource[];
  /** How many there are beside. */
  readonly more?: number;
  /** The last time that it could not use what it was sent, whatever has come since. */
  readonly lastRefusal?: {
    readonly at: string;
    /** Its own. */
    readonly words: string;
    readonly resources: readonly { readonly name: string; readonly version: string }[];
    readonly more?: number;
  };
  /** The one that it is connected to, where there are several. */
  readonly worker?: number;
}

export interface EnvoyResource {
  readonly type: string;
  readonly name: string;
  /** Not given: it came with what it is to have. */
  readonly sent?: { readonly version: string; readonly at: string };
  /** What it has said it uses. */
  readonly taken?: { readonly version: string; readonly at: string };
  /** Whether it refuses what it is to have. */
  readonly refused: boolean;
  /** Why what it is to have lets nobody in, as in the name of its policy. */
  readonly denies?: string;
  /** Why it is not what the policies say now. */
  readonly outdated?: string;
}
