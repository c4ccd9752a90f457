import { type Expression, isAll, isAny, isLeaf, isNot, type Leaf, nameOf, readOf } from './expression.ts';

/** Whether the second holds wherever the first does. Sound, not complete: what it does not see costs size alone. */
export function implies(one: Expression, other: Expression): boolean {
  if (one === false || other === true) return true;
  if (one === true || other === false) return false;
  if (nameOf(one) === nameOf(other)) return true;
  if (isAny(one)) return one.any.every((part) => implies(part, other));
  if (isAll(other)) return other.all.every((part) => implies(one, part));
  if (isAny(other) && other.any.some((part) => implies(one, part))) return true;
  if (isAll(one)) return one.all.some((part) => implies(part, other));
  if (isNot(one) && isNot(other)) return implies(other.not, one.not);
  return isLeaf(one) && isLeaf(other) && covers(other, one);
}

function covers(wide: Leaf, narrow: Leaf): boolean {
  if (readOf(wide) !== readOf(narrow) || wide.match === 'regex') return false;
  const { value } = wide;
  if (wide.match === 'exact') return false;
  const starts = narrow.match === 'regex' ? (narrow.starts ?? '') : narrow.value;
  if (wide.match === 'prefix') return starts.startsWith(value);
  if (starts.startsWith(`${value}/`)) return true;
  return (narrow.match === 'exact' || narrow.match === 'under') && starts === value;
}
