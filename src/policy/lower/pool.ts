import type { Condition, Operator, Pattern, Side } from '../../pdp/model/rule.ts';
import type { Trust } from '../../pdp/model/trust.ts';
import type { Path } from '../../pdp/model/violation.ts';

/** Places that begin alike. */
interface Branch {
  readonly path: Path;
  readonly below: Map<string | number, Branch>;
}

/** Makes conditions and places, each equal one only once: rules of a large set share most of theirs. */
export class Pool {
  readonly #byKey = new Map<string, Map<string | undefined, Condition[]>>();
  readonly #root: Branch = { path: Object.freeze([]), below: new Map() };

  path(...path: Path): Path {
    let branch = this.#root;
    for (let at = 0; at < path.length; at++) {
      const step = path[at]!;
      let next = branch.below.get(step);
      if (next === undefined) {
        next = { path: Object.freeze(path.slice(0, at + 1)), below: new Map() };
        branch.below.set(step, next);
      }
      branch = next;
    }
    return branch.path;
  }

  /** A condition on one value. */
  is(side: Side, key: string, value: string, match: Pattern['match'] = 'exact', floor?: Trust): Condition {
    return this.#shared(side, key, 'in', match, value, floor);
  }

  isNot(side: Side, key: string, value: string): Condition {
    return this.#shared(side, key, 'notIn', 'exact', value, undefined);
  }

  any(
    side: Side,
    key: string,
    op: Operator,
    values: readonly string[],
    match: Pattern['match'],
    floor?: Trust,
  ): Condition {
    if (values.length === 1) return this.#shared(side, key, op, match, values[0]!, floor);
    if (values.length === 0) return this.#shared(side, key, op, match, undefined, floor);
    return condition(
      side,
      key,
      op,
      Object.freeze(values.map((value) => Object.freeze({ match, value }))),
      floor,
    );
  }

  #shared(
    side: Side,
    key: string,
    op: Operator,
    match: Pattern['match'],
    value: string | undefined,
    floor: Trust | undefined,
  ): Condition {
    let byValue = this.#byKey.get(key);
    if (byValue === undefined) {
      byValue = new Map();
      this.#byKey.set(key, byValue);
    }
    const alike = byValue.get(value);
    const found = alike?.find(
      (one) =>
        one.side === side &&
        one.op === op &&
        one.floor === floor &&
        (value === undefined || one.values[0]!.match === match),
    );
    if (found !== undefined) return found;
    const values = value === undefined ? noValues : Object.freeze([Object.freeze({ match, value })]);
    const made = condition(side, key, op, values, floor);
    if (alike === undefined) byValue.set(value, [made]);
    else alike.push(made);
    return made;
  }
}

const noValues: readonly Pattern[] = Object.freeze([]);

function condition(
  side: Side,
  key: string,
  op: Operator,
  values: readonly Pattern[],
  floor: Trust | undefined,
): Condition {
  return Object.freeze(floor === undefined ? { side, key, op, values } : { side, key, op, values, floor });
}

/** One list after the other, in an array without room to grow: there are as many of these as rules. */
export function joined<T>(first: readonly T[], second: readonly T[]): readonly T[] {
  const all = new Array<T>(first.length + second.length);
  for (let at = 0; at < first.length; at++) all[at] = first[at]!;
  for (let at = 0; at < second.length; at++) all[first.length + at] = second[at]!;
  return all;
}
