import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../src/pdp/model/limits.ts';
import { DocumentCache, readPaths } from '../../src/policy/files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placet-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}
const read = (cache?: DocumentCache) => readPaths([folder], cache);
const names = (reading: { files: readonly string[] }) => reading.files.map((file) => relative(folder, file));
const said = (reading: ReturnType<typeof readPaths>) =>
  reading.violations.map((v) => `${relative(folder, v.place!.file)}: ${v.code}: ${v.message}`);

test('[DOC1] [DOC12] folders are read through, in name order, files with our endings', () => {
  write('b.yml', 'b: 1');
  write('a/z.json', '{"z":1}');
  write('a/B.yaml', 'B: 1');
  write('a.yaml', 'a: 1\n---\na: 2\n');
  write('c.txt', 'no: [');
  write('a.yaml~', 'no: [');
  write('.hidden.yaml', 'no: [');
  write('..data/copy.yaml', 'no: [');
  mkdirSync(join(folder, 'empty.yaml'));
  const reading = read();
  expect(reading.violations).toEqual([]);
  expect(names(reading)).toEqual(['a/B.yaml', 'a/z.json', 'a.yaml', 'b.yml']);
  expect(reading.documents.map((d) => d.value)).toEqual([{ B: 1 }, { z: 1 }, { a: 1 }, { a: 2 }, { b: 1 }]);
  expect(reading.documents[3]?.file).toBe(join(folder, 'a.yaml'));
  expect(reading.documents[3]?.place(['a'])).toEqual({ file: join(folder, 'a.yaml'), line: 3, column: 4 });
});

test('[DOC1] endings count in any case', () => {
  write('a.YAML', 'a: 1');
  write('b.Yml', 'b: 1');
  write('c.JSON', '{"c":1}');
  write('d.Json', '{d: 1}');
  write('e.yaml.txt', 'no: [');
  const cache = new DocumentCache();
  for (const reading of [read(cache), read(cache)]) {
    expect(reading.documents.map((d) => d.value)).toEqual([{ a: 1 }, { b: 1 }, { c: 1 }]);
    expect(said(reading)).toEqual([expect.stringMatching(/^d\.Json: syntax: not json/)]);
  }
});

test('[DOC7] content that is known as yaml is not taken for json, whatever the case of the ending', () => {
  write('a.yaml', '{d: 1}');
  write('b.JSON', '{d: 1}');
  expect(read().documents).toHaveLength(1);
});

test('[DOC12] a file that is named is read whatever its ending, and once', () => {
  const file = write('policy.txt', 'a: 1');
  const other = write('sub/b.yaml', 'b: 1');
  expect(names(readPaths([other, file, folder, file, join(folder, 'sub')]))).toEqual([
    'sub/b.yaml',
    'policy.txt',
  ]);
});

test('[DOC1] a file of cases is no policy', () => {
  write('a.cases.yaml', 'cases: [{note: x}]');
  write('a.yaml', 'kind: X');
  const { documents, cases } = read();
  expect(documents.map((d) => d.value)).toEqual([{ kind: 'X' }]);
  expect(cases.map((d) => d.value)).toEqual([{ cases: [{ note: 'x' }] }]);
});

test('[DOC12] links are followed, once, and in circles without end', () => {
  write('real/a.yaml', 'a: 1');
  symlinkSync('real', join(folder, 'again'));
  symlinkSync('..', join(folder, 'real/up'));
  symlinkSync('real/a.yaml', join(folder, 'z.yaml'));
  linkSync(join(folder, 'real/a.yaml'), join(folder, 'y.yaml'));
  expect(names(read())).toEqual(['again/a.yaml']);
  expect(read().violations).toEqual([]);
});

test('[DOC2] what cannot be read is said, and the rest is read', () => {
  write('good.yaml', 'a: 1');
  symlinkSync('nowhere', join(folder, 'dangling.yaml'));
  symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
  execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
  const reading = readPaths([folder, join(folder, 'missing'), join(folder, 'good.yaml', 'x'), '']);
  expect(reading.documents).toHaveLength(1);
  expect(said(reading).slice(0, 5)).toEqual([
    'dangling.yaml: unreadable: cannot be read: no such file or folder',
    'loop.yaml: unreadable: cannot be read: a link that leads to itself',
    'pipe.yaml: unreadable: cannot be read: neither a file nor a folder',
    'missing: unreadable: cannot be read: no such file or folder',
    'good.yaml/x: unreadable: cannot be read: a part of the path is no folder',
  ]);
  expect(reading.violations).toHaveLength(6);
});

test('[DOC6] a file that is no utf-8 is refused with the place of the byte', () => {
  write('a.yaml', new Uint8Array([0x61, 0x3a, 0x20, 0x0a, 0xff]));
  write('b.json', new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]));
  const reading = read();
  expect(reading.documents.map((d) => d.value)).toEqual([{}]);
  expect(reading.violations).toMatchObject([{ code: 'syntax', place: { line: 2, column: 1 } }]);
});

test('[DOC6] a file over the limit is refused without being read', () => {
  const file = write('big.json', '{}');
  truncateSync(file, limits.fileBytes + 1);
  expect(said(read())).toEqual([
    `big.json: limit: file of ${limits.fileBytes + 1} bytes, at most ${limits.fileBytes} are read`,
  ]);
  // At the limit it is read, and found to be NULs.
  truncateSync(file, limits.fileBytes);
  expect(said(read())).toEqual(['big.json: syntax: NUL in the text']);
});

test('[DOC7] a reload parses only what changed', () => {
  const cache = new DocumentCache();
  const counts = () => [cache.parsed, cache.reused, cache.size];
  write('a.yaml', 'a: 1');
  write('b.yaml', 'b: [');
  const first = read(cache);
  expect(counts()).toEqual([2, 0, 2]);
  const second = read(cache);
  expect(counts()).toEqual([2, 2, 2]);
  expect(second.documents[0]).toBe(first.documents[0]);
  expect(second.violations).toEqual(first.violations);
  write('b.yaml', 'b: []');
  expect(read(cache).violations).toEqual([]);
  expect(counts()).toEqual([3, 3, 2]);
});

test('[DOC7] what is gone is forgotten', () => {
  const cache = new DocumentCache();
  const file = write('a.yaml', 'a: 1');
  write('b.yaml', 'b: 1');
  read(cache);
  rmSync(file);
  expect(read(cache).documents.map((d) => d.value)).toEqual([{ b: 1 }]);
  expect(cache.size).toBe(1);
  write('a.yaml', 'a: 1');
  read(cache);
  expect([cache.parsed, cache.reused]).toEqual([3, 2]);
});

test('[DOC7] equal content is parsed once, each file keeps its name', () => {
  const cache = new DocumentCache();
  write('a.yaml', 'x: 1\n---\nx: [');
  write('b.yaml', 'x: 1\n---\nx: [');
  const { documents, violations } = read(cache);
  expect([cache.parsed, cache.reused]).toEqual([1, 1]);
  expect(documents.map((d) => d.place(['x'])?.file)).toEqual(documents.map((d) => d.file));
  expect(documents.map((d) => relative(folder, d.file!))).toEqual(['a.yaml', 'b.yaml']);
  expect(violations.map((v) => relative(folder, v.place!.file))).toEqual(['a.yaml', 'b.yaml']);
  rmSync(join(folder, 'a.yaml'));
  write('c.yaml', 'x: 1\n---\nx: [');
  expect(names(read(cache))).toEqual(['b.yaml', 'c.yaml']);
  expect([cache.parsed, cache.reused]).toEqual([1, 3]);
});

test('[DOC7] the ending decides how content is read, also from the cache', () => {
  const cache = new DocumentCache();
  write('a.yaml', '{a: 1}');
  write('b.json', '{a: 1}');
  const { documents, violations } = read(cache);
  expect(documents).toHaveLength(1);
  expect(violations).toMatchObject([{ code: 'syntax' }]);
  expect([cache.parsed, cache.reused]).toEqual([2, 0]);
});
