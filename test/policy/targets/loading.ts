import { createHash } from 'node:crypto';
import { formatViolation } from '../../../src/pdp/model/violation.ts';
import type { Document } from '../../../src/policy/document.ts';
import { shippedKinds } from '../../../src/policy/files.ts';
import { type Loaded, load } from '../../../src/policy/load.ts';
import type { Targeted } from '../../../src/policy/targets/targeted.ts';
import { parseText } from '../../../src/policy/text/parse.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** As the command line loads, with the kinds that come with Placet. */
export function loadYaml(text: string, file?: string): Loaded {
  const reading = parseText(text, file);
  if (reading.violations.length > 0) throw new Error(reading.violations.map(formatViolation).join('\n'));
  return load(reading.documents, digest, shippedKinds());
}

export function loadObjects(...values: readonly unknown[]): Loaded {
  const documents = values.map((value): Document => ({ value, place: () => undefined }));
  return load(documents, digest, shippedKinds());
}

/** The policies of a text that is right, in the order of its documents. */
export function policiesIn(text: string): readonly Targeted[] {
  const loaded = loadYaml(text);
  if (loaded.violations.length > 0) throw new Error(loaded.violations.map(formatViolation).join('\n'));
  return [...loaded.targeted].sort((a, b) => a.head.document - b.head.document);
}

export function saidOf(loaded: Loaded): readonly string[] {
  return loaded.violations.map(formatViolation);
}

export function statusesOf(loaded: Loaded): readonly string[] {
  return loaded.statuses.map(formatViolation);
}
