import { describe, expect, test } from 'vitest';
import type { Fields } from '../../../src/pdp/model/fields.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import { merge, origins, plain } from '../../../src/policy/merge/tree.ts';
import { Random } from '../../oracle/random.ts';
import { randomConf } from './random-conf.ts';
import { slowMerge } from './twin.ts';

const none: ReadonlySet<string> = new Set();

/** Confs from the weakest to the strongest, each said by its number. */
function merged(confs: readonly Fields[], concat = none) {
  const root = merge(
    confs.map((conf, origin) => ({ conf, origin })),
    concat,
  )!;
  return {
    conf: plain(root),
    origins: Object.fromEntries(origins(root).map(({ field, origin }) => [field.join('.'), origin])),
  };
}

describe('field by field', () => {
  test('[MRG1] objects merge deeply, scalars and lists replace', () => {
    expect(
      merged([
        { a: 1, http: { b: true, list: [1, 2], deep: { x: 'x', y: 'y' } } },
        { http: { b: false, list: [3], deep: { y: 'z' } } },
      ]),
    ).toEqual({
      conf: { a: 1, http: { b: false, list: [3], deep: { x: 'x', y: 'z' } } },
      origins: { a: 0, 'http.b': 1, 'http.list': 1, 'http.deep.x': 0, 'http.deep.y': 1 },
    });
  });

  test('[MRG1] what is no object hides all of an object below it, and an object all of what is none', () => {
    expect(merged([{ a: { x: 1, y: 2 } }, { a: 5 }, { a: { y: 3 } }])).toEqual({
      conf: { a: { y: 3 } },
      origins: { 'a.y': 2 },
    });
    expect(merged([{ a: { x: 1 } }, { a: [] }]).conf).toEqual({ a: [] });
  });

  test('[MRG1] an empty object changes no field of another, and is kept where there is none', () => {
    expect(merged([{ a: { x: 1 } }, { a: {}, b: {} }])).toEqual({
      conf: { a: { x: 1 }, b: {} },
      origins: { 'a.x': 0, b: 1 },
    });
  });

  test('[MRG2] lists named append…, and those that the kind says so of, add up, the weakest first', () => {
    const confs = [
      { appendA: [1, 2], b: { c: ['x'] } },
      { appendA: [], b: { c: [] } },
    ];
    const more = [...confs, { appendA: [3], b: { c: ['y'] } }];
    expect(merged(more, new Set(['b.c']))).toEqual({
      conf: { appendA: [1, 2, 3], b: { c: ['x', 'y'] } },
      origins: { 'appendA.0': 0, 'appendA.1': 0, 'appendA.2': 2, 'b.c.0': 0, 'b.c.1': 2 },
    });
    expect(merged(more).conf).toEqual({ appendA: [1, 2, 3], b: { c: ['y'] } });
    expect(merged(confs).conf).toEqual({ appendA: [1, 2], b: { c: [] } });
  });

  test('[MRG2] lists that add up and are empty are said by the strongest of them', () => {
    expect(merged([{ appendA: [] }, { appendA: [] }])).toEqual({
      conf: { appendA: [] },
      origins: { appendA: 1 },
    });
  });

  test('[MRG2] a scalar in place of a list that adds up replaces it', () => {
    expect(merged([{ appendA: [1] }, { appendA: 'x' }]).conf).toEqual({ appendA: 'x' });
    expect(merged([{ appendA: [1] }, { appendA: 'x' }, { appendA: [2] }]).conf).toEqual({ appendA: [2] });
  });

  test('[MRG3] null says nothing of a field', () => {
    expect(
      merged([
        { a: 1, b: { c: 2 } },
        { a: null, b: null, d: null, e: { f: null } },
      ]),
    ).toEqual({
      conf: { a: 1, b: { c: 2 }, e: {} },
      origins: { a: 0, 'b.c': 0, e: 1 },
    });
    expect(merged([{ a: [1] }, { a: [null] }]).conf).toEqual({ a: [null] });
  });
});

describe('hostile confs', () => {
  test('[MRG4] keys of every object are fields like others', () => {
    const hostile = JSON.parse(
      '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}',
    );
    const { conf } = merged([hostile, { toString: 'text' }]);
    expect(Object.keys(conf as object)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(JSON.stringify(conf)).toContain('"__proto__":{"polluted":1}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('[MRG4] below the depth that documents have, an object is one value', () => {
    const deep = (depth: number, leaf: Fields): Fields => (depth === 0 ? leaf : { a: deep(depth - 1, leaf) });
    const innermost = (depth: number) => {
      let here = merged([deep(depth, { x: 1 }), deep(depth, { y: 2 })]).conf as Fields;
      while (here['a'] !== undefined) here = here['a'] as Fields;
      return here;
    };
    expect(innermost(limits.nesting - 1)).toEqual({ x: 1, y: 2 });
    expect(innermost(limits.nesting)).toEqual({ y: 2 });
    const endless: Record<string, unknown> = {};
    endless['a'] = endless;
    expect(() => merged([endless, endless])).not.toThrow();
  });
});

test('[MRG1] [MRG2] [MRG3] random confs merge as the slow twin merges them, and each field has who said it', () => {
  for (let seed = 1; seed <= 3_000; seed++) {
    const random = new Random(seed);
    const confs = Array.from({ length: random.between(1, 5) }, () => randomConf(random, 3));
    const concat = random.chance(0.5) ? new Set(['a', 'b.a', '__proto__.b']) : none;
    const root = merge(
      confs.map((conf, origin) => ({ conf, origin })),
      concat,
    )!;
    const written = JSON.stringify(plain(root));
    expect(sortedJson(JSON.parse(written)), `seed ${seed}`).toBe(
      sortedJson(slowMerge([...confs].reverse(), concat)),
    );
    for (const { field, said: path, origin } of origins(root)) {
      const said = at(confs[origin]!, path);
      const got = at(plain(root), field);
      if (typeof got === 'object') expect(typeof said, `seed ${seed}`).toBe('object');
      else expect(got, `seed ${seed}`).toBe(said);
    }
  }
});

function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce((here, key) => (here as Record<string | number, unknown>)[key], value);
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((key) => `${JSON.stringify(key)}:${sortedJson((value as Fields)[key])}`).join()}}`;
}
