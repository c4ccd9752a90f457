import { type Fields, fieldsIn, isFields, listIn } from '../../pdp/model/fields.ts';
import { byPlace, formatPath, type Violation } from '../../pdp/model/violation.ts';
import type { Document } from '../../policy/document.ts';
import { violationsOf } from '../../policy/schema/issues.ts';
import type { Case, CaseFile } from './case.ts';
import { noRequest } from './mistakes.ts';
import { caseFileSchema } from './schema.ts';

/** What of the file is not as it may be, but for what requests hold. */
function misshapen(document: Document): Violation[] {
  const { value: input } = document;
  const read = caseFileSchema.safeParse(input);
  if (read.success) return [];
  return violationsOf(read.error.issues, { schema: caseFileSchema, input }).map((found) => {
    const place = document.place(found.path, found.code === 'unknown-field' ? 'key' : 'value');
    return { ...found, ...(place && { place }) };
  });
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
  const flaws = misshapen(document);
  const value = fieldsIn(document.value);
  const defaults = fieldsIn(fieldsIn(value['defaults'])['request']);
  const unsure = flaws.some(({ path }) => path[0] === 'defaults');
  const unsound = new Set(flaws.map(({ path }) => (path[0] === 'cases' ? path[1] : undefined)));
  const items = listIn(value['cases']);
  const cases: Case[] = [];
  const wrong = new Map<string, Violation>();
  items.forEach((item, i) => {
    if (!isFields(item) || !isFields(item['request'])) return;
    const own = item['request'];
    const place = document.place(['cases', i]);
    const one: Case = {
      ...(item as unknown as Case),
      note: typeof item['note'] === 'string' ? item['note'] : `case ${i + 1}`,
      request: withDefaults(own, defaults),
      locate: locator(document, i, own, defaults),
      ...(place && { place }),
    };
    const mistakes = noRequest(one).filter(({ code }) => !unsure || code !== 'missing');
    // What the defaults have is the mistake of one place, however many cases take it.
    for (const mistake of mistakes) wrong.set(`${formatPath(mistake.path)} ${mistake.message}`, mistake);
    if (!unsound.has(i) && mistakes.length === 0) cases.push(one);
  });
  return {
    file: document.file ?? '',
    ...(typeof value['title'] === 'string' && { title: value['title'] }),
    ...(typeof value['about'] === 'string' && { about: value['about'] }),
    cases,
    total: items.length,
    unsure,
    violations: [...flaws, ...wrong.values()].sort(byPlace),
  };
}
