import type { Fields } from '../../pdp/model/fields.ts';
import type { PolicyInfo } from '../load.ts';
import type { Beyond } from './beyond.ts';
import type { Clients } from './clients.ts';
import type { PolicyTally } from './compare.ts';
import type { Ground } from './ground.ts';

export interface Options {
  readonly allowNarrower: boolean;
  readonly allowWider: boolean;
  /** Write only what is equal for clients to come too. */
  readonly everySource: boolean;
}

/**
 * `equal`: for every source that the certificates of the mesh can carry. `equal-for-inventory`: for every client that
 * there is. `narrower`, `wider`, `different` (both): for some client that there is. `lost`: the SPIFFE form cannot
 * say it, or there is nothing to compare it by.
 */
export type Status = 'equal' | 'equal-for-inventory' | 'narrower' | 'wider' | 'different' | 'lost';

export interface PolicyPlan {
  readonly info: PolicyInfo;
  readonly status: Status;
  readonly reasons: readonly string[];
  readonly written: boolean;
  readonly tally: PolicyTally;
  readonly beyond: Beyond | undefined;
  /** What it becomes; nothing where the default says the same. */
  readonly documents: readonly Fields[];
}

export interface MeshPlan {
  readonly ground: Ground;
  readonly policies: readonly PolicyPlan[];
  readonly nobody: PolicyTally;
  /** Why nothing was compared. */
  readonly refused: string | undefined;
}

export interface Plan {
  readonly clients: Clients;
  readonly meshes: readonly MeshPlan[];
}
