import { expect, test } from 'vitest';
import { type Labelled, originsOf } from '../../../src/pdp/index/origins.ts';
import { StringTableBuilder } from '../../../src/pdp/index/strings.ts';
import { keep } from '../../../src/pdp/kept/keep.ts';
import { KeptRules } from '../../../src/pdp/kept/rules.ts';
import type { Condition, Rule } from '../../../src/pdp/model/rule.ts';
import { load } from '../../../src/policy/load.ts';
import { generate } from '../../oracle/generate.ts';

function kept(rules: readonly Rule[]): Rule[] {
  const strings = new StringTableBuilder();
  const all = keep(rules, strings);
  const origins = originsOf(rules, strings);
  const labelled: Labelled = { origins, strings: strings.build() };
  return Array.from(new KeptRules(all, labelled), plain);
}

/** Kept rules tell what they are when they are asked. */
function plain({ id, tier, shadow, when, list, origin }: Rule): Rule {
  const { policy, kri, kind, effect, index, document, path } = origin;
  return {
    id,
    tier,
    shadow,
    when: when.map(plainly),
    ...(list === undefined ? {} : { list }),
    origin: { policy, kri, kind, effect, index, document, path },
  };
}

function plainly({ side, key, op, values, floor }: Condition): Condition {
  return { side, key, op, values, ...(floor === undefined ? {} : { floor }) };
}

test('rules come back as they were', () => {
  const seen = { rules: 0, shadowOnly: 0, lists: 0, floors: 0, several: 0 };
  for (let seed = 1; seed <= 150; seed++) {
    const documents = generate(seed, 0).documents.map((value) => ({ value, place: () => undefined }));
    const { rules } = load(documents, () => '');
    expect(kept(rules), `seed ${seed}`).toEqual(rules);
    for (const { tier, list, when } of rules) {
      seen.rules++;
      if (tier === null) seen.shadowOnly++;
      if (list !== undefined) seen.lists++;
      if (when.some(({ floor }) => floor !== undefined)) seen.floors++;
      if (when.some(({ values }) => values.length > 1)) seen.several++;
    }
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
});

const origin: Rule['origin'] = {
  policy: 'web',
  kri: 'AccessPolicy/shop/web',
  kind: 'AccessPolicy',
  effect: 'allow',
  index: 0,
  document: 0,
  path: ['spec', 'from', 0],
};

test.each([
  [{ ...origin }, 'AccessPolicy/shop/web#0'],
  [{ ...origin, policy: '$&' }, 'AccessPolicy/shop/web'],
  [{ ...origin, policy: '$&', kri: 'a/$&/b' }, ''],
  [{ ...origin, policy: '' }, 'another'],
  [{ ...origin, policy: '', kri: '' }, '7'],
  [{ ...origin, kri: 'web/web/web' }, 'web/web/web#rules/10/deny/100'],
  [{ ...origin, kri: '\u0000web' }, '\u0000web#007'],
  [{ ...origin, kri: 'web\u0000' }, '#1234567890123'],
  [{ ...origin, kri: '\u0000\u0000' }, '#10000000000'],
  [{ ...origin, path: [] }, '#0'],
  [{ ...origin, path: ['0', 0, '', 'Größe'] }, '#00'],
])('whatever policies are called: %j, %j', (origin, id) => {
  const rule: Rule = { id, tier: 3, shadow: 2, when: [], origin };
  expect(kept([rule, rule])).toEqual([rule, rule]);
});

test('what rules have in common is kept once', () => {
  const size = (count: number): number => {
    const strings = new StringTableBuilder();
    const when: Condition[] = [
      { side: 'source', key: 'k8s:ns', op: 'in', values: [{ match: 'exact', value: 'a' }] },
    ];
    const rules = Array.from({ length: count }, (_, index): Rule => {
      const [policy, kri] = [`p${index}`, `AccessPolicy/shop/p${index}`];
      return { id: `${kri}#0`, tier: 3, shadow: 3, when, origin: { ...origin, policy, kri } };
    });
    const { count: _, ...all } = keep(rules, strings);
    const numbers = [...Object.values(all), ...Object.values(originsOf(rules, strings))];
    const { bytes, offsets } = strings.build();
    return [...numbers, bytes, offsets].reduce((sum, { byteLength }) => sum + byteLength, 0);
  };
  expect((size(2_000) - size(1_000)) / 1_000).toBeLessThan(50);
});
