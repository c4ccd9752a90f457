import type { Document } from './document.ts';
import { sha256, shippedKinds } from './files.ts';
import { type Loaded, load } from './load.ts';

/** Documents, wherever they are from, among the kinds that come with Placet. */
export function loadShipped(documents: readonly Document[]): Loaded {
  return load(documents, sha256, shippedKinds);
}
