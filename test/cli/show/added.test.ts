import { expect, test } from 'vitest';
import { markAdded } from '../../../src/cli/show/added.ts';

const mark = (before: string, after: string) => markAdded(before, after, (line) => `<${line}>`);

test('[NS5] lines that were not there are marked, also between equal ones', () => {
  expect(mark('a\nb\nc', 'a\nx\nb\nc')).toBe('a\n<x>\nb\nc');
  expect(mark('a: 1\nb\na: 1', 'a: 1\na: 1\nb\nc\na: 1')).toBe('a: 1\n<a: 1>\nb\n<c>\na: 1');
  expect(mark('kind: Mesh', 'kind: MeshSubset')).toBe('<kind: MeshSubset>');
  expect(mark('a\nb', 'a\nb')).toBe('a\nb');
  expect(mark('', 'a')).toBe('<a>');
});

test('[NS5] a long text is left unmarked', () => {
  const long = 'a\n'.repeat(3_000);
  expect(mark(long, `${long}b`)).toBe(`${long}b`);
});
