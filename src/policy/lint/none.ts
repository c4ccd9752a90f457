import { type Condition, keys, type Pattern } from '../../pdp/model/rule.ts';
import type { Among } from './among.ts';

/** Why conditions leave nothing of the inventory, in words: the first that does so alone, or all together. */
export function whyNone<T>(among: Among<T>, conditions: readonly Condition[]): string {
  const alone = conditions.find((condition) => among.find([condition]) === undefined);
  return alone === undefined ? 'some meet each part of it, none all of it' : words(alone);
}

function words({ key, op, values }: Condition): string {
  const named = key === keys.dataplane || key === keys.section || key === keys.mesh || key === keys.namespace;
  const sign = named || values.some(({ match }) => match !== 'exact') ? '' : '= ';
  const any = sign + values.map(patternWords).join(' or ');
  switch (op) {
    case 'in':
      return `none has ${keyWords(key)} ${any}`;
    case 'exists':
      return `none has ${keyWords(key)}`;
    case 'notIn':
      return `all have ${keyWords(key)} ${any}`;
    case 'notExists':
      return `all have ${keyWords(key)}`;
  }
}

function patternWords({ match, value }: Pattern): string {
  if (match === 'exact') return JSON.stringify(value);
  return match === 'prefix'
    ? `that begins with ${JSON.stringify(value)}`
    : `at or below ${JSON.stringify(value)}`;
}

/** As the policy writes it where it does not write a key. */
function keyWords(key: string): string {
  if (key.startsWith(keys.dataplaneLabel))
    return `the label ${JSON.stringify(key.slice(keys.dataplaneLabel.length))}`;
  if (key.startsWith(keys.tag)) return `the tag ${JSON.stringify(key.slice(keys.tag.length))}`;
  if (key === keys.dataplane) return 'the name';
  if (key === keys.section) return 'the name or port';
  if (key === keys.proxyType) return 'the proxy type';
  if (key === keys.mesh) return 'the mesh';
  if (key === keys.namespace) return 'the namespace';
  return JSON.stringify(key);
}
