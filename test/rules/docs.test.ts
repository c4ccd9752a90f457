import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { areas } from './layout.ts';
import { filesUnder } from './modules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const decisions = filesUnder(root, 'docs/decisions', /\/\d{3}-[\w-]+\.md$/);
const headings = ['Context', 'Decision', 'Consequences', 'Security implications'];

describe('docs/decisions', () => {
  test.each(decisions)('%s has its number, its four parts and fits a page', (file) => {
    const text = read(file);
    expect(text).toMatch(new RegExp(`^# ${/\d{3}/.exec(file)?.[0]}\\. .+\n`));
    expect([...text.matchAll(/^## (.*)$/gm)].map((match) => match[1])).toEqual(headings);
    expect(text.split('\n').length).toBeLessThanOrEqual(60);
  });

  test('are all listed under their titles', () => {
    const lines = decisions.map((file) => {
      const [, number, title] = /^# (\d+)\. (.*)$/m.exec(read(file)) ?? [];
      return `- [${number}](${file.slice('docs/decisions/'.length)}) ${title}`;
    });
    expect(read('docs/decisions/README.md').match(/^- .*$/gm)).toEqual(lines);
  });

  test('are numbered without gaps', () => {
    const numbers = decisions.map((file) => Number(/\d{3}/.exec(file)?.[0]));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});

test('the table of docs/ARCHITECTURE.md is the one that is enforced', () => {
  const [head = [], , ...rows] = (
    /## Who may import whom\n\n((?:\|.*\n)+)/.exec(read('docs/ARCHITECTURE.md'))?.[1] ?? ''
  )
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
  const columns = head.slice(1, 7);
  expect(columns).toEqual(['model', 'pdp', 'policy', 'attributes', 'gateway', 'envoy']);
  const shown = rows.map(([name, ...cells]) => [name, ...cells.slice(0, 6)]);
  const enforced = areas.map((area) => [
    area.at.replace(/\/$/, ''),
    ...columns.map((column) => (column === undefined ? '' : (area.may[column] ?? '–'))),
  ]);
  expect(shown).toEqual(enforced);
});
