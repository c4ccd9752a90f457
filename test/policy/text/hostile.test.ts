import { describe, expect, test } from 'vitest';
import { Lexer } from 'yaml';
import { limits } from '../../../src/pdp/model/limits.ts';
import type { ViolationCode } from '../../../src/pdp/model/violation.ts';
import { Findings, Stop } from '../../../src/policy/text/finding.ts';
import { parseText } from '../../../src/policy/text/parse.ts';
import { yamlTree } from '../../../src/policy/text/yaml.ts';

/** Nothing comes out, and the first violation is the one. */
function refused(text: string, code: ViolationCode, words: RegExp, file?: string): void {
  const { documents, cases, violations } = parseText(text, file);
  expect(documents).toEqual([]);
  expect(cases).toEqual([]);
  expect(violations[0]).toMatchObject({ code, message: expect.stringMatching(words) });
  expect(violations[0]?.place?.line).toBeGreaterThan(0);
}
function read(text: string, file?: string): void {
  const { documents, violations } = parseText(text, file);
  expect(violations).toEqual([]);
  expect(documents).toHaveLength(1);
}

describe('keys', () => {
  test.each(['__proto__', 'constructor', 'prototype'])('[DOC6] %s is no key, at any depth', (key) => {
    for (const text of [`{"a":{"${key}":{"x":1}}}`, `a: {${key}: {x: 1}}`, `a:\n  ${key}:\n    x: 1\n`])
      refused(text, 'forbidden-key', /is not accepted anywhere/);
    refused(`{"a":{"${key}":{"x":1}}}`, 'forbidden-key', /is not accepted/, 'x.json');
    refused(`{"\\u005f_proto__": 1}`, 'forbidden-key', /__proto__/);
    refused(`"\\x5f_proto__": 1`, 'forbidden-key', /__proto__/);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test('[DOC6] a repeated key is found, however it is written', () => {
    refused('{"a":1,"\\u0061":2}', 'duplicate-key', /second time/);
    refused('{"a":1,"\\u0061":2}', 'duplicate-key', /second time/, 'x.json');
    refused('a: 1\n"a": 2', 'duplicate-key', /second time/);
    refused('{a: 1, b: 2, a: 3}', 'duplicate-key', /second time/);
    refused('[{"x":{"a":1,"a":1}}]', 'duplicate-key', /second time/);
    read('{"a":{"b":":"},"b":{"a":"\\":\\\\"}}');
    // Names of what every object inherits are names like others.
    read('{"toString":1,"hasOwnProperty":2,"valueOf":{"toString":3}}');
    read('toString: 1\nhasOwnProperty: 2\n');
  });
});

describe('nesting', () => {
  const shapes: [string, (n: number) => string][] = [
    ['json arrays', (n) => `${'['.repeat(n)}1${']'.repeat(n)}`],
    ['json objects', (n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`],
    ['flow sequences', (n) => `${'['.repeat(n)}x${']'.repeat(n)}`],
    ['flow mappings', (n) => `${'{a: '.repeat(n)}x${'}'.repeat(n)}`],
    ['pairs in flow sequences', (n) => `${'['.repeat(n - 1)}a: x${']'.repeat(n - 1)}`],
    ['block mappings', (n) => Array.from({ length: n }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['block sequences', (n) => '- '.repeat(n)],
    ['explicit keys', (n) => `${'? '.repeat(n - 1)}a: b`],
  ];
  test.each(shapes)('[DOC6] %s: at the limit, one above, and far beyond', (name, shape) => {
    if (name !== 'explicit keys') {
      const { violations, documents } = parseText(shape(limits.nesting));
      expect(violations).toEqual([]);
      expect(documents.length).toBeGreaterThan(0);
    }
    for (const depth of [limits.nesting + 1, 10_000, 200_000 / (name === 'block mappings' ? 100 : 1)])
      refused(shape(depth), 'limit', /nesting deeper than 64 levels/);
    if (name.startsWith('json')) {
      expect(parseText(shape(limits.nesting), 'x.json').violations).toEqual([]);
      refused(shape(limits.nesting + 1), 'limit', /nesting deeper/, 'x.json');
      refused(shape(100_000), 'limit', /nesting deeper/, 'x.json');
    }
  });

  test.each([
    ['flow sequences', (n: number) => `type: X\nspec: ${'['.repeat(n)}${']'.repeat(n)}`, '2:70', 64],
    ['flow mappings', (n: number) => `${'{a: '.repeat(n)}x${'}'.repeat(n)}`, '1:257', 65],
    ['block sequences', (n: number) => '- '.repeat(n), '1:129', 65],
    ['json', (n: number) => `${'['.repeat(n)}${']'.repeat(n)}`, '1:65', 65],
  ])('[DOC2] %s too deep are pointed at where they first are', (name, shape, want, least) => {
    for (const depth of [least, least + 1, least + 2, 1_000]) {
      const [{ place } = {}] = parseText(shape(depth), name === 'json' ? 'x.json' : 'x').violations;
      expect(`${place?.line}:${place?.column}`).toBe(want);
    }
  });

  test('[DOC6] endless tags and anchors before a value', () => {
    refused('!a '.repeat(100_000), 'syntax', /at most one tag/);
    refused(`[${'&a '.repeat(100_000)}]`, 'syntax', /at most one anchor/);
  });
});

describe('aliases', () => {
  const uses = (n: number, what = 'x') => `a: &a ${what}\nb: [${Array(n).fill('*a').join(', ')}]\n`;

  test('[DOC6] an alias stands for its value, up to the limit and not beyond', () => {
    const { documents } = parseText('a: &a {x: [1]}\nb: *a\nc: {d: *a}\ne: &a 2\nf: *a\n');
    expect(documents[0]?.value).toEqual({ a: { x: [1] }, b: { x: [1] }, c: { d: { x: [1] } }, e: 2, f: 2 });
    read(uses(limits.aliases));
    refused(uses(limits.aliases + 1), 'limit', /more than 1000 aliases/);
  });

  test('[DOC6] aliases of aliases count for all that they expand to', () => {
    // Each level holds ten of the one before: 10, 110, 1110 expansions.
    const level = (name: string, of: string) => `${name}: &${name} [${Array(10).fill(`*${of}`).join(',')}]\n`;
    read(`x: &x 1\n${level('a', 'x')}${level('b', 'a')}`);
    refused(`x: &x 1\n${level('a', 'x')}${level('b', 'a')}${level('c', 'b')}`, 'limit', /aliases/);
    let bomb = 'l0: &l0 lol\n';
    for (let i = 1; i < 40; i++) bomb += level(`l${i}`, `l${i - 1}`);
    refused(bomb, 'limit', /aliases/);
  });

  test('[DOC6] so do the values in them', () => {
    const list = (n: number) =>
      `[${Array(n - 1)
        .fill(1)
        .join(',')}]`;
    const size = limits.aliasedValues / 100;
    read(uses(100, list(size)));
    refused(uses(101, list(size)), 'limit', /expand to more than 100000 values/);
  });

  test('[DOC6] and their depth', () => {
    const deep = (n: number) => `${'['.repeat(n)}${']'.repeat(n)}`;
    const at = (n: number, target: number) => `- &a ${deep(target)}\n- ${'['.repeat(n)}*a${']'.repeat(n)}\n`;
    const { violations } = parseText(at(limits.nesting - 11, 10));
    expect(violations).toEqual([]);
    refused(at(limits.nesting - 10, 10), 'limit', /by an alias/);
  });

  test('[DOC6] none refers to itself, to nothing, or across documents', () => {
    refused('&a [*a]', 'reference', /refers to itself/);
    refused('a: &a {b: {c: *a}}', 'reference', /refers to itself/);
    refused('a: *b\nb: &b 1', 'reference', /no anchor "b"/);
    const { documents, violations } = parseText('a: &a 1\n---\nb: *a\n');
    expect(documents.map((d) => d.value)).toEqual([{ a: 1 }]);
    expect(violations).toHaveLength(1);
  });
});

describe('strings and characters', () => {
  const { stringBytes } = limits;
  test('[DOC6] strings and keys at the limit and one above', () => {
    for (const file of [undefined, 'x.json']) {
      read(`{"a":"${'x'.repeat(stringBytes)}"}`, file);
      refused(`{"a":"${'x'.repeat(stringBytes + 1)}"}`, 'limit', /string of 65537 bytes/, file);
      read(`{"a":"${'é'.repeat(stringBytes / 2)}"}`, file);
      refused(`{"a":"${'é'.repeat(stringBytes / 2)}x"}`, 'limit', /string of 65537 bytes/, file);
      refused(`{"${'x'.repeat(stringBytes + 1)}":1}`, 'limit', /string of 65537 bytes/, file);
      refused(`{"a":"${'x'.repeat(1_048_576)}"}`, 'limit', /string of/, file);
    }
    read(`a: ${'x'.repeat(stringBytes)}`);
    refused(`a: ${'x'.repeat(stringBytes + 1)}`, 'limit', /string of 65537 bytes/);
    read(`a: |-\n  ${'😀'.repeat(stringBytes / 4)}`);
    refused(`a: |-\n  ${'😀'.repeat(stringBytes / 4)}x`, 'limit', /string of 65537 bytes/);
    refused(`a: "${'\\u0061'.repeat(stringBytes + 1)}"`, 'limit', /string of 65537 bytes/);
    for (const open of ['', '"', "'", '|\n  ', '# '])
      refused(`a: ${open}${'x'.repeat(2_000_000)}`, 'limit', /string of more than/);
  });

  test.each([
    ['\0', /NUL/],
    ['\u0007', /control character U\+0007/],
    ['\u001b', /control character U\+001B/],
    ['\u007f', /control character U\+007F/],
    ['\u0085', /control character U\+0085/],
    ['\ufeff', /byte order mark/],
    ['\ud800', /half a surrogate pair \(U\+D800\)/],
    ['\udc00', /half a surrogate pair \(U\+DC00\)/],
  ])('[DOC6] [DOC13] %j, as it is and escaped', (character, words) => {
    const escaped = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    for (const text of [`a: x${character}`, `{"a":"${character}"}`, `# ${character}\na: 1`])
      refused(text, 'syntax', words);
    refused(`{"a":"${character}"}`, 'syntax', words, 'x.json');
    for (const text of [`a: "${escaped}"`, `"${escaped}": 1`, `{"a":["${escaped}"]}`, `{"${escaped}":1}`])
      refused(text, 'value', words);
    refused(`{"a":"${escaped}"}`, 'value', words, 'x.json');
  });

  test('[DOC6] what is no such character is left alone', () => {
    read('a: "\\ud83d\\ude00 😀 é \\t\\n"\nb: "\u00a0\u2028"\n');
    read('{"a":"\\ud83d\\ude00 😀 é \\t\\n\\r"}', 'x.json');
  });
});

describe('numbers', () => {
  test('[DOC13] one that would read back as another is refused', () => {
    for (const number of ['9007199254740992', '-9007199254740993', '1e400', '123456789012345678901234567890'])
      for (const file of [undefined, 'x.json'])
        refused(`{"a":[${number}]}`, 'value', /cannot be held exactly/, file);
    for (const number of ['.inf', '-.INF', '.nan', '0xFFFFFFFFFFFFFFFF'])
      refused(`a: ${number}`, 'value', /cannot be held exactly/);
    read('{"a":[9007199254740991,-9007199254740991,0.1,1e3,-0]}');
  });
});

describe('size', () => {
  test('[DOC6] a text at the limit and one above', () => {
    read(`{}${' '.repeat(limits.fileBytes - 2)}`, 'x.json');
    refused(`{}${' '.repeat(limits.fileBytes - 1)}`, 'limit', /text of more than 67108864 bytes/, 'x.json');
    refused(`# ${'é'.repeat(limits.fileBytes / 2)}`, 'limit', /text of more than 67108864 bytes/);
  });

  test('[DOC6] documents at the limit and one above', () => {
    const most = limits.documentsPerFile;
    const array = (n: number) => parseText(`[${Array(n).fill('{}').join(',')}]`);
    expect(array(most)).toMatchObject({ documents: { length: most }, violations: [] });
    expect(array(most + 1)).toMatchObject({ documents: { length: most }, violations: [{ code: 'limit' }] });
    const empty = (n: number) => parseText('---\n'.repeat(n));
    expect(empty(most + 1)).toMatchObject({ documents: [], violations: [{ code: 'limit' }] });
  });

  test('[DOC6] values of a json text at the limit and one above', () => {
    // As fields of one document: the array, its items, and the fields' values.
    const text = (n: number) => `{"a":[${'1,'.repeat(n - 3)}1]}`;
    read(text(limits.jsonValues), 'x.json');
    refused(text(limits.jsonValues + 1), 'limit', /more than 10000000 values/, 'x.json');
  });

  test('[DOC6] yaml tokens at the limit and one above', () => {
    const text = 'a:\n  - b: [1, "x"]\n  # c\n  - |\n    d\n';
    const tokens = [...new Lexer().lex(text)].length;
    const findings = new Findings(10);
    expect(yamlTree(text, 0, findings, [], tokens)).toBeDefined();
    expect(findings.list).toEqual([]);
    expect(() => yamlTree(text, 0, findings, [], tokens - 1)).toThrow(Stop);
    expect(findings.list).toMatchObject([{ code: 'limit', message: expect.stringMatching(/yaml tokens/) }]);
  });

  test('[DOC2] problems at the limit and one above, of a document and of a file', () => {
    const most = limits.violationsPerDocument;
    const list = (n: number) => parseText(`a:\n${'- !x y\n'.repeat(n)}`).violations;
    expect(list(most)).toHaveLength(most);
    expect(list(most + 1)).toHaveLength(most + 1);
    expect(list(100_000).at(-1)?.message).toBe('further problems of this document are not listed');
    const file = (n: number) => parseText(`${'a: !x y\n---\n'.repeat(n)}b: 1\n`);
    expect(file(limits.violationsPerFile).violations).toHaveLength(limits.violationsPerFile);
    const more = file(limits.violationsPerFile + 500);
    expect(more.violations).toHaveLength(limits.violationsPerFile + 1);
    expect(more.violations.at(-1)?.message).toBe('further problems of this file are not listed');
    expect(more.documents.map((d) => d.value)).toEqual([{ b: 1 }]);
  });

  test('[DOC5] where the list of problems breaks off, what comes behind it is not taken for good', () => {
    const bad = Array(limits.violationsPerFile).fill('{"a":1,"a":2}').join(',');
    expect(parseText(`[${bad},{"ok":1}]`)).toMatchObject({ documents: [{ value: { ok: 1 } }] });
    const { documents, violations } = parseText(`[${bad},{"b":1,"b":2},{"ok":1}]`);
    expect(documents).toEqual([]);
    expect(violations.at(-1)?.message).toBe('further problems of this document are not listed');
  });

  test('[DOC2] a text of nothing but errors is told so in bounded memory', () => {
    for (const text of [']\n', '"', '- "\n', '&a ', '%a b\n', '} ', '? ', '{a: b: '])
      expect(parseText(text.repeat(20_000)).violations.length).toBeLessThanOrEqual(
        limits.violationsPerDocument + 1,
      );
    expect(parseText(`[${','.repeat(100_000)}]`).violations.length).toBeGreaterThan(0);
  });
});
