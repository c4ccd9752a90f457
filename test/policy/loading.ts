import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatViolation } from '../../src/pdp/model/violation.ts';
import type { Document } from '../../src/policy/document.ts';
import { type Loaded, load } from '../../src/policy/load.ts';
import { parseText } from '../../src/policy/text/parse.ts';

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Values without a file, as `open` takes them. */
export function loadValues(...values: readonly unknown[]): Loaded {
  const documents = values.map((value): Document => ({ value, place: () => undefined }));
  return load(documents, digest);
}

export function loadText(text: string, file?: string): Loaded {
  const reading = parseText(text, file);
  if (reading.violations.length > 0) throw new Error(reading.violations.map(formatViolation).join('\n'));
  return load(reading.documents, digest);
}

export const fixtures = join(import.meta.dirname, 'fixtures');

export function fixture(name: string): string {
  return readFileSync(join(fixtures, name), 'utf8');
}

export function violationsIn(loaded: Loaded): string[] {
  return loaded.violations.map(formatViolation);
}
