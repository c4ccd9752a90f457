import type { TargetKind } from './target-ref.ts';
import type { Form } from './targeted.ts';

/** A kind of policies as a document describes it: `type: PolicyKind` (SPEC REF8). */

export type Direction = 'to' | 'from';

export interface PolicyKind {
  readonly name: string;
  /** Of its identifiers: `kri_<shortName>_…`. */
  readonly shortName: string;
  /** The group and version it is read in, beside the short form. */
  readonly apiVersion: string;
  /** Which arrays it has; none: a single conf that overrides field by field. */
  readonly directions: readonly Direction[];
  /** The only form it is written in; undefined: each document says by its shape. */
  readonly form: Form | undefined;
  readonly targets: {
    readonly top: readonly TargetKind[];
    readonly to: readonly TargetKind[];
    readonly from: readonly TargetKind[];
  };
  /** Paths into a conf whose arrays are concatenated; those named `append…` are anyway. */
  readonly concat: readonly (readonly string[])[];
  /** Whether it configures clusters, so that a producer may write it for a MeshGateway. */
  readonly clusters: boolean;
  /** The fields that a conf may have at its top; undefined: any. */
  readonly fields: readonly string[] | undefined;
  /** Where the kind is described; -1 for those that come with Placet. */
  readonly document: number;
}
