import { expect, test } from 'vitest';
import type { Fields } from '../../../src/pdp/model/fields.ts';
import { Layers } from '../../../src/policy/merge/layers.ts';
import { lasting, merge, origins, plain } from '../../../src/policy/merge/tree.ts';
import { Random } from '../../oracle/random.ts';
import { randomConf } from './random-conf.ts';

const concat = new Set(['a', 'b.a']);

test('[MRG1] what does not last among its like never matters among others, on random confs', () => {
  let dropped = 0;
  for (let seed = 1; seed <= 4_000; seed++) {
    const random = new Random(seed);
    const parts = Array.from({ length: random.between(2, 6) }, (_, origin) => ({
      conf: randomConf(random, 2),
      origin,
      layer: random.below(2),
    }));
    const kept = [0, 1].flatMap((layer) =>
      lasting(
        parts.filter((part) => part.layer === layer),
        concat,
      ),
    );
    kept.sort((a, b) => a.origin - b.origin);
    dropped += parts.length - kept.length;
    const [all, few] = [merge(parts, concat)!, merge(kept, concat)!];
    expect(JSON.stringify(plain(few)), `seed ${seed}`).toBe(JSON.stringify(plain(all)));
    expect(origins(few), `seed ${seed}`).toEqual(origins(all));
  }
  expect(dropped).toBeGreaterThan(1_000);
});

test('[MRG14] things that the same layers are about share one merged conf', () => {
  const layers = new Layers<string>(new Set());
  const mesh = layers.add('mesh', { a: 1, b: 1 }, 'weak');
  const web = layers.add('web', { b: 2 }, 'web');
  layers.add('mesh', { c: 3 }, 'strong');
  expect(layers.merged([mesh, web])?.conf).toEqual({ a: 1, b: 2, c: 3 });
  expect(layers.merged([mesh, web])).toBe(layers.merged([mesh, web]));
  expect(layers.merged([mesh])?.conf).toEqual({ a: 1, b: 1, c: 3 });
  expect(layers.merged([])).toBeUndefined();
  expect(layers.merges).toBe(2);
});

test('[MRG5] the strongest of thousands that say the same is named', () => {
  const layers = new Layers<number>(new Set());
  const conf: Fields = { http: { requestTimeout: '1s' } };
  for (let n = 0; n < 5_000; n++) layers.add('mesh', conf, n);
  expect(layers.merged([0])?.origins).toEqual([
    { field: ['http', 'requestTimeout'], said: ['http', 'requestTimeout'], origin: 4_999 },
  ]);
});
