import { LRUCache } from 'lru-cache';

export type LastUsed<V extends object> = Pick<LRUCache<string, V>, 'get' | 'set' | 'delete'>;

/**
 * What was asked for last, so many at most. Whether it still holds is for whoever asks to see: to the package a life
 * of 0 is one without end.
 */
export function lastUsed<V extends object>(most: number): LastUsed<V> {
  return new LRUCache({ max: most });
}
