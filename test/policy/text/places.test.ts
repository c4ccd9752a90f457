import { describe, expect, test } from 'vitest';
import { parseText } from '../../../src/policy/text/parse.ts';

const at = (text: string, path: (string | number)[], of?: 'key' | 'value', document = 0) => {
  const place = parseText(text, 'p').documents[document]?.place(path, of);
  return place && `${place.file}:${place.line}:${place.column}`;
};

describe('places', () => {
  const yaml = `# who
kind: X
spec:
  list:
    - name: a
      none:
    - name: b
      "long name": {x: [1, two]}
---
kind: Y
`;

  test('[DOC2] of values and of keys in yaml', () => {
    expect(at(yaml, [])).toBe('p:2:1');
    expect(at(yaml, ['kind'])).toBe('p:2:7');
    expect(at(yaml, ['kind'], 'key')).toBe('p:2:1');
    expect(at(yaml, ['spec', 'list'], 'key')).toBe('p:4:3');
    expect(at(yaml, ['spec', 'list', 1])).toBe('p:7:7');
    expect(at(yaml, ['spec', 'list', 1, 'name'])).toBe('p:7:13');
    expect(at(yaml, ['spec', 'list', 1, 'long name', 'x', 1])).toBe('p:8:28');
    expect(at(yaml, ['spec', 'list', 1, 'long name'], 'key')).toBe('p:8:7');
    expect(at(yaml, ['spec', 'list', 0, 'none'], 'key')).toBe('p:6:7');
    expect(at(yaml, ['kind'], 'value', 1)).toBe('p:10:7');
  });

  test('[DOC2] in json', () => {
    const json = '[{"kind": "X",\n "a": {"b": [1, {"c" : "]}\\""}, 3]}},\n {"d": 1}]';
    expect(at(json, [])).toBe('p:1:2');
    expect(at(json, ['kind'])).toBe('p:1:11');
    expect(at(json, ['a', 'b', 1, 'c'])).toBe('p:2:24');
    expect(at(json, ['a', 'b', 1, 'c'], 'key')).toBe('p:2:18');
    expect(at(json, ['a', 'b', 2])).toBe('p:2:33');
    expect(at(json, ['d'], 'value', 1)).toBe('p:3:8');
    expect(at('{"kind":"List","items":[{"x":1},\n{"y":2}]}', ['y'], 'key', 1)).toBe('p:2:2');
  });

  test('[DOC2] of what is not there: the deepest part that is', () => {
    for (const [text, value] of [
      ['{"a": {"b": [1]}}', 'p:1:13'],
      ['a:\n  b:\n    - 1\n', 'p:3:5'],
    ] as const) {
      expect(at(text, ['a', 'b', 7])).toBe(value);
      expect(at(text, ['a', 'b', 'x', 'y'], 'key')).toBe(value);
      expect(at(text, ['nothing', 0])).toBe('p:1:1');
    }
    expect(at('{"a": {"toString": 1}}', ['a', 'valueOf'])).toBe('p:1:7');
  });

  test('[DOC2] through aliases: where the alias stands, and within it where the value does', () => {
    const text = 'a: &x {b: 1}\nc: *x\nd: &x {b: 2}\ne: *x\n';
    expect(at(text, ['c'])).toBe('p:2:4');
    expect(at(text, ['c', 'b'])).toBe('p:1:11');
    expect(at(text, ['e', 'b'])).toBe('p:3:11');
  });

  test('[DOC2] a text that has no file has places all the same', () => {
    const { documents, violations } = parseText('a: 1\n---\nb: [');
    expect(documents[0]?.file).toBeUndefined();
    expect(documents[0]?.place(['a'])).toEqual({ file: '<input>', line: 1, column: 4 });
    expect(violations[0]?.place).toEqual({ file: '<input>', line: 3, column: 5 });
  });

  test('[DOC2] line breaks of both kinds, columns in utf-16 units', () => {
    expect(at('a: 1\r\nb: 2\r\n', ['b'])).toBe('p:2:4');
    expect(at('{"😀é": 1}', ['😀é'])).toBe('p:1:9');
    expect(at('a: 1\n\n\nb: 2', ['b'])).toBe('p:4:4');
  });

  test('[DOC2] many of one text, from several documents by turns', () => {
    const items = Array.from({ length: 5_000 }, (_, i) => `- {n: ${i}}`).join('\n');
    const { documents } = parseText(`a:\n${items}\n---\nb:\n${items}\n`);
    for (const step of [0, 4_999, 17]) {
      expect(documents[0]?.place(['a', step, 'n'])).toMatchObject({ line: 2 + step, column: 7 });
      expect(documents[1]?.place(['b', step, 'n'])).toMatchObject({ line: 5_004 + step, column: 7 });
    }
  });
});
