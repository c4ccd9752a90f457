import type { Condition, Pattern } from '../../pdp/model/rule.ts';
import { printable } from '../terminal/wrap.ts';

const most = 4;

function showPattern({ match, value }: Pattern): string {
  const text = value === '' ? '""' : printable(value);
  if (match === 'prefix') return `${text}*`;
  return match === 'under' ? `${text}[/…]` : text;
}

function showValues(values: readonly Pattern[]): string {
  const shown = values.slice(0, most).map(showPattern).join(', ');
  return values.length > most ? `${shown} and ${values.length - most} more` : shown;
}

/** Keys of the request stand for themselves; the others say whose they are. */
export function showKey({ side, key }: Pick<Condition, 'side' | 'key'>): string {
  return side === 'request' ? key.replace(/^request:/, '') : `${side} ${printable(key)}`;
}

/** A condition in words. `*` ends a plain prefix, `[/…]` a value that holds for everything below it too. */
export function showCondition(condition: Condition): string {
  const { op, values, floor } = condition;
  const what = {
    in: values.length === 1 ? `is ${showValues(values)}` : `is one of ${showValues(values)}`,
    notIn: values.length === 1 ? `is not ${showValues(values)}` : `is none of ${showValues(values)}`,
    exists: 'exists',
    notExists: 'does not exist',
  }[op];
  return `${showKey(condition)} ${what}${floor === undefined ? '' : ` (at least ${floor})`}`;
}
