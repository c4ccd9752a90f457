import { isOwnKey, keys } from '../model/rule.ts';
import { Kind } from './vocabulary.ts';

/**
 * Where a string settles an attribute, if there is one: among what the source states, among what is stated of a
 * destination given outright, the namespace that a request names, the SPIFFE ID.
 */
export const Way = { none: 0, stated: 1, outright: 2, namespace: 3, identity: 4 } as const;

/** `plain`: nothing but what is stated or the ID says has a say in this key of the source. */
export function wayOf(kind: number, key: string, plain: boolean): number {
  if (kind === Kind.attribute) return plain ? Way.stated : Way.none;
  if (kind === Kind.spiffeId) return plain ? Way.identity : Way.none;
  if (kind !== Kind.destination) return Way.none;
  if (key === keys.namespace) return Way.namespace;
  return isOwnKey(key) ? Way.none : Way.outright;
}
