import type { Guard } from '../../pdp/explain/view.ts';
import type { ExplainedRule, Explanation } from '../../pdp/explain.ts';
import type { Place } from '../../pdp/model/violation.ts';
import type { Palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';
import { type PlaceOfBy, showDecision } from './decision.ts';
import { showExplainedRule } from './explained-rule.ts';
import { showRule } from './place.ts';

/** Rules that do not match are shown up to here; a mesh may have thousands. */
const mostOthers = 20;

function strength({ tier, shadowTier }: ExplainedRule): number {
  return tier ?? shadowTier;
}

function matchesAnywhere({ outcome, shadowOutcome }: ExplainedRule): boolean {
  return outcome !== 'no' || shadowOutcome !== 'no';
}

export function showExplanation(
  { decision, rules, guard, shadowGuard, nearestMiss }: Explanation,
  placeOfBy: PlaceOfBy,
  placeOfRule: (id: string) => Place | undefined,
  all: boolean,
  paint: Palette,
): string[] {
  const lines = showDecision(decision, placeOfBy, paint);
  const show = ({ message, hint }: Guard, where: string) =>
    lines.push(`  ${where}${printable(message)}`, `  ${paint.dim(printable(hint))}`);
  if (guard !== undefined) show(guard, '');
  if (shadowGuard !== undefined) show(shadowGuard, 'in the shadow ');
  if (decision.reason === 'invalid-request' || (guard !== undefined && rules.length === 0)) return lines;
  let others = 0;
  const shown = rules
    .toSorted((a, b) => strength(a) - strength(b))
    .filter((rule) => all || matchesAnywhere(rule) || others++ < mostOthers);
  const title =
    rules.length === 0
      ? 'No rule governs this destination.'
      : `${count(rules.length, 'rule')} for this destination:`;
  lines.push('', title);
  for (const rule of shown) lines.push('', ...showExplainedRule(rule, placeOfRule(rule.id), paint));
  const hidden = rules.length - shown.length;
  if (hidden > 0)
    lines.push(
      '',
      `… and ${count(hidden, 'more', 'more')} that ${hidden === 1 ? 'does' : 'do'} not match (--all)`,
    );
  if (nearestMiss !== undefined) {
    const { allow, possible, approximate, words } = nearestMiss;
    const never = approximate ? 'no way was found' : 'it cannot be had';
    const then = possible ? 'what it would take' : never;
    const heading = `${paint.bold('Nearest miss')}: ${showRule(allow.by)}, ${then}${possible && approximate ? ' (approximately)' : ''}:`;
    lines.push('', heading, ...words.map((text) => `  ${printable(text)}`));
  }
  return lines;
}
