import type { Condition, Operator, Pattern, Side } from '../../pdp/model/rule.ts';
import type { Trust } from '../../pdp/model/trust.ts';

/** Makes conditions, each equal one only once: rules of a large set share most of theirs. */
export class Pool {
  readonly #byKey = new Map<string, Map<string | undefined, Condition[]>>();

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
