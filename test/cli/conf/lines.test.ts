import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { confLines } from '../../../src/cli/conf/lines.ts';
import { merge, origins, plain } from '../../../src/policy/merge/tree.ts';
import { Random } from '../../oracle/random.ts';
import { randomConf } from '../../policy/merge/random-conf.ts';

function text(confs: readonly Readonly<Record<string, unknown>>[]) {
  const root = merge(
    confs.map((conf, index) => ({ conf, origin: `p${index}` })),
    new Set(),
  )!;
  const merged = { conf: plain(root), origins: origins(root) };
  const lines = confLines(merged, (origin) => origin);
  return {
    conf: merged.conf,
    written: lines.map(({ text, by }) => (by === '' ? text : `${text} # ${by}`)).join('\n'),
  };
}

test('[MRG15] a conf is shown as YAML that says the same, with who says each field', () => {
  const { written } = text([
    { a: '1s', http: { list: [1, 2], empty: {} }, appendB: [{ x: 1, k: [{ z: 'on' }] }] },
    { http: { long: ['x'.repeat(40), 'y'.repeat(40)] }, appendB: ['text'] },
  ]);
  expect(written.split('\n')).toEqual([
    'a: 1s # p0',
    'appendB:',
    '- x: 1 # p0',
    '  k:',
    '  - z: "on"',
    '- text # p1',
    'http:',
    '  empty: {} # p0',
    '  list: [1, 2] # p0',
    '  long: # p1',
    `  - ${'x'.repeat(40)}`,
    `  - ${'y'.repeat(40)}`,
  ]);
});

const texts = [
  '1s',
  'true',
  '~',
  'null',
  '',
  ' a',
  'a: b',
  '#x',
  '- x',
  '0x1f',
  '1e3',
  '.5',
  '12:30',
  'a\nb',
  '/p:1',
  '\u202eb',
  '=',
  '!t',
  '[',
  '{}',
  'no',
  '-1',
  '1_000',
  'é',
  '"q"',
  "'",
  'x-y',
  '@a',
  '%b',
  '*c',
  '&d',
  '?',
  '|',
  '>',
];

test('[MRG15] YAML reads every scalar and every shape as it was', () => {
  for (const one of texts) {
    const { written } = text([{ field: one, list: [one], deep: [{ [one]: one }] }]);
    expect(parse(written), one).toEqual({ field: one, list: [one], deep: [{ [one]: one }] });
  }
  for (let seed = 1; seed <= 1_000; seed++) {
    const random = new Random(seed);
    const confs = [
      randomConf(random, 3, ['a', 'b', 'appendC']),
      randomConf(random, 3, ['a', 'b', 'appendC']),
    ];
    const { conf, written } = text(confs);
    expect(JSON.stringify(parse(written)), `seed ${seed}`).toBe(JSON.stringify(conf));
  }
});
