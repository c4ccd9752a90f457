import { isOwnKey, keys } from '../model/rule.ts';
import { Kind } from './vocabulary.ts';

/**
 * Where a string settles an attribute, if there is one: among what the source states, among what is stated of a
 * destination given outright, the namespace that a request names, the SPIFFE ID; or among what the source states, with
 * the trust of the SPIFFE ID if that says the same.
 */
export const Way = { none: 0, stated: 1, outright: 2, namespace: 3, identity: 4, corroborated: 5 } as const;

/** Who has a say in a key of the source, beside what is stated or the ID: nobody, the ID's template too, or others. */
export type Say = 'nobody' | 'template' | 'others';

export function wayOf(kind: number, key: string, say: Say): number {
  if (kind === Kind.attribute)
    return say === 'nobody' ? Way.stated : say === 'template' ? Way.corroborated : Way.none;
  if (kind === Kind.spiffeId) return say === 'nobody' ? Way.identity : Way.none;
  if (kind !== Kind.destination) return Way.none;
  if (key === keys.namespace) return Way.namespace;
  return isOwnKey(key) ? Way.none : Way.outright;
}

/** Whether the targets of an inventory have a value of a key, which no request says otherwise. */
export function isOfTarget(kind: number, key: string): boolean {
  return kind === Kind.destination && key !== keys.namespace && key !== keys.route;
}
