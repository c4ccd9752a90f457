import type { Condition, Pattern } from '../../pdp/model/rule.ts';
import { printable } from '../terminal/plain.ts';

const most = 4;

/** The first few of a list, with how many there are besides. */
export function showSome(texts: readonly string[]): string {
  const shown = texts
    .slice(0, most)
    .map((text) => (text === '' ? '""' : printable(text)))
    .join(', ');
  return texts.length > most ? `${shown} and ${texts.length - most} more` : shown;
}

/** `x*` is a plain prefix, `x[/…]` the value itself and everything below it. */
function showPattern({ match, value }: Pattern): string {
  if (match === 'prefix') return `${value}*`;
  return match === 'under' ? `${value}[/…]` : value;
}

/** Keys of the request stand for themselves; the others say whose they are. */
function showKey({ side, key }: Pick<Condition, 'side' | 'key'>): string {
  return side === 'request' ? key.replace(/^request:/, '') : `${side} ${printable(key)}`;
}

export function showCondition(
  condition: Pick<Condition, 'side' | 'key' | 'op' | 'values' | 'floor'>,
): string {
  const { op, values, floor } = condition;
  const shown = showSome(values.map(showPattern));
  const what = {
    in: `is ${values.length > 1 ? 'one of ' : ''}${shown}`,
    notIn: `is ${values.length > 1 ? 'none of' : 'not'} ${shown}`,
    exists: 'exists',
    notExists: 'does not exist',
  }[op];
  return `${showKey(condition)} ${what}${floor === undefined ? '' : ` (at least ${floor})`}`;
}
