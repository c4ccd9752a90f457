import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { usualSizes } from '../../src/pdp/index/sizes.ts';
import { columnsInTable, rulesInTable } from '../../src/pdp/index/table-cells.ts';
import { openBoth } from '../oracle/compare.ts';
import { Random } from '../oracle/random.ts';

/** Sets that fill a table of the index, and more than one. The comparison with the twin has smaller ones. */

type Shape = Record<string, unknown>;

const label = (name: string | number) => `k8s:label:${name}`;

function access(name: string, matchExpressions: Shape[], action = 'allow'): Shape {
  const spec = { action, from: [{ workloadSelector: { matchExpressions } }], to: [{ workloadSelector: {} }] };
  return { type: 'AccessPolicy', name, namespace: 'shop', spec };
}

const among = (key: string, values: string[], operator = 'In'): Shape => ({ key, operator, values });

function ask(documents: Shape[]): (attributes: Record<string, string>) => string | undefined {
  const placet = open(documents);
  return (attributes) => {
    const request = { source: { attributes }, destination: { namespace: 'shop', attributes: {} } };
    const decision = placet.decide(request);
    expect(placet.explain(request).decision).toEqual(decision);
    return decision.by?.policy.split('/').at(-1);
  };
}

describe('[OP1] a table', () => {
  test('of more values than there are slots for, one each', () => {
    const app = label('app');
    const valuesOf = (rule: number) =>
      Array.from({ length: usualSizes.values }, (_, i) => `app-${rule * usualSizes.values + i}`);
    const rules = [...Array(rulesInTable).keys()];
    const by = ask(rules.map((rule) => access(`rule-${100 + rule}`, [among(app, valuesOf(rule))])));
    for (const rule of rules)
      for (const value of valuesOf(rule)) expect(by({ [app]: value })).toBe(`rule-${100 + rule}`);
    for (let i = 0; i < 2_000; i++) expect(by({ [app]: `other-${i}` })).toBeUndefined();
  });

  test('with rules that ask for more than it has columns', () => {
    const count = columnsInTable + 8;
    const all = Object.fromEntries([...Array(count).keys()].map((i) => [label(i), 'yes']));
    const by = ask([
      access(
        'all',
        Object.keys(all).map((key) => among(key, ['yes'])),
      ),
    ]);
    expect(by(all)).toBe('all');
    for (const key of Object.keys(all)) {
      expect([key, by({ ...all, [key]: 'no' })]).toEqual([key, undefined]);
      const { [key]: _, ...others } = all;
      expect([key, by(others)]).toEqual([key, undefined]);
    }
  });

  test('with two conditions of one rule on the same', () => {
    const app = label('app');
    const by = ask([
      access('two', [among(app, ['a', 'b', 'c']), among(app, ['b', 'c', 'd']), among(app, ['c'], 'NotIn')]),
    ]);
    expect(['a', 'b', 'c', 'd'].map((value) => by({ [app]: value }))).toEqual([
      undefined,
      'two',
      undefined,
      undefined,
    ]);
  });

  test.each([2 * rulesInTable, 2 * rulesInTable - 1, rulesInTable + 1, 5 * rulesInTable])(
    'and the ones behind it, of %i rules of which each decides where those before do not',
    (count) => {
      const rules = [...Array(count).keys()];
      const by = ask(
        rules.map((rule) => access(`rule-${1000 + rule}`, [among(label(`l${rule % 3}`), [`v${rule}`])])),
      );
      for (const rule of rules)
        expect(by({ [label(`l${rule % 3}`)]: `v${rule}` })).toBe(`rule-${1000 + rule}`);
      expect(by({ [label('l0')]: 'v0', [label('l1')]: `v${count - 1 - ((count - 2) % 3)}` })).toBe(
        'rule-1000',
      );
      expect(by({ [label('l0')]: 'v1', [label('l1')]: 'v2', [label('l2')]: 'v0' })).toBeUndefined();
    },
  );

  test('in which a value has the fingerprint of one that a stronger rule asks for, and that of a weaker is its own', () => {
    const app = label('app');
    const by = ask([
      access('stronger', [among(app, ['web-1'])], 'deny'),
      access('weaker', [among(label('role'), ['client']), among(app, ['web-2'], 'NotIn')]),
    ]);
    expect(by({ [app]: 'web-1', [label('role')]: 'client' })).toBe('stronger');
    expect(by({ [app]: 'xxb-1', [label('role')]: 'client' })).toBe('weaker');
    expect(by({ [app]: 'xxb-2', [label('role')]: 'client' })).toBe('weaker');
    expect(by({ [app]: 'web-2', [label('role')]: 'client' })).toBeUndefined();
  });

  test('with keys that many of its rules ask about, whatever is known of them', () => {
    const random = new Random(41);
    const all = [...Array(6).keys()].map(label);
    const asked = ['web-1', 'web-2', 'api-1'];
    // The last units of these are those of others, and so are their fingerprints.
    const values = [...asked, 'xxb-1', 'xxi-1'];
    const shown = (): unknown => {
      if (random.chance(0.1)) return { unknown: 'not-known' };
      if (random.chance(0.1)) return { value: random.pick(asked), trust: 'reported' };
      return random.chance(0.8) ? random.pick(asked) : random.pick(values);
    };
    const reasons = new Map<string, number>();
    for (let set = 0; set < 40; set++) {
      const rule = (_: unknown, i: number): Shape => {
        const conditions = random.some(all, 1, 4).map((key) => {
          if (random.chance(0.9)) return among(key, random.some(asked, 1, 2));
          const operator = random.pick(['NotIn', 'Exists', 'DoesNotExist']);
          return { key, operator, ...(operator === 'NotIn' ? { values: [random.pick(asked)] } : {}) };
        });
        const { spec, ...policy } = access(`rule-${i}`, conditions, random.pick(['allow', 'allow', 'deny']));
        return {
          ...policy,
          spec: { ...(spec as Shape), ...(random.chance(0.3) ? { trust: 'observed' } : {}) },
        };
      };
      const sides = openBoth(Array.from({ length: random.between(6, 40) }, rule), undefined);
      for (let i = 0; i < 100; i++) {
        const attributes = Object.fromEntries(random.some(all, 2, 6).map((key) => [key, shown()]));
        const source = { attributes, complete: random.chance(0.5) };
        const request = { source, destination: { namespace: 'shop', attributes: {} } };
        expect(sides.difference(request)).toBeUndefined();
        const decision = sides.twin.decide(request);
        const name = `${decision.decision} ${decision.reason}`;
        reasons.set(name, (reasons.get(name) ?? 0) + 1);
      }
    }
    expect(
      Math.min(
        ...['allow rule', 'deny rule', 'deny default', 'deny unknown-attribute'].map(
          (name) => reasons.get(name) ?? 0,
        ),
      ),
    ).toBeGreaterThan(300);
  });
});
