import type { CompletePrefixes, StatedAttributes, StatedUnknown, StatedValue } from './model/request.ts';
import { trustRank } from './model/trust.ts';

/** Own properties only: an object's prototype states nothing. */
export function isStated(
  attributes: StatedAttributes | undefined,
  key: string,
  value: unknown,
): value is StatedValue {
  return isObject(attributes, key, value) && (value as Partial<StatedUnknown>).unknown === undefined;
}

/** Whether a key is stated as one whose value nobody can tell. */
export function isStatedUnknown(
  attributes: StatedAttributes | undefined,
  key: string,
  value: unknown,
): value is StatedUnknown {
  return isObject(attributes, key, value) && (value as Partial<StatedUnknown>).unknown !== undefined;
}

function isObject(attributes: StatedAttributes | undefined, key: string, value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && attributes !== undefined && Object.hasOwn(attributes, key)
  );
}

/** The rank of the best who knows all that there is under a prefix of a key; undefined if nobody does. */
export function completeFor(prefixes: CompletePrefixes, key: string, ceiling: number): number | undefined {
  let best: number | undefined;
  for (const prefix in prefixes) {
    const trust = Object.hasOwn(prefixes, prefix) && key.startsWith(prefix) ? prefixes[prefix] : undefined;
    if (trust !== undefined) best = Math.max(best ?? 0, Math.min(trustRank[trust], ceiling));
  }
  return best;
}

export function textOf(attributes: StatedAttributes, key: string): string | undefined {
  const value = attributes[key];
  if (typeof value === 'string') return value;
  return isStated(attributes, key, value) ? (value as StatedValue).value : undefined;
}

/** Whether a key is stated with another value than something else has for it. */
export function saysOtherwise(stated: StatedAttributes, key: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  const text = textOf(stated, key);
  return text !== undefined && text !== value;
}

/** The rank of a stated value's trust: its own or the channel's, and never more than the channel vouches for. */
export function trustOf({ trust }: StatedValue, channel: number, ceiling: number): number {
  return Math.min(trust === undefined ? channel : trustRank[trust], ceiling);
}
