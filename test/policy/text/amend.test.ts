import { expect, test } from 'vitest';
import { writeYaml } from '../../../src/policy/text/amend.ts';
import { parseText } from '../../../src/policy/text/parse.ts';

const written = (text: string, file: string, additions: Parameters<typeof writeYaml>[2] = []) =>
  parseText(text, file).documents.map((document) => writeYaml(document, [], additions));

test('[NS5] comments, order and style stay as they were', () => {
  const text = '# head\n\n# of it\nb: [1, 2] # two\na:\n  # inside\n  c: {d: "e"}\n';
  expect(written(text, 'a.yaml')).toEqual([text]);
  expect(written(`x: 1\n---\n${text}`, 'a.yaml')).toEqual(['x: 1\n', text]);
});

test('[NS5] a target stands before the fields it is about, behind the name', () => {
  const added = [{ path: ['targetRef'], value: { kind: 'Mesh' } }];
  expect(written('type: T\nname: a\n# its items\nto: []\n', 'a.yaml', added)).toEqual([
    'type: T\nname: a\ntargetRef:\n  kind: Mesh\n# its items\nto: []\n',
  ]);
  expect(written('{"type": "T", "name": "a", "to": []}', 'a.json', added)).toEqual([
    'type: T\nname: a\ntargetRef:\n  kind: Mesh\nto: []\n',
  ]);
  expect(written('type: T\nname: a\n', 'a.yaml', added)).toEqual([
    'type: T\nname: a\ntargetRef:\n  kind: Mesh\n',
  ]);
});

test('[NS5] of a list one item is written', () => {
  const documents = parseText('apiVersion: v1\nkind: List\nitems:\n  - {a: 1}\n  - {b: {c: 2}}\n').documents;
  expect(writeYaml(documents[1]!, [], [{ path: ['b', 'd'], value: 3 }])).toBe('b:\n  c: 2\n  d: 3\n');
  // As a program has it, which hands the list over whole.
  const list = { value: { items: [{ a: 1 }, { b: { c: 2 } }] }, place: () => undefined };
  const added = [{ path: ['items', 1, 'b', 'd'], value: 3 }];
  expect(writeYaml(list, ['items', 1], added)).toBe('b:\n  c: 2\n  d: 3\n');
});

test('[NS5] plain objects have no text of their own', () => {
  const document = { value: { a: { b: 1 } }, place: () => undefined };
  expect(writeYaml(document, [], [{ path: ['a', 'c'], value: [1] }])).toBe('a:\n  b: 1\n  c:\n    - 1\n');
});
