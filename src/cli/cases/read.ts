import { reasons } from '../../pdp/model/decision.ts';
import { nearest } from '../../pdp/model/text.ts';
import { trustLevels } from '../../pdp/model/trust.ts';
import type { Violation, ViolationCode } from '../../pdp/model/violation.ts';
import type { Document, Path } from '../../policy/document.ts';
import type { Case, CaseFile } from './case.ts';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => string | undefined;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

  /** Whether `value` is an object of these fields and has those required. */
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
function withDefaults(request: Fields, defaults: unknown): Fields {
  const parts = isFields(defaults) && isFields(defaults['request']) ? defaults['request'] : {};
  return { ...parts, ...request };
}

function locate(document: Document, i: number, own: Fields, part: Path, of: 'value' | 'key') {
  const [first] = part;
  const home = first === undefined || Object.hasOwn(own, first) ? ['cases', i] : ['defaults'];
  const path = [...home, 'request', ...part];
  const place = document.place(path, of) ?? document.place(['cases', i]);
  return { path, ...(place && { place }) };
}

export function readCases(document: Document): CaseFile {
  const reader = new Reader(document);
  const { value } = document;
  const cases: Case[] = [];
  const file = document.file ?? '';
  if (!reader.fields(value, [], fileFields, ['cases'])) return { file, cases, violations: reader.violations };
  if (value['defaults'] !== undefined) reader.fields(value['defaults'], ['defaults'], defaultFields, []);
  (value['cases'] as unknown[]).forEach((item, i) => {
    const path = ['cases', i];
    if (!reader.fields(item, path, caseFields, ['request', 'want'])) return;
    const place = document.place(path);
    cases.push({
      ...(item as unknown as Case),
      note: typeof item['note'] === 'string' ? item['note'] : `case ${i + 1}`,
      request: withDefaults(item['request'] as Fields, value['defaults']),
      locate: (part, of) => locate(document, i, item['request'] as Fields, part, of),
      ...(place && { place }),
    });
  });
  return {
    file,
    ...(typeof value['title'] === 'string' && { title: value['title'] }),
    ...(typeof value['about'] === 'string' && { about: value['about'] }),
    cases,
    violations: reader.violations,
  };
}
