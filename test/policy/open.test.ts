import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Document, InvalidDocuments, open, parseText, readPaths } from '../../src/index.ts';
import { formatViolation } from '../../src/pdp/model/violation.ts';

const refused = (given: unknown): string[] => {
  try {
    open(given as readonly object[]);
  } catch (error) {
    if (!(error instanceof InvalidDocuments)) throw error;
    expect(error.message).toBe(error.violations.map(formatViolation).join('\n'));
    return error.message.split('\n');
  }
  return [];
};

const allow = '{type: MeshTrafficPermission, name: all, default: {allow: [{method: GET}]}}\n';
const twice = '{type: MeshTrafficPermission, name: some, name: some, default: {deny: [{method: GET}]}}\n';
const json = '{"type":"Mesh","name":"a","name":"b","certificates":"x"}';
const nameless = '{type: Mesh}\n';

describe('what was read', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'placet-open-'));
    writeFileSync(join(folder, 'allow.yaml'), allow);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('[DOC5] a sound reading opens, and so does the array of its documents', () => {
    const reading = readPaths([folder]);
    expect(open(reading).snapshot).toBe(open(reading.documents).snapshot);
    expect(open(parseText(allow)).snapshot).toBe(open(reading).snapshot);
  });

  test.each([
    ['a duplicate key', twice, /deny\.yaml:1:43: name: key "name" stands here a second time/],
    ['a syntax error', 'type: [', /deny\.yaml:1:8: \(root\): not yaml/],
    ['another encoding', new Uint8Array([0x74, 0xff]), /deny\.yaml:1:2: \(root\): not utf-8/],
  ])('[DOC5] %s is refused, by the reading and by its documents', (_title, content, want) => {
    writeFileSync(join(folder, 'deny.yaml'), content);
    const reading = readPaths([folder]);
    expect(reading.documents).toHaveLength(1);
    for (const given of [reading, reading.documents])
      expect(refused(given)).toEqual([expect.stringMatching(want)]);
    // What lies in the same file twice is renamed, and what is known is not parsed again.
    writeFileSync(join(folder, 'again.yaml'), content);
    for (const [, { documents }] of [...readPaths([folder]).byFile].filter(
      ([, one]) => one.violations.length > 0,
    ))
      expect(refused(documents)).toHaveLength(1);
  });

  test('[DOC5] so is a path that is not there, and a text', () => {
    const reading = readPaths([folder, join(folder, 'deny.yml')]);
    for (const given of [reading, reading.documents])
      expect(refused(given)).toEqual([expect.stringMatching(/deny\.yml:1:1: .*no such file or folder/)]);
    const text = parseText(`${allow}---\n${twice}`);
    for (const given of [text, text.documents, { ...text }])
      expect(refused(given)).toEqual([expect.stringMatching(/^<input>:3:43: name: key "name"/)]);
  });

  test.each([
    ['./x', 'got "./x", want a list of paths'],
    [undefined, 'got nothing, want a list of paths'],
    [[7], 'got the number 7, want a path, which is a string'],
  ])('[DOC5] so is %j in place of a list of paths, of which nothing is read', (given, want) => {
    const reading = readPaths(given as never);
    expect(reading.files).toEqual([]);
    for (const one of [reading, reading.documents]) expect(refused(one)).toEqual([`(root): ${want}`]);
  });

  test('[DOC2] all at once, each once: what reading found and what loading found', () => {
    writeFileSync(join(folder, 'deny.yaml'), twice);
    writeFileSync(join(folder, 'mesh.yaml'), nameless);
    const reading = readPaths([folder]);
    for (const given of [reading, reading.documents])
      expect(refused(given)).toEqual([
        expect.stringMatching(/deny\.yaml:1:43: name: key/),
        expect.stringMatching(/mesh\.yaml:1:1: name: /),
      ]);
  });

  test('[DOC2] what else is wrong with a document in which a key stands twice', () => {
    const more = twice.replace('GET', 'get').replace('default', 'defualt: 1, default');
    const want = [
      /^1:43 name: key "name" stands here a second time/,
      /^1:55 defualt: got the unknown field/,
      /^1:93 default.deny\[0\]\.method: got "get"/,
    ].map((line) => expect.stringMatching(line));
    writeFileSync(join(folder, 'deny.yaml'), more);
    const reading = readPaths([folder]);
    const lines = (given: unknown, file: string) =>
      refused(given).flatMap((line) => (line.includes(file) ? line.replace(/^.*?:(\d+:\d+):/, '$1') : []));
    for (const given of [reading, reading.documents, { ...reading }])
      expect(lines(given, 'deny.yaml')).toEqual(want);
    expect(lines(parseText(more), '')).toEqual(want);
    expect(lines(parseText(`{"kind":"List","apiVersion":"v1","items":[${json}]}`), '')).toHaveLength(2);
    // The same content in a second file.
    writeFileSync(join(folder, 'deny2.yaml'), more);
    expect(lines(readPaths([folder]), 'deny2.yaml')).toEqual(want);
    // Nothing of it is loaded.
    expect(reading.documents).toHaveLength(1);
    expect(open([...reading.documents]).snapshot).toBe(open(parseText(allow)).snapshot);
  });

  test('[DOC5] an array that the program made is opened as it is', () => {
    writeFileSync(join(folder, 'deny.yaml'), twice);
    expect(open([...readPaths([folder]).documents]).snapshot).toBe(open(parseText(allow)).snapshot);
  });
});

describe('what is given outright', () => {
  const mesh = { type: 'Mesh', name: 'a' };

  test('[DOC2] errors say which document', () => {
    const kubernetes = { apiVersion: 'v1', kind: 'Mesh\n', metadata: { name: 'b' } };
    const found = refused([mesh, { type: 'Mesh' }, { ...mesh, certificates: 'x' }, kubernetes, 'x', [], {}]);
    expect(found.map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
      'document 1 (Mesh): name',
      'document 2 (Mesh "a"): certificates',
      'document 2 (Mesh "a"): (root)',
      'document 3 ("Mesh\\n" "b"): kind',
      'document 4: (root)',
      'document 5: (root)',
      'document 6: (root)',
    ]);
  });

  test('[DOC4] two documents of one name name both places', () => {
    expect(refused([mesh, { type: 'Mesh', name: 'b' }, mesh])).toEqual([
      'document 2 (Mesh "a"): (root): got a second Mesh "a", the first is at document 0 (Mesh "a")',
    ]);
  });

  test.each([
    ['null', [mesh, null], 'document 1: (root): got null, want a document, which is an object'],
    ['nothing', [undefined], 'document 0: (root): got nothing, want a document, which is an object'],
    ['a gap', Array(1), 'document 0: (root): got nothing, want a document, which is an object'],
    ['a text', ['x'], 'document 0: (root): got "x", want a document, which is an object'],
    ['a function', [() => mesh], 'document 0: (root): got a function, want plain data'],
    ['no list', mesh, '(root): got an object, want a list of documents, or what readPaths or parseText gave'],
    ['nothing at all', undefined, /^\(root\): got nothing, want a list of documents/],
  ])('[DOC5] %s in its place is refused', (_title, given, want) => {
    expect(refused(given)).toEqual([typeof want === 'string' ? want : expect.stringMatching(want)]);
  });

  test('[DOC5] a document is known by all that it has', () => {
    const place = () => undefined;
    const document: Document = { value: mesh, place };
    expect(open([document]).snapshot).toBe(open([mesh]).snapshot);
    const plain = 'got a function, want plain data';
    expect(refused([{ ...mesh, place }])).toEqual([`document 0 (Mesh "a"): place: ${plain}`]);
    expect(refused([{ ...mesh, value: 1, place }])).toEqual([`document 0 (Mesh "a"): place: ${plain}`]);
    expect(refused([{ value: undefined, place }])).toEqual(['(root): got nothing, want plain data']);
  });

  class Named {
    type = 'Mesh';
    name = 'a';
  }
  const hidden = Object.defineProperty({ type: 'Mesh' }, 'name', { value: 'a' });
  test.each([
    ['fields that are inherited', Object.create(mesh)],
    ['a class', new Named()],
    ['fields that are hidden', hidden],
    ['what inherits nothing but fields', Object.create(Object.assign(Object.create(null), mesh))],
  ])('[DOC6] no text gives %s', (_title, given) => {
    expect(refused([given])).toEqual([
      expect.stringMatching(/: \(root\): got an object that inherits or hides fields, want plain data$/),
    ]);
  });

  test.each([
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['the number NaN', Number.NaN],
    ['the number Infinity', Number.POSITIVE_INFINITY],
  ])('[DOC6] nor %s', (name, value) => {
    expect(refused([{ ...mesh, mtls: { value } }])).toEqual([
      `document 0 (Mesh "a"): mtls.value: got ${name}, want plain data`,
    ]);
    expect(refused([{ ...mesh, mtls: [value] }])).toHaveLength(1);
  });

  test('[DOC6] nor a list with a gap', () => {
    expect(refused([{ ...mesh, mtls: [undefined] }])).toEqual([
      'document 0 (Mesh "a"): mtls[0]: got nothing, want plain data',
    ]);
  });

  test('[DOC6] objects without a prototype, and of another realm, are plain', () => {
    const bare = Object.assign(Object.create(null), mesh);
    const elsewhere = runInNewContext('({ type: "Mesh", name: "a" })');
    for (const given of [bare, elsewhere, { ...mesh, labels: undefined }])
      expect(open([given]).snapshot).toBe(open([mesh]).snapshot);
  });
});
