import type { KeyObject } from 'node:crypto';
import type { Certificate } from '../x509/certificate.ts';

/** What one trust domain signs with (SPIFFE Trust Domain and Bundle standard §4). */
export interface Bundle {
  readonly trustDomain: string;
  readonly authorities: readonly Certificate[];
  /** Keys of JWT-SVIDs by `kid`. */
  readonly keys: ReadonlyMap<string, KeyObject>;
  /** Larger is newer, where the publisher counts. */
  readonly sequence?: number;
  /** How often to look for a newer one, in seconds. */
  readonly refreshHint?: number;
}
