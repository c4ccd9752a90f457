import { describe, expect, test } from 'vitest';
import { limits } from '../../src/pdp/model/limits.ts';
import { formatViolation } from '../../src/pdp/model/violation.ts';
import { load } from '../../src/policy/load.ts';
import { parseText } from '../../src/policy/text/parse.ts';
import { digest, loadText, violationsIn } from './loading.ts';

/** Line, column and the beginning of what is said there, without file and hint. */
const all = (text: string): string[] => {
  const reading = parseText(text, 'p.yaml');
  const loaded = load(reading.documents, digest);
  const lines = [...reading.violations, ...loaded.violations].map(formatViolation);
  return lines.map((line) => line.replace(/^p\.yaml:/, '').replace(/, want .*| \((?!root).*/, ''));
};

const strict = '{type: Mesh, name: m, strictPrefixes: true}\n---\n';
const loose = '{path: {type: Prefix, value: /a}}';
const permission = (lists: string, name = 'x') =>
  `{type: MeshTrafficPermission, mesh: m, name: ${name}, default: ${lists}}\n`;
const inside = 'got a Prefix that ends inside a segment, "/a"';

describe('[DOC2] what is wrong with a refused document in the set', () => {
  test('[MTP10] its prefixes, where its mesh is strict', () => {
    expect(all(`${strict}${permission(`{alow: [], allow: [${loose}]}`)}`)).toEqual([
      '3:59: default.alow: got the unknown field "alow"',
      `3:106: default.allow[0].path.value: ${inside}`,
    ]);
    expect(
      all(
        `${strict}{apiVersion: kuma.io/v1alpha1, kind: MeshTrafficPermission, mesh: m, metadata: {}, spec: {default: {allow: [${loose}, x]}}}`,
      ),
    ).toEqual([
      '3:80: metadata.name: got nothing',
      `3:138: spec.default.allow[0].path.value: ${inside}`,
      '3:144: spec.default.allow[1]: got "x"',
    ]);
    expect(all(`${strict}${permission(`{allow: [{path: {type: Prefix, value: /a, x: 1}}]}`)}`)).toHaveLength(
      2,
    );
  });

  test('what aliases share is wrong once', () => {
    expect(all(permission('{deny: [&m {metod: GET}], allow: [*m, *m]}'))).toEqual([
      '1:70: default.deny[0].metod: got the unknown field "metod"',
    ]);
    expect(all(permission('{deny: [&m {path: {}}], allow: [*m]}'))).toEqual([
      expect.stringContaining('path.type: got nothing'),
      expect.stringContaining('path.value: got nothing'),
    ]);
  });

  test('[MTP10] not what was said already', () => {
    const text = `${strict}${permission('{allow: [{path: {type: Prefix, value: a}}]}')}`;
    expect(all(text)).toEqual(['3:96: default.allow[0].path.value: got "a"']);
  });

  test('[MTP10] a mesh that is refused is strict all the same', () => {
    const mesh = '{type: Mesh, name: m, strictPrefixes: true, certificats: x}\n---\n';
    const loaded = loadText(`${mesh}${permission(`{allow: [${loose}]}`)}`);
    expect(violationsIn(loaded)).toHaveLength(2);
    expect(violationsIn(loaded)[1]).toContain(inside);
    expect(loaded.rules).toEqual([]);
  });

  test('nobody knows the mesh of one that says it wrongly', () => {
    const mesh = '{type: Mesh, name: default, strictPrefixes: true}\n---\n';
    const of = (written: string) =>
      all(`${mesh}{type: MeshTrafficPermission, ${written} name: x, default: {allow: [${loose}]}}`);
    expect(of('')).toEqual([expect.stringContaining(inside)]);
    expect(of('mesh: 5,')).toEqual(['3:37: mesh: got the number 5']);
  });

  test('its size, and SPIFFE IDs in its selectors', () => {
    const policy = (selector: string) =>
      `{type: AccessPolicy, name: a, spec: {action: alow, from: [{workloadSelector: ${selector}}], to: [{workloadSelector: {}}]}}`;
    expect(all(policy('{matchLabels: {"spiffe:id": td}}'))).toEqual([
      '1:46: spec.action: got "alow"',
      '1:106: spec.from[0].workloadSelector.matchLabels["spiffe:id"]: got "td"',
    ]);
    expect(all(policy('{matchLabels: {"spiffe:id": 5}}'))).toHaveLength(2);
    expect(all(policy('{matchExpressions: [x, {key: "spiffe:id", operator: In, values: td}]}'))).toHaveLength(
      3,
    );
    const side = `[${Array(Math.ceil(Math.sqrt(limits.rulesPerPolicy))).fill('{workloadSelector: {}}')}]`;
    expect(all(`{type: AccessPolicy, name: a, spec: {action: alow, from: ${side}, to: ${side}}}`)).toEqual([
      expect.stringMatching(/^1:37: spec: got a policy of \d+ rules$/),
      '1:46: spec.action: got "alow"',
    ]);
  });

  test('[DOC4] its name, if another has it; what is right keeps it', () => {
    const [right, wrong] = [permission('{allow: [{method: GET}]}'), permission('{alow: []}')];
    const second = '(root): got a second MeshTrafficPermission "x" in the mesh "m", another is at p.yaml';
    const typo = 'default.alow: got the unknown field "alow"';
    expect(all(`${right}---\n${wrong}`)).toEqual([`3:1: ${second}:1:1`, `3:59: ${typo}`]);
    expect(all(`${wrong}---\n${right}`)).toEqual([`1:1: ${second}:3:1`, `1:59: ${typo}`]);
    expect(loadText(`${wrong}---\n${right}`).rules).toHaveLength(1);
    expect(all(`${wrong}---\n${wrong}`)).toEqual([`1:59: ${typo}`, `3:1: ${second}:1:1`, `3:59: ${typo}`]);
    expect(all(`${permission('{}', '5')}---\n${permission('{}', '5')}`)).toHaveLength(2);
    const poses = wrong.replace('name:', 'namespace: a, labels: {k8s.kuma.io/namespace: b}, name:');
    expect(all(poses)).toEqual([expect.stringContaining('got "b"'), expect.stringContaining(typo)]);
    expect(all(`${poses}---\n${poses}`)).toHaveLength(4);
  });
});

describe('[DOC2] what else is wrong with a document of which not all can be read', () => {
  const matcher = (text: string) => permission(`{alow: [], allow: [${text}]}`);
  const typo = '1:59: default.alow: got the unknown field "alow"';

  test.each([
    [
      'a number',
      '{method: 202401011234567890123}',
      '1:86: default.allow[0].method: number 202401011234567890123 cannot be held exactly',
    ],
    ['a string', '{method: "\\0"}', '1:86: default.allow[0].method: NUL in a string'],
    ['a tag', '{path: !x {typ: Exact}}', '1:84: default.allow[0].path: tag "!x" is not accepted'],
    ['a key', '{1: GET}', '1:78: default.allow[0]: key 1 is no string'],
    ['a key with NUL', '{"metho\\0d": GET}', '1:78: default.allow[0]: NUL in a string'],
    [
      'a merge key',
      '{<<: {method: GET}}',
      '1:78: default.allow[0]: merge key "<<", which yaml 1.2 does not have',
    ],
    [
      'a key with a tag',
      '{path: {!x typ: Exact, value: /a}}',
      '1:85: default.allow[0].path: tag "!x" is not accepted',
      '1:88: default.allow[0].path.typ: got the unknown field "typ"',
    ],
  ])('%s, and what follows from it is not said again', (_title, text, found, ...more) => {
    expect(all(matcher(text))).toEqual([found, typo, ...more]);
  });

  test('in JSON too', () => {
    const json =
      '{"type":"MeshTrafficPermission","name":"x","default":{"alow":[],"allow":[{"metho\\u0000d":"GET"},{"method":1e999}]}}';
    expect(all(json)).toEqual([
      '1:75: default.allow[0]: NUL in a string',
      '1:107: default.allow[1].method: number 1e999 cannot be held exactly',
      '1:55: default.alow: got the unknown field "alow"',
    ]);
  });

  test('[DOC4] [MTP10] in the set', () => {
    const labelled = `{type: Mesh, name: m, strictPrefixes: true, mtls: !x {}}\n---\n`;
    const flawed = permission(`{allow: [${loose}, {method: !x GET}]}`);
    expect(all(`${labelled}${permission(`{allow: [${loose}]}`)}---\n${flawed}`)).toEqual([
      '1:51: mtls: tag "!x" is not accepted',
      '5:111: default.allow[1].method: tag "!x" is not accepted',
      `3:96: default.allow[0].path.value: ${inside}`,
      '5:1: (root): got a second MeshTrafficPermission "x" in the mesh "m", another is at p.yaml:3:1',
      `5:96: default.allow[0].path.value: ${inside}`,
    ]);
  });

  test('what it is called may not be what was read', () => {
    const named = (name: string) => `{type: Mesh, name: a}\n---\n{type: Mesh, name: ${name}, x: 1}\n`;
    const unknown = '3:23: x: got the unknown field "x"';
    expect(all(named('a'))).toHaveLength(2);
    expect(all(named('!x a'))).toEqual(['3:20: name: tag "!x" is not accepted', unknown.replace('23', '26')]);
    expect(all(named('b, name: a'))).toEqual([
      '3:23: name: key "name" stands here a second time',
      unknown.replace('23', '32'),
    ]);
  });

  test('an anchor behind such a key is an anchor', () => {
    expect(all('type: Mesh\nname: m\n1: &a {}\nlabels: *a\n')).toEqual(['3:1: (root): key 1 is no string']);
  });

  test.each([
    ['cases', 'cases: [{x: !x 1}]'],
    ['a JSON Schema', '{"$schema": "https://json-schema.org/x", "type": "object", x: !x 1}'],
    ['an alias of nothing', '{type: Mesh, name: a, spec: *b}'],
    ['a forbidden key', '{type: Mesh, name: a, __proto__: {}, x: 1}'],
    ['yaml of another version', '%YAML 1.1\n---\n{type: Mesh, name: a, x: 1}'],
    ['a tag of all of it', '!x {type: Mesh, name: a, x: 1}'],
  ])('nothing of %s', (_title, text) => {
    expect(all(text)).toHaveLength(1);
  });
});
