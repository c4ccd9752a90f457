import { Folders } from '../../gateway/live/folders.ts';
import type { Source } from '../../gateway/live/source.ts';

/** Where documents come from; plain data, since another thread opens them. */
export interface From {
  /** Files and folders. */
  readonly policies: readonly string[];
}

export async function sourcesOf({ policies }: From): Promise<readonly Source[]> {
  return policies.length === 0 ? [] : [new Folders(policies)];
}
