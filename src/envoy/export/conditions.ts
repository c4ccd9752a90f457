import type { Condition, Pattern } from '../../pdp/model/rule.ts';
import { all, type Expression, type Leaf, not } from './expression.ts';

/** Where a condition is known to be true, and where it is known to be false; elsewhere it is unknown. */
export interface Known {
  readonly yes: Expression;
  readonly no: Expression;
}

export const unknown: Known = { yes: false, no: false };

const scheme = 'spiffe://';
export const anyId: Leaf = { of: 'id', match: 'prefix', value: scheme };

/** A condition over a value that is there where `present` holds, and matches where `found` does. */
export function among({ op }: Condition, present: Expression, found: Expression, where: Expression): Known {
  const there = all([present, where]);
  const match = all([found, where]);
  const other = all([there, not(found)]);
  switch (op) {
    case 'in':
      return { yes: match, no: other };
    case 'notIn':
      return { yes: other, no: match };
    case 'exists':
      return { yes: there, no: false };
    case 'notExists':
      return { yes: false, no: there };
  }
}

export function absent({ op }: Condition): Known {
  const holds = op === 'notIn' || op === 'notExists';
  return { yes: holds, no: !holds };
}

export function within({ yes, no }: Known, where: Expression): Known {
  return { yes: all([yes, where]), no: all([no, where]) };
}

export function idLeaf({ match, value }: Pattern): readonly Leaf[] {
  return [{ of: 'id', match, value }];
}

/** No trust domain holds a slash: a prefix of one is a prefix of the ID, and one below it there is none. */
export function trustDomainLeaves({ match, value }: Pattern): readonly Leaf[] {
  if (value.includes('/') || value === '') return match === 'prefix' && value === '' ? [anyId] : [];
  return [{ of: 'id', match: match === 'prefix' ? 'prefix' : 'under', value: scheme + value }];
}
