import { type Labelled, Labels } from '../../pdp/index/origins.ts';
import type { By } from '../../pdp/model/decision.ts';
import type { Rule } from '../../pdp/model/rule.ts';
import type { Place } from '../../pdp/model/violation.ts';
import type { Document } from '../../policy/document.ts';

/** Where each rule is written, in a form that moves between threads whole. */
export interface PlaceTable {
  readonly files: readonly string[];
  /** Per rule: file or -1, line, column. */
  readonly rows: Int32Array;
  /** Rules by the hash of what a decision calls them; -1 where there is none. A power of two, half empty. */
  readonly slots: Int32Array;
}

const stride = 3;

/** Places of documents that are the same objects as before are found once: for that the text is read again. */
const known = new WeakMap<Document, Map<string, Place | undefined>>();

function placeIn(document: Document | undefined, path: Rule['origin']['path']): Place | undefined {
  if (document === undefined) return undefined;
  let places = known.get(document);
  if (places === undefined) {
    places = new Map();
    known.set(document, places);
  }
  const key = path.join('\n');
  if (!places.has(key)) places.set(key, document.place(path));
  return places.get(key);
}

export function placesOf(rules: readonly Rule[], documents: readonly Document[]): PlaceTable {
  const files = new Map<string, number>();
  const rows = new Int32Array(rules.length * stride).fill(-1);
  let size = 4;
  while (size < rules.length * 2) size *= 2;
  const slots = new Int32Array(size).fill(-1);
  // By document: places of one after the other are found quickly (SourceDocument keeps the text it looked into last).
  const byDocument = rules
    .map((_, id) => id)
    .sort((a, b) => rules[a]!.origin.document - rules[b]!.origin.document);
  for (const id of byDocument) {
    const { origin } = rules[id]!;
    const place = placeIn(documents[origin.document], origin.path);
    if (place !== undefined) {
      const file = files.get(place.file) ?? files.size;
      files.set(place.file, file);
      rows.set([file, place.line, place.column], id * stride);
    }
  }
  rules.forEach(({ origin }, id) => {
    let slot = hash(origin) & (size - 1);
    while (slots[slot] !== -1) slot = (slot + 1) & (size - 1);
    slots[slot] = id;
  });
  return { files: [...files.keys()], rows, slots };
}

/** Of the first rule that is called so. */
export function findPlace(table: PlaceTable, labelled: Labelled, by: By): Place | undefined {
  const { files, rows, slots } = table;
  const labels = new Labels(labelled);
  for (let at = hash(by) & (slots.length - 1); slots[at] !== -1; at = (at + 1) & (slots.length - 1)) {
    const rule = slots[at] as number;
    if (labels.index(rule) !== by.index || labels.effect(rule) !== by.effect) continue;
    if (labels.kri(rule) !== by.kri) continue;
    const file = rows[rule * stride] as number;
    if (file < 0) return undefined;
    return {
      file: files[file] as string,
      line: rows[rule * stride + 1] as number,
      column: rows[rule * stride + 2] as number,
    };
  }
  return undefined;
}

function hash({ kri, effect, index }: Pick<By, 'kri' | 'effect' | 'index'>): number {
  let h = (index * 0x9e3779b1) ^ effect.length;
  for (let i = 0; i < kri.length; i++) h = Math.imul(h ^ kri.charCodeAt(i), 0x01000193);
  return (h ^ (h >>> 15)) >>> 0;
}
