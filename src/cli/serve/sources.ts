import { Folders } from '../../gateway/live/folders.ts';
import type { Source } from '../../gateway/live/source.ts';
import { type ClusterPlace, openClusterSource } from './cluster-source.ts';

/** Where documents come from; plain data, since another thread opens them. */
export interface From {
  /** Files and folders. */
  readonly policies: readonly string[];
  /** A cluster whose objects are policies too. */
  readonly cluster?: ClusterPlace;
}

export async function sourcesOf({ policies, cluster }: From): Promise<readonly Source[]> {
  return [
    ...(policies.length === 0 ? [] : [new Folders(policies)]),
    ...(cluster === undefined ? [] : [await openClusterSource(cluster)]),
  ];
}
