import type { By, Decision } from '../../pdp/model/decision.ts';
import { formatPath, type Place } from '../../pdp/model/violation.ts';
import { effectPaint, type Palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';
import { showPlace, showRule } from './place.ts';
import { reasonInWords } from './reason.ts';

export type PlaceOfBy = (by: By) => Place | undefined;

function field(name: string, text: string, paint: Palette): string {
  return `  ${paint.dim(name.padEnd(7))} ${text}`;
}

/** A decision for a person: the verdict first, then why, then what would change. */
export function showDecision(decision: Decision, placeOf: PlaceOfBy, paint: Palette): string[] {
  const { by, shadowBy, trust } = decision;
  const verdict = paint.bold(effectPaint(decision.decision, paint));
  const lines = [`${verdict}: ${reasonInWords(decision)} ${paint.dim(`(${decision.reason})`)}`];
  if (by !== null && decision.reason !== 'rule') lines.push('  a deny holds unless it is known not to');
  if (by) {
    lines.push(field('by', `${showRule(by)}, tier ${decision.tier}`, paint));
    lines.push(field('at', showPlace(placeOf(by)) || printable(by.kri), paint));
  }
  if (trust !== null) lines.push(field('trust', trust, paint));
  if (decision.age !== undefined) lines.push(field('age', `${count(decision.age, 'millisecond')}`, paint));
  if (decision.shadow !== decision.decision) {
    const why = shadowBy === null ? 'by no rule' : `by ${showRule(shadowBy)}`;
    lines.push(field('shadow', `${effectPaint(decision.shadow, paint)}, ${why}`, paint));
    const place = shadowBy === null ? '' : showPlace(placeOf(shadowBy));
    if (place !== '') lines.push(field('', place, paint));
  }
  for (const { path, message, hint, place } of decision.violations ?? []) {
    const at = place === undefined ? '' : `${showPlace(place)}: `;
    const where = path.length === 0 ? at : `${at}${printable(formatPath(path))}: `;
    lines.push(
      field('', `${where}${printable(message)}${hint === undefined ? '' : ` (${printable(hint)})`}`, paint),
    );
  }
  return lines;
}
