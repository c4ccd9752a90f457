import type { z } from 'zod';
import type { PolicyKind } from '../targets/policy-kind.ts';
import type { TargetKind } from '../targets/target-ref.ts';

/** What policies may name, or be for, beside proxies and tags. */
export type ResourceKind = Exclude<TargetKind, 'Mesh' | 'MeshSubset' | 'MeshServiceSubset' | 'Dataplane'>;

export interface Reading {
  readonly apiVersion: string;
  readonly schema: z.ZodType;
  /** Only metadata is used; all other top-level fields are listed as ignored. */
  readonly metadataOnly?: boolean;
}

export interface Kind {
  readonly name: string;
  /** The name of its JSON Schema's file. */
  readonly file: string;
  readonly namespace: 'default' | 'optional' | 'none';
  readonly mesh: boolean;
  /** What identifiers of its documents begin with. */
  readonly shortName?: string;
  /** What policies may be about or refer to: a reference that leads nowhere is a status, no error. */
  readonly resource?: ResourceKind | 'Zone';
  /** By a document, rather than by the code. */
  readonly described?: PolicyKind;
  /** The first one is also that of the short form. */
  readonly readings: readonly [Reading, ...Reading[]];
}

export type Kinds = ReadonlyMap<string, Kind>;
