import type { Path } from '../../pdp/model/violation.ts';

/** Finds the offset of what stands at a path, or of its deepest part that is there. */
export interface Locator {
  offsetOf(path: Path, of: 'value' | 'key'): number;
}
