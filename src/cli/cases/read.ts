import { reasons } from '../../pdp/model/decision.ts';
import { type Fields, isFields } from '../../pdp/model/fields.ts';
import { nearest } from '../../pdp/model/text.ts';
import { trustLevels } from '../../pdp/model/trust.ts';
import {
  byPlace,
  formatPath,
  type Path,
  type Violation,
  type ViolationCode,
} from '../../pdp/model/violation.ts';
import type { Document } from '../../policy/document.ts';
import type { Case, CaseFile } from './case.ts';
import { noRequest } from './mistakes.ts';

type Check = (value: unknown) => string | undefined;

const kindOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : JSON.stringify(value);

const text: Check = (value) => (typeof value === 'string' ? undefined : 'text');
const object: Check = (value) => (isFields(value) ? undefined : 'an object');
const list: Check = (value) => (Array.isArray(value) ? undefined : 'a list');
const textOrNull: Check = (value) =>
  value === null || typeof value === 'string' ? undefined : 'text or null';
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value) ? undefined : `one of ${values.map(String).join(', ')}`;

const effect = oneOf('allow', 'deny');
const fileFields = { title: text, about: text, defaults: object, cases: list };
const defaultFields = { request: object };
const caseFields = {
  note: text,
  request: object,
  want: effect,
  by: textOrNull,
  shadow: effect,
  shadowBy: textOrNull,
  reason: oneOf(...reasons),
  tier: oneOf(0, 1, 2, 3, 4, null),
  trust: oneOf(...trustLevels, null),
};

class Reader {
  readonly violations: Violation[] = [];
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  add(path: Path, code: ViolationCode, message: string, hint?: string, of: 'value' | 'key' = 'value'): void {
    const place = this.#document.place(path, of);
    this.violations.push({
      path,
      code,
      message,
      ...(hint !== undefined && { hint }),
      ...(place && { place }),
    });
  }

  /** Whether `value` is an object of these fields and has those required; all that it is not is said. */
  fields(
    value: unknown,
    path: Path,
    known: Readonly<Record<string, Check>>,
    required: readonly string[],
  ): value is Fields {
    if (!isFields(value)) {
      this.add(path, 'type', `got ${kindOf(value)}, want an object`);
      return false;
    }
    const before = this.violations.length;
    for (const [key, part] of Object.entries(value)) {
      const check = Object.hasOwn(known, key) ? known[key] : undefined;
      if (check === undefined) {
        const close = nearest(key, Object.keys(known));
        const hint =
          close === undefined ? `known are ${Object.keys(known).join(', ')}` : `did you mean "${close}"?`;
        this.add([...path, key], 'unknown-field', `unknown field "${key}"`, hint, 'key');
        continue;
      }
      const want = check(part);
      if (want !== undefined) this.add([...path, key], 'type', `got ${kindOf(part)}, want ${want}`);
    }
    for (const key of required) {
      if (!Object.hasOwn(value, key)) this.add(path, 'missing', `"${key}" is missing`);
    }
    return this.violations.length === before;
  }
}

/** Parts of the request that the case does not give are the file's defaults; a part is taken whole. */
function withDefaults(request: Fields, defaults: Fields): Fields {
  return { ...defaults, ...request };
}

/** Where the file has a part of the request of a case. */
function locator(document: Document, i: number, own: Fields, defaults: Fields): NonNullable<Case['locate']> {
  return (part, of) => {
    const [first] = part;
    const common = first !== undefined && !Object.hasOwn(own, first) && Object.hasOwn(defaults, first);
    const path = [...(common ? ['defaults'] : ['cases', i]), 'request', ...part];
    const place = document.place(path, of) ?? document.place(['cases', i]);
    return { path, ...(place && { place }) };
  };
}

/** All that is wrong with a file of cases is said at once, so that whoever mends it needs no second look. */
export function readCases(document: Document): CaseFile {
  const reader = new Reader(document);
  const value: Fields = isFields(document.value) ? document.value : {};
  reader.fields(document.value, [], fileFields, ['cases']);
  const { defaults } = value;
  const request = isFields(defaults) && isFields(defaults['request']) ? defaults['request'] : {};
  const known = !isFields(defaults) || reader.fields(defaults, ['defaults'], defaultFields, []);
  const items: readonly unknown[] = Array.isArray(value['cases']) ? value['cases'] : [];
  const cases: Case[] = [];
  const wrong = new Map<string, Violation>();
  items.forEach((item, i) => {
    const path = ['cases', i];
    const sound = reader.fields(item, path, caseFields, ['request', 'want']);
    if (!isFields(item) || !isFields(item['request'])) return;
    const own = item['request'];
    const place = document.place(path);
    const one: Case = {
      ...(item as unknown as Case),
      note: typeof item['note'] === 'string' ? item['note'] : `case ${i + 1}`,
      request: withDefaults(own, request),
      locate: locator(document, i, own, request),
      ...(place && { place }),
    };
    const mistakes = noRequest(one).filter(({ code }) => known || code !== 'missing');
    // What the defaults have is the mistake of one place, however many cases take it.
    for (const mistake of mistakes) wrong.set(`${formatPath(mistake.path)} ${mistake.message}`, mistake);
    if (sound && mistakes.length === 0) cases.push(one);
  });
  return {
    file: document.file ?? '',
    ...(typeof value['title'] === 'string' && { title: value['title'] }),
    ...(typeof value['about'] === 'string' && { about: value['about'] }),
    cases,
    total: items.length,
    unsure: !known,
    violations: [...reader.violations, ...wrong.values()].sort(byPlace),
  };
}
