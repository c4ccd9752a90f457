import type { ExplainedCondition, ExplainedRule } from '../../pdp/explain.ts';
import { effectOf } from '../../pdp/model/rule.ts';
import type { Place } from '../../pdp/model/violation.ts';
import { effectPaint, type Palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { showCondition, showSome } from './condition.ts';
import { showPlace, showRule } from './place.ts';

const causes: Readonly<Record<NonNullable<ExplainedCondition['cause']>, string>> = {
  'not-given': 'not given, and nothing says that it is absent',
  'shared-identity': 'workloads that carry this identity differ',
  'not-trusted-here': 'set by somebody who may not set it',
  'not-shown': 'the request does not show it',
  'ambiguous-path': 'it can be read in more than one way',
  'section-not-given': 'there are several inbounds, and none was named',
  'namespace-not-given': 'the route was named without its namespace',
  'below-floor': 'not trusted enough',
};

function seenInWords({ seen, from, trust, cause, pods }: ExplainedCondition): string {
  const origin = [printable(from), ...(trust === undefined ? [] : [trust])].join(', ');
  const value = seen.length === 0 ? 'none' : showSome(seen);
  if (cause === undefined) return `seen: ${value} (${origin})`;
  if (cause === 'below-floor' || cause === 'ambiguous-path')
    return `seen: ${value} (${origin}), ${causes[cause]}`;
  return `${causes[cause]}${pods === undefined ? '' : `: ${showSome(pods)}`} (${origin})`;
}

function truthPaint(truth: ExplainedCondition['truth'], paint: Palette): string {
  const text = truth.padEnd(7);
  return truth === 'true' ? paint.green(text) : truth === 'false' ? paint.red(text) : paint.yellow(text);
}

function showOne(condition: ExplainedCondition, paint: Palette): string[] {
  const { side, truth, shadowTruth, shadowCause } = condition;
  const line = `    ${truthPaint(truth, paint)}  ${showCondition(condition)}`;
  const why = shadowCause === undefined ? '' : `: ${causes[shadowCause]}`;
  const there = shadowTruth === undefined ? [] : [`             ${shadowTruth} in the shadow${why}`];
  // Where a destination's condition holds, what it has is what the condition says.
  if (side === 'destination' && truth === 'true') return [line, ...there];
  return [line, `             ${paint.dim(seenInWords(condition))}`, ...there];
}

const outcomes: Readonly<Record<ExplainedRule['outcome'], string>> = {
  matches: 'matches',
  'matches-unknown': 'matches, since it is not known not to',
  no: 'does not match',
};

function verdictOf(
  { tier, outcome, shadowOutcome, decides, decidesShadow }: ExplainedRule,
  paint: Palette,
): string {
  const shown = tier === null ? shadowOutcome : outcome;
  const words = shown === 'no' ? paint.dim(outcomes[shown]) : outcomes[shown];
  if (shown !== shadowOutcome) {
    const enforced = decides ? `; ${paint.bold('decides what is enforced')}` : '';
    const there = decidesShadow ? `, and ${paint.bold('decides')}` : '';
    return `${words}${enforced}; in the shadow it ${outcomes[shadowOutcome]}${there}`;
  }
  const decided =
    decides && decidesShadow ? 'decides' : decides ? 'decides what is enforced' : 'decides the shadow';
  return decides || decidesShadow ? `${words}; ${paint.bold(decided)}` : words;
}

/** A rule with its conditions, each with what was seen of it. */
export function showExplainedRule(rule: ExplainedRule, place: Place | undefined, paint: Palette): string[] {
  const { tier, shadowTier, overruledBy, barred, conditions } = rule;
  const effect = effectPaint(effectOf(tier ?? shadowTier), paint);
  const shadow = `, shadow ${effectPaint(effectOf(shadowTier), paint)}`;
  const trial = tier === null ? ', never enforced' : tier === shadowTier ? '' : shadow;
  return [
    `${effect} ${paint.bold(showRule(rule.by))} (tier ${tier ?? shadowTier}${trial}): ${verdictOf(rule, paint)}`,
    ...(place === undefined ? [] : [`    ${paint.dim(showPlace(place))}`]),
    ...(overruledBy === undefined
      ? []
      : [`    a stronger item of its list counts instead: ${printable(overruledBy)}`]),
    ...(barred ? ['    access policies only deny here, unless the Mesh says accessPolicies: full'] : []),
    ...(conditions.length === 0 ? ['    always'] : conditions.flatMap((one) => showOne(one, paint))),
  ];
}
