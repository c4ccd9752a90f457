import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatPath, formatViolation } from '../../../src/pdp/model/violation.ts';
import { type Finding, lint } from '../../../src/policy/lint/lint.ts';
import { load } from '../../../src/policy/load.ts';
import { parseText } from '../../../src/policy/text/parse.ts';
import { digest } from '../loading.ts';

/**
 * Fixtures by code. `passing.yaml` has no finding; every other file has one, and carries the change that its hint
 * asks for as a difference: lines that end in `#-` go, lines behind `#+` come. Where the hint leaves a choice the
 * marks are numbered, and each choice must do.
 */

const folder = join(import.meta.dirname, 'fixtures');

export const fixtureCodes = readdirSync(folder).sort();
export const goldenOf = (code: string): string => join(folder, code, 'findings.golden.txt');

export function failingOf(code: string): string[] {
  return readdirSync(join(folder, code))
    .filter((file) => file.endsWith('.yaml') && file !== 'passing.yaml')
    .sort();
}

export function read(code: string, file: string): string {
  return readFileSync(join(folder, code, file), 'utf8');
}

const removed = / #-(\d?)$/;
const added = /^#\+(\d?)/;

export function choicesOf(text: string): string[] {
  const marks = text.split('\n').flatMap((line) => removed.exec(line)?.[1] ?? added.exec(line)?.[1] ?? []);
  const numbered = [...new Set(marks.filter((mark) => mark !== ''))].sort();
  return numbered.length > 0 ? numbered : marks.length > 0 ? [''] : [];
}

export function withChange(text: string, choice: string): string {
  const applies = (mark: string | undefined) => mark === '' || mark === choice;
  return text
    .split('\n')
    .filter((line) => !(removed.test(line) && applies(removed.exec(line)?.[1])))
    .map((line) => (applies(added.exec(line)?.[1]) ? line.replace(added, '') : line))
    .join('\n');
}

export function findingsIn(text: string, file: string): readonly Finding[] {
  const { documents, violations } = parseText(text, file);
  const loaded = load(documents, digest);
  const wrong = [...violations, ...loaded.violations].map(formatViolation);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return lint(loaded, documents);
}

export function show({ place, severity, code, path, message, hint }: Finding): string {
  const where = place === undefined ? '?' : `${place.file}:${place.line}:${place.column}`;
  return `${where}: ${severity} [${code}] ${formatPath(path)}: ${message}\n    ${hint}\n`;
}
