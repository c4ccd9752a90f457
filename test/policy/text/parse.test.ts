import { describe, expect, test } from 'vitest';
import { formatViolation, type Violation } from '../../../src/pdp/model/violation.ts';
import { parseText } from '../../../src/policy/text/parse.ts';

const values = (text: string, file?: string) => parseText(text, file).documents.map((d) => d.value);
const said = (text: string, file?: string) => parseText(text, file).violations.map(formatViolation);

describe('texts', () => {
  test('[DOC1] a yaml text holds several documents, empty ones are none', () => {
    expect(values('# first\n---\na: 1\n--- # second\nb: [x]\n---\n---\n~\n...\nc: {d: e}\n...\n')).toEqual([
      { a: 1 },
      { b: ['x'] },
      { c: { d: 'e' } },
    ]);
    expect(said('---\na: 1\n...\n---\n')).toEqual([]);
    expect(values('--- {a: 1}\r\n---\r\nb: 2\r\n')).toEqual([{ a: 1 }, { b: 2 }]);
    for (const text of ['', '\n', '# nothing', '---', '...\n...', '--- # c\n---']) {
      expect(values(text)).toEqual([]);
      expect(said(text)).toEqual([]);
    }
  });

  test('[DOC1] markers within a line, or indented, separate nothing', () => {
    expect(values('a\n---x\n...y\n')).toEqual(['a ---x ...y']);
    expect(values('a: |\n  x\n  ---\n  ...\nb: a --- b\nc: ---x\n')).toEqual([
      { a: 'x\n---\n...\n', b: 'a --- b', c: '---x' },
    ]);
  });

  test('[DOC13] json is read as such, a file called .json as nothing else', () => {
    expect(values('{"a": [1, true, null, "x"]}')).toEqual([{ a: [1, true, null, 'x'] }]);
    expect(values('{"a": 1}', 'p.json')).toEqual([{ a: 1 }]);
    expect(values('{"a": 1}\n---\n{"b": 2}\n')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(values('{a: 1, "b": [x],}')).toEqual([{ a: 1, b: ['x'] }]);
    expect(values('a: 1', 'p.json')).toEqual([]);
    expect(said('a: 1', 'p.json')).toEqual([
      'p.json:1:1: (root): not json: expected a value, got "a" (strings are in double quotes)',
    ]);
  });

  test('[DOC9] [DOC12] an array of documents and a Kubernetes list are what they hold', () => {
    const list = '{"apiVersion":"v1","kind":"List","items":[{"a":1},{"b":2}]}';
    const expected = [{ a: 1 }, { b: 2 }];
    expect(values('[{"a":1},{"b":2}]')).toEqual(expected);
    expect(values('- a: 1\n- b: 2\n')).toEqual(expected);
    expect(values(list)).toEqual(expected);
    expect(values('kind: List\nitems:\n- a: 1\n- b: 2\n')).toEqual(expected);
    expect(values(`[${list}, {"c":3}]`)).toEqual([...expected, { c: 3 }]);
    expect(values('kind: List\nitems: x\n')).toEqual([{ kind: 'List', items: 'x' }]);
  });

  test('[DOC1] cases are told apart from policies by having no kind', () => {
    const { documents, cases } = parseText('cases: []\n---\nkind: X\ncases: []\n---\ntype: X\ncases: []\n');
    expect(cases.map((d) => d.value)).toEqual([{ cases: [] }]);
    expect(documents).toHaveLength(2);
  });

  test('[DOC1] a json schema beside the policies is no document', () => {
    const schema = 'http://json-schema.org/draft-07/schema#';
    expect(values(JSON.stringify({ $schema: schema, type: 'object' }), 'x.json')).toEqual([]);
    expect(values(JSON.stringify({ $schema: schema, type: 'Mesh', name: 'x' }))).toHaveLength(1);
    expect(values(JSON.stringify({ $schema: schema, kind: 'AccessPolicy' }))).toHaveLength(1);
    expect(values(JSON.stringify({ $schema: 'https://elsewhere.example', type: 'object' }))).toHaveLength(1);
  });

  test('[DOC13] yaml is read by the core schema of 1.2', () => {
    const text =
      'a: no\nb: 012\nc: 0x1F\nd: 2020-01-01\ne: ~\nf: True\ng: 1e3\nh: "1"\ni: !!str 1\nj: 0o17\n';
    expect(values(text)).toEqual([
      { a: 'no', b: 12, c: 31, d: '2020-01-01', e: null, f: true, g: 1000, h: '1', i: '1', j: 15 },
    ]);
    expect(values('%YAML 1.2\n---\na: no\n')).toEqual([{ a: 'no' }]);
  });

  test('[DOC1] a byte order mark at the start is passed over', () => {
    expect(values('\ufeffa: 1')).toEqual([{ a: 1 }]);
    expect(values('\ufeff{"a": 1}', 'x.json')).toEqual([{ a: 1 }]);
    expect(parseText('\ufeffa: 1').documents[0]?.place(['a'])).toEqual({
      file: '<input>',
      line: 1,
      column: 4,
    });
  });
});

describe('all that is wrong, at once', () => {
  test('[DOC2] each bad document is reported and the good ones still come out', () => {
    const text = 'a: 1\n---\nb: [1,\n---\nc: "x\n---\nd: 3\nd: 4\n__proto__: 5\n---\ne:\n\t- f\n---\ng: 7\n';
    expect(values(text, 'p.yaml')).toEqual([{ a: 1 }, { g: 7 }]);
    expect(said(text, 'p.yaml')).toMatchInlineSnapshot(`
      [
        "p.yaml:4:1: (root): not yaml: flow sequence in block collection must be sufficiently indented and end with a ] (check the indentation)",
        "p.yaml:6:1: (root): not yaml: missing closing "quote (close the quote)",
        "p.yaml:8:1: d: key "d" stands here a second time (keep one of them)",
        "p.yaml:9:1: __proto__: key "__proto__" is not accepted anywhere",
        "p.yaml:12:1: (root): not yaml: tabs are not allowed as indentation (indent with spaces)",
      ]
    `);
  });

  test('[DOC2] in json, too, only the documents that are bad are lost', () => {
    const text =
      '[{"a":1},{"b":{"x":1,"x":2}},{"kind":"List","items":[{"c":1e999},{"d":4}]},\n{"e":"\\u0000"}]';
    expect(values(text, 'p.json')).toEqual([{ a: 1 }, { d: 4 }]);
    expect(said(text, 'p.json')).toMatchInlineSnapshot(`
      [
        "p.json:1:22: b.x: key "x" stands here a second time (keep one of them)",
        "p.json:1:59: c: number 1e999 cannot be held exactly (put it in quotes if it is no number)",
        "p.json:2:6: e: NUL in a string",
      ]
    `);
    // The unquoted key calls for the other parser, which escapes another way and says the same.
    const yaml = text.replace('"a":1', 'a: 1');
    expect(values(yaml)).toEqual([{ a: 1 }, { d: 4 }]);
    const what = ({ path, code, message }: Violation) => ({ path, code, message });
    expect(parseText(yaml).violations.map(what)).toEqual(parseText(text).violations.map(what));
  });

  test('[DOC2] a problem of the list itself leaves none of its documents', () => {
    expect(values('{"kind":"List","kind":"List","items":[{"a":1}]}')).toEqual([]);
    expect(said('{"kind":"List","kind":"List","items":[{"a":1}]}')).toEqual([
      '<input>:1:16: kind: key "kind" stands here a second time (keep one of them)',
    ]);
  });
});

describe('what yaml has and a policy does not', () => {
  test.each([
    ['a: !!binary aGk=', 'value', /^tag /],
    ['a: !!set {x, y}', 'value', /^tag /],
    ['a: !mine [1]', 'value', /^tag /],
    ['!<constructor> a', 'value', /^tag /],
    ['!!binary a: 1', 'value', /^tag /],
    ['? !mine\n: 1', 'value', /^tag /],
    ['%YAML 1.1\n---\na: no', 'value', /^yaml directive/],
    ['%TAG ! x:\n---\na: 1', 'value', /^yaml directive/],
    ['a: &x {b: 1}\nc:\n  <<: *x\n', 'unknown-field', /^merge key/],
    ['1: a', 'type', /is no string$/],
    ['? [a]\n: b', 'type', /^got a list as a key, want a string$/],
    ['? {a: b}\n: b', 'type', /^got a mapping as a key/],
    ['a: &x b\n*x : c', 'type', /^got an alias as a key/],
    [': a', 'type', /is no string$/],
  ])('[DOC13] %j', (text, code, message) => {
    expect(parseText(text)).toMatchObject({
      documents: [],
      violations: [{ code, message: expect.stringMatching(message) }],
    });
  });
});

test.each([
  ['name: !!binary x', ['1:7']],
  ['a: !x\nb: 1', ['1:4']],
  ['- !x\n- !y &a b', ['1:3', '2:3']],
  ['a: !x &a!b\n  # not !z\n  {c: [d, !!str e, !y\n f]}', ['1:4', '3:20']],
  ['!y\n!x a: 1\nb: !<z> {}', ['1:1', '2:1', '3:4']],
])('[DOC2] a tag is pointed at where it stands: %j', (text, want) => {
  const tags = parseText(`---\n${text}`).violations.filter(({ message }) => message.startsWith('tag'));
  expect(tags.map(({ place }) => `${place!.line - 1}:${place!.column}`)).toEqual(want);
});

test('[DOC13] a directive concerns the document behind it, and no other', () => {
  const { documents, violations } = parseText('a: 1\n...\n# c\n\n%YAML 1.1\n---\nb: no\n---\nc: 2\n');
  expect(documents.map((d) => d.value)).toEqual([{ a: 1 }, { c: 2 }]);
  expect(violations).toMatchObject([{ place: { line: 5, column: 1 } }]);
  expect(values('%YAML 1.1\r\n---\r\na: no\r\n---\r\nb: 1\r\n')).toEqual([{ b: 1 }]);
  expect(values('%YAML 1.2\n# c\n---\na: 1\n...\n%YAML 1.2\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }]);
});

describe('hints', () => {
  test.each([
    ['a:\n\tb: 1\n'],
    ['a:b\nc: d\n'],
    ['a: b: c\n'],
    ['a: - b\n'],
    ['a: "b\nc: d\n'],
    ["a: 'b\n"],
    ['a: [b\nc: d\n'],
    ['a: {b: c\n'],
    ['- a\nb: c\n'],
    ['a: 1\n  b: 2\n'],
    ['a: @x\n'],
    ['a: "\\d"\n'],
    ['a: *\n'],
    ['a: *b\n'],
    ['a: !x b\n'],
    ['a: x\nb\n'],
    ['{a: 1}\n{b: 2}'],
    ['%TAG ! tag:x,2000:\n---\na: !x 1'],
    ['<<: {a: 1}'],
    ['1: a'],
    ['? [a]\n: b'],
    ['null: a'],
    ['"<<": a\n"1": b'],
    ['{"a": 1 "b": 2}'],
    ['[{a: b}, {a: c}'],
  ])('[DOC2] %j', (text) => {
    expect(said(text)).toMatchSnapshot();
  });

  test.each([
    ['{"a": 1,}'],
    ['[1, 2'],
    ['{"a" 1}'],
    ['{a: 1}'],
    ['{"a": tru}'],
    ['{"a": 01}'],
    ['{"a": 1.}'],
    ['{"a": "x\ny"}'],
    ['{"a": "\\x"}'],
    ['{"a": "x'],
    ['{"a":1}\n{"b":2}'],
    ["{'a': 1}"],
    [''],
    ['[1 2]'],
    ['{"a": NaN}'],
    ['{"a": 12345678901234567890, "b": -0, "c": 1e400}'],
    ['{"a": -}'],
    ['// x'],
  ])('[DOC2] as .json: %j', (text) => {
    expect(said(text, 'p.json')).toMatchSnapshot();
  });
});
