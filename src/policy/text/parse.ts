import { limits } from '../../pdp/model/limits.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import type { Violation, ViolationCode } from '../../pdp/model/violation.ts';
import type { Reading, Unread } from '../document.ts';
import { remember } from '../readings.ts';
import { moreBytesThan } from './characters.ts';
import type { Decoded } from './decode.ts';
import type { Finding } from './finding.ts';
import { type Part, yamlParts } from './parts.ts';
import { readPart } from './read-part.ts';
import { Source } from './source.ts';
import { SourceDocument } from './source-document.ts';
import { isCases, isSchema, unwrap, type Wrapped } from './unwrap.ts';

/**
 * All good documents of a text, YAML or JSON, and all that is wrong with the others. A file called `.json`, in any
 * case, is read as JSON and nothing else; elsewhere JSON is only the fast way to read what is YAML too. Never throws
 * for what is in the text.
 */
export function parseText(text: string, file?: string): Reading {
  return parseDecoded({ text: text.startsWith('\ufeff') ? text.slice(1) : text, faults: [] }, file);
}

/** Likewise of bytes. A document with a fault in it is lost, and says so; the others are read. */
export function parseDecoded({ text, faults }: Decoded, file?: string): Reading {
  const collector = new Collector(text, file, faults);
  collector.read(file !== undefined && isCalledJson(file));
  return collector;
}

export function isCalledJson(file: string): boolean {
  return file.toLowerCase().endsWith('.json');
}

const notListed = (of: 'file' | 'document') => `further problems of this ${of} are not listed`;

interface Sorted {
  readonly good: Wrapped[];
  readonly flawed: [Wrapped, readonly Unread[]][];
}

/** Of what else is said of a document nobody can tell what would stand there instead. */
const goesOn: ReadonlySet<ViolationCode> = new Set([
  'duplicate-key',
  'value',
  'type',
  'unknown-field',
  'limit',
]);

class Collector implements Reading {
  readonly documents: SourceDocument[] = [];
  readonly cases: SourceDocument[] = [];
  readonly flawed: SourceDocument[] = [];
  readonly violations: Violation[] = [];
  isBlank = true;
  readonly #source: Source;
  readonly #faults: readonly Finding[];
  /** How many faults lie before the part that is read. */
  #passed = 0;
  /** Whether it was said that there is more than is listed. */
  #full = false;

  constructor(text: string, file: string | undefined, faults: readonly Finding[]) {
    this.#source = new Source(text, file);
    this.#faults = faults;
    remember(this);
  }

  read(json: boolean): void {
    const { text } = this.#source;
    if (moreBytesThan(text, limits.fileBytes)) this.#limit(`text of more than ${limits.fileBytes} bytes`, 0);
    else if (json) this.#part({ start: 0, end: text.length }, true);
    else {
      let parts = 0;
      for (const part of yamlParts(text)) {
        // Empty documents are none, and cost what documents cost.
        if (++parts > limits.documentsPerFile) return this.#tooMany(part);
        if (!this.#part(part, false)) break;
      }
    }
    if (this.#faults.length > limits.violationsPerFile) this.#limit(notListed('file'), text.length);
  }

  /** False once there are as many documents as are read. */
  #part(part: Part, strictJson: boolean): boolean {
    const fault = this.#faultIn(part);
    if (fault !== undefined) {
      const { offset, ...what } = fault;
      this.violations.push({ ...what, place: this.#source.placeAt(offset) });
      return true;
    }
    const room = Math.max(0, limits.violationsPerFile - this.violations.length);
    const { read, json, findings } = readPart(this.#source.text, part, strictJson, room);
    if (findings.list.length > 0 || (read?.value ?? null) !== null) this.isBlank = false;
    let wrapped: Iterable<Wrapped> = read === undefined ? [] : unwrap(read.value);
    const region = { ...part, json };
    if (findings.list.length > 0 || findings.cut) {
      const { good, flawed } = this.#report(findings.list, [...wrapped], findings.cut);
      wrapped = good;
      for (const [{ value, base }, unread] of flawed)
        this.flawed.push(new SourceDocument(value, this.#source, region, base, unread));
    }
    if (findings.full && !this.#full) {
      this.#full = room === 0;
      this.#limit(notListed(room === 0 ? 'file' : 'document'), part.start);
    }
    for (const { value, base } of wrapped) {
      // An empty document, as between two `---`, says nothing.
      if (base.length === 0 && (value === null || isSchema(value))) continue;
      if (this.documents.length + this.cases.length >= limits.documentsPerFile) {
        this.#tooMany(part);
        return false;
      }
      const list = isCases(value) ? this.cases : this.documents;
      list.push(new SourceDocument(value, this.#source, region, base));
    }
    return true;
  }

  /** The first, since the others are of the same making, as a rule. */
  #faultIn({ start, end }: Part): Finding | undefined {
    const offsetOf = (at: number) => this.#faults[at]?.offset ?? Number.POSITIVE_INFINITY;
    while (offsetOf(this.#passed) < start) this.#passed++;
    return offsetOf(this.#passed) < end ? this.#faults[this.#passed] : undefined;
  }

  /**
   * Lists findings with paths from the root of the document they are in, and gives the documents that have none, and
   * those that could be read but for some keys and values. One that is in no document, or findings that broke off,
   * leave none of them trustworthy.
   */
  #report(findings: readonly Finding[], wrapped: readonly Wrapped[], cut: boolean): Sorted {
    const known = new Map(wrapped.map((document) => [JSON.stringify(document.base), document]));
    const found = new Map<string, Finding[]>();
    let trusted = !cut;
    for (const finding of findings) {
      const { offset, path, ofKey, ...what } = finding;
      let length = Math.min(path.length, 3);
      while (length > 0 && !known.has(JSON.stringify(path.slice(0, length)))) length--;
      const base = JSON.stringify(path.slice(0, length));
      if (!known.has(base)) trusted = false;
      const within = { ...finding, path: path.slice(length) };
      pushTo(found, base, within);
      this.violations.push({ ...what, path: within.path, place: this.#source.placeAt(offset) });
    }
    const sorted: Sorted = { good: [], flawed: [] };
    if (!trusted) return sorted;
    for (const [base, document] of known) {
      const own = found.get(base);
      if (own === undefined) sorted.good.push(document);
      else if (
        own.every(({ code }) => goesOn.has(code)) &&
        !isCases(document.value) &&
        !isSchema(document.value)
      )
        sorted.flawed.push([
          document,
          own.map((one) => ({ ...one, isSecond: one.code === 'duplicate-key' })),
        ]);
    }
    return sorted;
  }

  #tooMany(part: Part): void {
    this.#limit(`more than ${limits.documentsPerFile} documents in one file`, part.start);
  }

  #limit(message: string, offset: number): void {
    this.violations.push({ path: [], code: 'limit', message, place: this.#source.placeAt(offset) });
  }
}
