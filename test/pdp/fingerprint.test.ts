import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { fingerprint, interned, tailFor } from '../../src/pdp/index/fingerprint.ts';
import { StringTableBuilder, stringAt } from '../../src/pdp/index/strings.ts';
import { scanned } from '../../src/pdp/index/tree-cells.ts';

/** Values are first compared by fingerprints, which a caller can make equal at will: only text may decide. */

type Shape = Record<string, unknown>;

const app = 'k8s:label:app';

function access(name: string, action: string, from: Shape, namespace = 'shop'): Shape {
  const spec = { action, from: [{ workloadSelector: from }], to: [{ workloadSelector: {} }] };
  return { type: 'AccessPolicy', name, namespace, spec };
}

const is = (value: string): Shape => ({ matchLabels: { [app]: value } });
const among = (operator: string, values: string[]): Shape => ({
  matchExpressions: [{ key: app, operator, values }],
});
const anybody = access('anybody', 'allow', {});

function ask(documents: Shape[], value: string, namespace = 'shop') {
  const placet = open(documents);
  const request = { source: { attributes: { [app]: value } }, destination: { namespace, attributes: {} } };
  const decision = placet.decide(request);
  expect(placet.explain(request).decision).toEqual(decision);
  return decision.by?.policy ?? null;
}

/** As long as another value, and ending as it does: so much of it as its fingerprint is made of. */
const values = ['web-1', 'web-2', 'web-3', 'web-4', 'web-5', 'web-6', 'web-7', 'web-8', 'web-9', 'web-0'];
const forged = 'xxb-1';
/** More than are looked through one by one, and told apart by as little. */
const others = Array.from({ length: 2 * scanned }, (_, i) => `app${String(i).padStart(3, '0')}`);

describe('[OP1] a value with the fingerprint of another is another', () => {
  test('they do have one fingerprint', () => {
    for (const all of [values, [...values, ...others]]) {
      const tail = tailFor(all);
      expect(fingerprint(forged, tail)).toBe(fingerprint('web-1', tail));
    }
  });

  test.each([
    ['one value', [access('friends', 'allow', is('web-1'))]],
    ['a list in a leaf', [access('friends', 'allow', among('In', values.slice(0, 3)))]],
    ['a list that is looked through', [access('friends', 'allow', among('In', values))]],
    ['few edges of a tree', values.slice(0, 5).map((value) => access(value, 'allow', is(value)))],
    ['many edges of a tree', [...values, ...others].map((value) => access(value, 'allow', is(value)))],
  ])('%s does not allow it', (_, documents) => {
    expect(ask(documents, forged)).toBe(null);
    expect(ask(documents, 'web-1')).not.toBe(null);
  });

  test.each([
    ['one value', values.slice(0, 1)],
    ['a list', values.slice(0, 3)],
  ])('a deny of all but %s denies it', (_, friends) => {
    const documents = [anybody, access('others', 'deny', among('NotIn', friends))];
    expect(ask(documents, forged)).toMatch(/others/);
    expect(ask(documents, 'web-1')).toMatch(/anybody/);
  });

  test('a namespace is not governed by the policies of the other', () => {
    expect(ask([anybody], 'web-1', 'shop')).toMatch(/anybody/);
    expect(ask([anybody], 'web-1', 'chop')).toBe(null);
  });
});

test('[OP1] values of policies whose fingerprints cannot be told apart are looked up', () => {
  // Differing only in front of every short tail, so that one hash is all that there is to tell them apart.
  const seen = new Map<number, string>();
  const rest = '-'.repeat(1_100);
  let pair: string[] = [];
  for (let i = 0; pair.length === 0; i++) {
    const text = `${String(i).padStart(7, '0')}${rest}`;
    const print = fingerprint(text, 65_536);
    const other = seen.get(print);
    if (other !== undefined) pair = [other, text];
    seen.set(print, text);
  }
  expect(tailFor(pair)).toBe(interned);
  const [one, other] = pair as [string, string];
  const documents = [access('one', 'allow', is(one)), access('other', 'deny', is(other))];
  expect(ask(documents, one)).toMatch(/one/);
  expect(ask(documents, other)).toMatch(/other/);
  expect(ask(documents, forged)).toBe(null);
});

test('a string comes back out of the table as it went in', () => {
  const builder = new StringTableBuilder();
  const texts = ['', 'a', 'ü\u0000\ud83d\ude00', '\ufeffa', '語'.repeat(3), 'x'.repeat(70_000), 'b'];
  const ids = texts.map((text) => builder.id(text));
  const table = builder.build();
  expect(ids.map((id) => stringAt(table, id))).toEqual(texts);
});
