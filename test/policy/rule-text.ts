import type { Condition, Rule } from '../../src/pdp/model/rule.ts';

const marks = { exact: '', prefix: '^', under: '/' };

/** `destination kuma:mesh in default`; a plain prefix is marked `^`, one by whole segments `/`. */
export function conditionText({ side, key, op, values, floor }: Condition): string {
  const texts = values.map(({ match, value }) => marks[match] + value).join('|');
  return [side, key, op, texts, floor === undefined ? '' : `(${floor})`]
    .filter((part) => part !== '')
    .join(' ');
}

export function conditionsText(rule: Rule): string[] {
  return rule.when.map(conditionText);
}

/** `<id> <enforced tier>/<shadow tier>` */
export function tierText(rule: Rule): string {
  return `${rule.id} ${rule.tier ?? 'never'}/${rule.shadow}`;
}
