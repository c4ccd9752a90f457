import type { Rule } from '../model/rule.ts';
import type { NearestMiss } from './miss.ts';
import type { Demand } from './states.ts';

/** What is said of denies that nothing keeps off, or nothing that was found (SPEC NEAR4). */

type Deny = readonly [rule: Rule, demands: readonly Demand[]];

interface Blame {
  readonly blame: readonly Rule[];
  /** Whether each of them stands in the way by itself. */
  readonly isAlone: boolean;
  /** Whether it is known that they do. */
  readonly isKnown: boolean;
}

/** Where nothing makes the allow match, whatever denies. */
export const nobody: Blame = { blame: [], isAlone: true, isKnown: true };

/** Each deny that alone stands in the way; if none does, some that do together, of which none can be left out. */
export function blameOf(
  denies: readonly Deny[],
  isBarred: (demands: readonly (readonly Demand[])[]) => boolean,
  exact: boolean,
): Blame {
  const alone = denies.filter(([, demands]) => isBarred([demands]));
  if (alone.length > 0) return { blame: alone.map(([rule]) => rule), isAlone: true, isKnown: true };
  let left = denies;
  if (exact)
    for (const deny of denies) {
      const others = left.filter((other) => other !== deny);
      if (isBarred(others.map(([, demands]) => demands))) left = others;
    }
  return { blame: left.map(([rule]) => rule), isAlone: false, isKnown: exact };
}

export function inTheWay(allow: Rule, blame: readonly Rule[], isAlone: boolean): string[] {
  if (blame.length === 0) return [`cannot be had: nothing makes ${nameOfRule(allow)} match here`];
  const whatever = `whatever ${nameOfRule(allow)} would allow here`;
  if (isAlone) return blame.map((rule) => `cannot be had: ${nameOfRule(rule)} denies ${whatever}`);
  return [`cannot be had: together ${blame.map(nameOfRule).join(' and ')} deny ${whatever}`];
}

export function notFound(allow: Rule, blame: readonly Rule[]): string {
  return `not found: of the ways to keep ${blame.length} denies off ${nameOfRule(allow)} not all were tried`;
}

/** Of denies for which nothing was found in time. */
export function unsolved(denies: NearestMiss['denies']): string[] {
  const count = denies.filter(({ steps }) => steps.length === 0).length;
  if (count === 0) return [];
  if (count === 1) return ['one more deny would match; what keeps it off was not found'];
  return [`${count} more denies would match; what keeps them off was not found`];
}

function nameOfRule({ origin }: Rule): string {
  return `${origin.effect} ${origin.index} of ${origin.policy}`;
}
