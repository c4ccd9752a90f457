import { type Condition, isLayer7, keys, type Pattern } from '../../pdp/model/rule.ts';
import { all, any, type Expression, type Leaf, not } from './expression.ts';

/**
 * What conditions on the request come to. Where layer 7 is not shown its conditions are unknown: an allow with one
 * matches nothing, a deny matches whatever it would have asked for.
 */
export function requestMatches(
  conditions: readonly Condition[],
  allows: boolean,
  shown: boolean,
): Expression {
  return all(conditions.map((one) => requestMatch(one, allows, shown)));
}

function requestMatch(condition: Condition, allows: boolean, shown: boolean): Expression {
  if (isLayer7(condition) && !shown) return !allows;
  const { key, op, values } = condition;
  const of = key === keys.method ? 'method' : key === keys.path ? 'path' : 'sni';
  const found = any(values.map((pattern) => leafOf(of, pattern)));
  // All of it is known: a request has method and path, and no server name is known absence.
  switch (op) {
    case 'in':
      return found;
    case 'notIn':
      return not(found);
    case 'exists':
      return of === 'sni' ? anySni : true;
    case 'notExists':
      return of === 'sni' ? not(anySni) : false;
  }
}

const anySni: Leaf = { of: 'sni', match: 'regex', value: '[\\s\\S]+', starts: '' };

/** Every path starts with a slash, and below the empty text is every one of them. */
function leafOf(of: Leaf['of'], { match, value }: Pattern): Expression {
  if (match === 'prefix' && value === '') return of === 'sni' ? anySni : true;
  if (of === 'path' && match === 'under' && value === '') return true;
  if (of === 'path' && match === 'prefix' && value === '/') return true;
  return { of, match, value };
}
