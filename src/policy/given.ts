import { isFields } from '../pdp/model/fields.ts';
import type { Violation } from '../pdp/model/violation.ts';
import { nameOf, quote } from '../pdp/model/words.ts';
import type { Document, Reading } from './document.ts';
import { flawedBeside, remember, violationsBeside } from './readings.ts';
import { violation } from './schema/issues.ts';

/** What a program opens, whatever it is: a reading, or a list of documents and plain objects (SPEC DOC5). */
export function documentsGiven(given: unknown): Reading {
  const list = isReading(given) ? given.documents : given;
  if (!Array.isArray(list)) {
    const message = `got ${nameOf(given)}, want a list of documents, or what readPaths or parseText gave`;
    return { documents: [], cases: [], violations: [violation([], 'type', message)] };
  }
  const documents: Document[] = [];
  const violations: Violation[] = [...(isReading(given) ? given.violations : violationsBeside(list))];
  for (const [index, value] of list.entries()) {
    if (isDocument(value)) documents.push(value);
    else if (value !== null && value !== undefined) documents.push(new PlainDocument(value, index));
    else {
      const message = `got ${nameOf(value)}, want a document, which is an object`;
      violations.push({ ...violation([], 'type', message), called: `document ${index}` });
    }
  }
  const flawed = isReading(given) ? (given.flawed ?? []) : flawedBeside(list);
  return remember({ documents, cases: [], flawed, violations });
}

function isReading(given: unknown): given is Reading {
  return isFields(given) && Array.isArray(given['documents']) && Array.isArray(given['violations']);
}

/** By all that it has: a plain object with a function among its fields is none, and is refused as what it is. */
function isDocument(value: unknown): value is Document {
  return (
    isFields(value) &&
    typeof value['place'] === 'function' &&
    'value' in value &&
    !('type' in value || 'kind' in value)
  );
}

class PlainDocument implements Document {
  readonly value: unknown;
  readonly #index: number;

  constructor(value: unknown, index: number) {
    this.value = value;
    this.#index = index;
  }

  place(): undefined {
    return undefined;
  }

  get called(): string {
    const { type, kind = type, name, metadata } = isFields(this.value) ? this.value : {};
    const ownName = name ?? (isFields(metadata) ? metadata['name'] : undefined);
    const words = [
      typeof kind === 'string' && (/^\w{1,80}$/.test(kind) ? kind : quote(kind)),
      typeof ownName === 'string' && quote(ownName),
    ].filter((word) => word !== false);
    return `document ${this.#index}${words.length === 0 ? '' : ` (${words.join(' ')})`}`;
  }
}
