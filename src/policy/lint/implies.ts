import { contains, floorOf } from '../../pdp/model/condition.ts';
import type { PatternWork } from '../../pdp/model/pattern-work.ts';
import { type Condition, effectOf, keys, type Pattern, type Tier } from '../../pdp/model/rule.ts';
import { type Trust, trustRank } from '../../pdp/model/trust.ts';

function coveredBy(narrow: readonly Pattern[], wide: readonly Pattern[], work: PatternWork): boolean {
  return narrow.every((one) => {
    return work.some(wide, one.value, one.match === 'exact', (other) => contains(other, one)) && !work.done;
  });
}

/** Keys that may have several values at once, so that one value says nothing of another's absence. */
function mayBeSeveral(key: string): boolean {
  return key.startsWith(keys.tag) || key === keys.section || key === keys.route || key === keys.serviceName;
}

/** Whether a known value (or absence) that makes the first condition true makes the second true. */
function valueImplies(given: Condition, then: Condition, work: PatternWork): boolean {
  switch (then.op) {
    case 'in':
      return given.op === 'in' && coveredBy(given.values, then.values, work);
    case 'exists':
      return given.op === 'in' || given.op === 'exists';
    case 'notExists':
      return given.op === 'notExists';
    case 'notIn':
      if (given.op === 'notExists') return true;
      if (given.op === 'notIn') return coveredBy(then.values, given.values, work);
      if (given.op !== 'in' || mayBeSeveral(given.key)) return false;
      // Only exact values are known not to reach into the others.
      return given.values.every(
        (one) =>
          one.match === 'exact' &&
          !work.some(then.values, one.value, true, (other) => contains(other, one)) &&
          !work.done,
      );
  }
}

interface Side {
  readonly when: readonly Condition[];
  readonly tier: Tier;
}

/**
 * Whether the second rule matches whenever the first does, whatever is unknown: sound, not complete. A deny matches
 * what is unknown and an allow does not, so a deny that matches proves nothing of what is known. Where the work is
 * done it proves nothing either.
 */
export function matchImplies(given: Side, then: Side, siteFloor: Trust, work: PatternWork): boolean {
  const givenAllows = effectOf(given.tier) === 'allow';
  const thenAllows = effectOf(then.tier) === 'allow';
  if (thenAllows && !givenAllows) return then.when.length === 0;
  return then.when.every((wanted) =>
    given.when.some((known) => {
      if (known.side !== wanted.side || known.key !== wanted.key || !valueImplies(known, wanted, work))
        return false;
      const from = leastRank(known, givenAllows, siteFloor);
      const to = leastRank(wanted, thenAllows, siteFloor);
      if (thenAllows) return to <= from;
      // What is too weak for the first deny must be too weak for the second, or its value would count there.
      return givenAllows || to >= from;
    }),
  );
}

function leastRank(condition: Condition, allows: boolean, siteFloor: Trust): number {
  return trustRank[floorOf(condition, allows, siteFloor) ?? 'asserted'];
}
