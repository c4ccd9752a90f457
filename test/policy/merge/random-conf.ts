import type { Fields } from '../../../src/policy/kinds/plain.ts';
import type { Random } from '../../oracle/random.ts';

const names = ['a', 'b', 'appendC', '__proto__'];

function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth === 0 ? 3 : 5);
  if (kind === 0) return random.chance(0.3) ? null : random.below(9);
  if (kind < 3) return Array.from({ length: random.below(3) }, () => random.below(9));
  return randomConf(random, depth - 1);
}

/** Few names, so that confs meet; every shape in place of every other. */
export function randomConf(random: Random, depth: number): Fields {
  const conf: Record<string, unknown> = Object.create(null);
  for (const name of names) if (random.chance(0.5)) conf[name] = randomValue(random, depth);
  return conf;
}
