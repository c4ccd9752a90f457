import {
  all,
  any,
  type Expression,
  fold,
  isAll,
  isAny,
  isLeaf,
  isNot,
  type Leaf,
  nameOf,
  not,
} from './expression.ts';
import { implies } from './implies.ts';

/** One way for a policy to match: the server name is a permission, all else a principal. */
export interface Way {
  readonly permission: Expression;
  readonly principal: Expression;
}

/** What speaks of the server name beside other things is parted, since a policy has both in conjunction. */
export function waysOf(one: Expression): readonly Way[] {
  const names = [...serverNames(one)].map(([, leaf]) => leaf);
  if (names.length === 0) return [{ permission: true, principal: one }];
  // Negations of many would be multiplied out.
  return parted(one, names.length + 1) ?? byServerName(one, names);
}

/** Undefined: there are more. */
function parted(one: Expression, most: number): readonly Way[] | undefined {
  if (serverNames(one).size === 0) return [{ permission: true, principal: one }];
  if (isAll(one)) {
    let ways: readonly Way[] = [{ permission: true, principal: true }];
    for (const part of one.all) {
      const more = parted(part, most);
      if (more === undefined || ways.length * more.length > most) return undefined;
      ways = ways.flatMap((way) => more.map((other) => both(way, other)));
    }
    return ways;
  }
  if (isAny(one)) {
    const ways: Way[] = [];
    for (const part of one.any) {
      const more = parted(part, most);
      if (more === undefined || ways.length + more.length > most) return undefined;
      ways.push(...more);
    }
    return ways;
  }
  if (typeof one === 'object' && isNot(one) && !isLeaf(one.not)) return parted(negated(one.not), most);
  return [{ permission: one, principal: true }];
}

function both(one: Way, other: Way): Way {
  return {
    permission: all([one.permission, other.permission]),
    principal: all([one.principal, other.principal]),
  };
}

/** Negation one step further in. */
function negated(one: Expression): Expression {
  if (isAll(one)) return any(one.all.map(not));
  return isAny(one) ? all(one.any.map(not)) : not(one);
}

/** By what they say. */
function serverNames(one: Expression, found = new Map<string, Leaf>()): ReadonlyMap<string, Leaf> {
  if (typeof one === 'boolean') return found;
  if (isLeaf(one)) {
    if (one.of === 'sni') found.set(nameOf(one), one);
  } else if (isNot(one)) serverNames(one.not, found);
  else for (const part of isAll(one) ? one.all : one.any) serverNames(part, found);
  return found;
}

/**
 * One way for each name that is asked for, and one for all others. Of two names either one holds the other or nothing
 * is of both, so that of a server name all is known by the narrowest that it is of.
 */
function byServerName(one: Expression, names: readonly Leaf[]): readonly Way[] {
  const sorted = names.toSorted(byWidth);
  const ways = sorted.map((name, at): Way => {
    const narrower = sorted.slice(0, at).filter((other) => holds(name, other));
    const known = (leaf: Leaf) => (leaf.of === 'sni' ? holds(leaf, name) : undefined);
    return { permission: all([name, ...narrower.map(not)]), principal: fold(one, known) };
  });
  const others = fold(one, ({ of }) => (of === 'sni' ? false : undefined));
  ways.push({ permission: all(sorted.map(not)), principal: others });
  return ways.filter(({ principal }) => principal !== false);
}

function holds(wide: Leaf, narrow: Leaf): boolean {
  // The only one of these there is: any server name at all.
  if (wide.match === 'regex') return narrow.value !== '';
  return narrow.match !== 'regex' && implies(narrow, wide);
}

/** What may hold another one comes after it. */
function byWidth(a: Leaf, b: Leaf): number {
  const order = (leaf: Leaf) => widths.indexOf(leaf.match);
  if (a.match === 'regex' || b.match === 'regex') return order(a) - order(b);
  return b.value.length - a.value.length || order(a) - order(b);
}

const widths: readonly Leaf['match'][] = ['exact', 'under', 'prefix', 'regex'];
