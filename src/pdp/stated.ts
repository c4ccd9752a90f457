import type { StatedAttributes, StatedValue } from './model/request.ts';
import { trustRank } from './model/trust.ts';

/** Own properties only: an object's prototype states nothing. */
export function isStated(
  attributes: StatedAttributes | undefined,
  key: string,
  value: unknown,
): value is StatedValue {
  return (
    typeof value === 'object' && value !== null && attributes !== undefined && Object.hasOwn(attributes, key)
  );
}

export function textOf(attributes: StatedAttributes, key: string): string | undefined {
  const value = attributes[key];
  if (typeof value === 'string') return value;
  return isStated(attributes, key, value) ? (value as StatedValue).value : undefined;
}

/** The rank of a stated value's trust: its own or the channel's, and never more than the channel vouches for. */
export function trustOf({ trust }: StatedValue, channel: number, ceiling: number): number {
  return Math.min(trust === undefined ? channel : trustRank[trust], ceiling);
}
