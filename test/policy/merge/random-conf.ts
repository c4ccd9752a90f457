import type { Fields } from '../../../src/pdp/model/fields.ts';
import type { Random } from '../../oracle/random.ts';

/** Names that documents may have, and one that they may not. */
export const legalNames: readonly string[] = ['a', 'b', 'appendC'];
const allNames: readonly string[] = [...legalNames, '__proto__'];

function randomValue(random: Random, depth: number, names: readonly string[]): unknown {
  const kind = random.below(depth === 0 ? 3 : 5);
  if (kind === 0) return random.chance(0.3) ? null : random.below(9);
  if (kind < 3) return Array.from({ length: random.below(3) }, () => random.below(9));
  return randomConf(random, depth - 1, names);
}

/** Few names, so that confs meet; every shape in place of every other. */
export function randomConf(random: Random, depth: number, names = allNames): Fields {
  const conf: Record<string, unknown> = Object.create(null);
  for (const name of names) if (random.chance(0.5)) conf[name] = randomValue(random, depth, names);
  return conf;
}
