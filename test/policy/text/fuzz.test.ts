import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Document } from '../../../src/policy/document.ts';
import { parseText } from '../../../src/policy/text/parse.ts';

const runs = { numRuns: 1_000, seed: 20_260_118 };

/** Plain data: no prototypes but those of literals, nothing under a forbidden key. */
function expectPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    expect(['string', 'number', 'boolean', 'object']).toContain(typeof value);
    return;
  }
  expect([Object.prototype, Array.prototype]).toContain(Object.getPrototypeOf(value));
  for (const key of Object.keys(value)) {
    expect(['__proto__', 'constructor', 'prototype']).not.toContain(key);
    expectPlain((value as Record<string, unknown>)[key]);
  }
}

function expectSound(text: string, file?: string): void {
  const { documents, cases, violations } = parseText(text, file);
  const lines = text.split('\n');
  const inside = (place: { line: number; column: number } | undefined) => {
    expect(place).toBeDefined();
    expect(place!.line).toBeGreaterThan(0);
    expect(place!.line).toBeLessThanOrEqual(lines.length);
    expect(place!.column).toBeGreaterThan(0);
    expect(place!.column).toBeLessThanOrEqual(lines[place!.line - 1]!.length + 1);
  };
  for (const { place, message } of violations) {
    inside(place);
    expect(message).not.toMatch(/undefined|\[object|NaN|\n|\.$/);
  }
  for (const document of [...documents, ...cases]) {
    expectPlain(document.value);
    inside(document.place([]));
    inside(document.place(['a', 0, 'b'], 'key'));
  }
}

const pieces = [
  ...[
    'a',
    'b: ',
    'a: 1\n',
    '- ',
    ': ',
    ':',
    ' ',
    '  ',
    '\n',
    '\n  ',
    '\r\n',
    '\t',
    '\n---\n',
    '\n...\n',
    '--- ',
  ],
  ...[
    '[',
    ']',
    '{',
    '}',
    ', ',
    '"',
    "'",
    '\\',
    '\\u0041',
    '|',
    '>',
    '|-\n  x\n',
    '#',
    ' # c\n',
    '&x ',
    '*x',
    '!t ',
  ],
  ...[
    '!!str ',
    '%YAML 1.2\n',
    '? ',
    '<<: ',
    '__proto__: ',
    '1',
    '-0.5e3',
    '~',
    'true',
    '.nan',
    'é😀',
    '@',
    '`',
    '\0',
  ],
  ...['{"a": [1, "x"]}', 'kind: List\nitems:\n', '\ufeff', '0x1F', '\u2028', "''", '""'],
];
const yamlish = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((list) => list.join(''));

const good = `kind: MeshTrafficPermission
metadata: {name: a, namespace: "b"}
spec:
  default:
    allow:
      - spiffeId: {type: Exact, value: 'spiffe://td/ns/a'}
        path: &p
          type: Prefix
          value: |
            /x
      - path: *p # again
---
["x", {"y": null}]
`;
const mutated = fc
  .array(fc.tuple(fc.nat(good.length), fc.nat(3), fc.constantFrom('', ...pieces)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((edits) =>
    edits.reduce((text, [at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut), good),
  );

describe('anything', () => {
  test('[DOC6] any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => expectSound(text)),
      runs,
    );
  });
  test('[DOC6] what looks like yaml', () => {
    fc.assert(
      fc.property(yamlish, (text) => expectSound(text)),
      runs,
    );
  });
  test('[DOC6] what looks like yaml, called json', () => {
    fc.assert(
      fc.property(yamlish, (text) => expectSound(text, 'x.json')),
      runs,
    );
  });
  test('[DOC6] a good text with mistakes', () => {
    expect(parseText(good)).toMatchObject({ documents: { length: 3 }, violations: [] });
    fc.assert(
      fc.property(mutated, (text) => expectSound(text)),
      runs,
    );
  });
});

describe('against the parser as it comes', () => {
  /** What the yaml package makes of a text by itself, or undefined if it finds anything wrong. */
  function plainly(text: string): unknown[] | undefined {
    try {
      const documents = parseAllDocuments(text, { logLevel: 'silent', prettyErrors: false });
      if ('empty' in documents) return documents.errors.length > 0 ? undefined : [];
      if (documents.some((d) => d.errors.length > 0)) return undefined;
      return documents
        .map((d) => d.toJS() as unknown)
        .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : value === null ? [] : [value]));
    } catch {
      return undefined;
    }
  }
  let compared = 0;
  const check = (text: string) => {
    const { documents, cases, violations } = parseText(text);
    if (violations.length > 0 || cases.length > 0 || /\bList\b/.test(text)) return;
    if (documents.length > 0) compared++;
    const expected = plainly(text.startsWith('\ufeff') ? text.slice(1) : text);
    expect(expected, JSON.stringify(text)).toBeDefined();
    expect(documents.map((d) => d.value)).toEqual(expected);
  };
  test('[DOC6] what has no violations is what the parser alone reads without errors', () => {
    fc.assert(fc.property(yamlish, check), { ...runs, numRuns: 2_000 });
    fc.assert(fc.property(mutated, check), { ...runs, numRuns: 2_000 });
    // Enough of them have something to compare.
    expect(compared).toBeGreaterThan(400);
  });
});

describe('json as json and as yaml', () => {
  const paths = (value: unknown, path: (string | number)[] = []): (string | number)[][] =>
    typeof value !== 'object' || value === null
      ? [path]
      : [
          path,
          ...Object.entries(value).flatMap(([key, inner]) =>
            paths(inner, [...path, Array.isArray(value) ? Number(key) : key]),
          ),
        ];
  /** A comment makes it a text that only the yaml parser reads; it stands on a line of its own, behind. */
  const asYaml = (json: string) => parseText(`${json}\n# yaml\n`);
  const places = (documents: readonly Document[], of: 'key' | 'value') =>
    documents.map((d) => paths(d.value).map((path) => d.place(path, of)));

  test('[DOC1] the same text has the same values in the same places', () => {
    const json = fc.tuple(
      fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }),
      fc.constantFrom('', ' ', '\t', '\n '),
    );
    fc.assert(
      fc.property(json, ([value, space]) => {
        const text = JSON.stringify({ '': value }, null, space);
        const [one, other] = [parseText(text), asYaml(text)];
        expect(one.violations.map(({ path, code, place }) => ({ path, code, place }))).toEqual(
          other.violations.map(({ path, code, place }) => ({ path, code, place })),
        );
        expect(one.documents.map((d) => d.value)).toEqual(other.documents.map((d) => d.value));
        for (const of of ['key', 'value'] as const)
          expect(places(one.documents, of)).toEqual(places(other.documents, of));
      }),
      { ...runs, numRuns: 300 },
    );
  });

  test('[DOC1] json is what JSON.parse reads, and what it refuses has violations', () => {
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify({ a: value }));
    const edited = fc
      .tuple(
        json,
        fc.nat(40),
        fc.nat(2),
        fc.constantFrom('', '"', ',', ':', '{', ']', '\\', '0', '-', 'e', ' ', '\n'),
      )
      .map(([text, at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut));
    fc.assert(
      fc.property(edited, (text) => {
        const { documents, violations } = parseText(text, 'x.json');
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          expect(documents).toEqual([]);
          expect(violations.at(-1)).toMatchObject({ code: 'syntax' });
          return;
        }
        if (violations.length === 0 && value !== null)
          expect(documents.map((d) => d.value)).toEqual(Array.isArray(value) ? value : [value]);
      }),
      { ...runs, numRuns: 2_000 },
    );
  });
});
