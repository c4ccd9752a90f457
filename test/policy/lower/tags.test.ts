import { expect, test } from 'vitest';
import { loadValues, violationsIn } from '../loading.ts';
import { conditionsText, tierText } from '../rule-text.ts';

const item = (action: string, targetRef?: object) => ({
  ...(targetRef === undefined ? {} : { targetRef }),
  default: { action },
});
const permission = (name: string, from: readonly object[], more: object = {}) => ({
  type: 'MeshTrafficPermission',
  name,
  spec: { from },
  ...more,
});

test('[TAG1] an item selects clients of a mesh by tags and service', () => {
  const loaded = loadValues(
    permission('p', [
      item('Allow'),
      item('Allow', {}),
      item('Allow', { kind: 'Mesh', mesh: 'other' }),
      item('Allow', { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'east', env: '!dev' } }),
      item('Allow', { kind: 'MeshService', name: 'web' }),
      item('Allow', { kind: 'MeshServiceSubset', name: 'web', tags: { version: 'v1' } }),
    ]),
  );
  expect(violationsIn(loaded)).toEqual([]);
  expect(loaded.rules.map((rule) => conditionsText(rule).slice(1))).toEqual([
    ['source kuma:mesh in default'],
    ['source kuma:mesh in default'],
    ['source kuma:mesh in other'],
    ['source kuma:mesh in default', 'source kuma:tag:env notIn dev', 'source kuma:tag:kuma.io/zone in east'],
    ['source kuma:mesh in default', 'source kuma:tag:kuma.io/service in web'],
    [
      'source kuma:mesh in default',
      'source kuma:tag:kuma.io/service in web',
      'source kuma:tag:version in v1',
    ],
  ]);
  expect(loaded.rules.map((rule) => rule.list)).toEqual(
    [0, 1, 2, 3, 4, 5].map((strength) => ({ id: 'mtp/default', strength })),
  );
});

test('[TAG2] actions in any spelling, and their tiers for everybody and for some', () => {
  const spellings = [
    ['Allow', 'ALLOW', 'allow'],
    ['Deny', 'DENY', 'deny'],
    ['AllowWithShadowDeny', 'ALLOW_WITH_SHADOW_DENY', 'allowWithShadowDeny', 'allow_with_shadow_deny'],
    ['DenyWithShadowAllow', 'deny-with-shadow-allow', 'denywithshadowallow', 'Deny_With_Shadow_Allow'],
  ];
  const everybody = ['3/3', '4/4', '3/4', '4/3'];
  const some = ['3/3', '2/2', '3/2', '2/3'];
  const tiers = (action: string, targetRef: object) =>
    tierText(loadValues(permission('p', [item(action, targetRef)])).rules[0]!).split(' ')[1];
  for (const [index, actions] of spellings.entries())
    for (const action of actions) {
      expect(tiers(action, { kind: 'Mesh' })).toBe(everybody[index]);
      expect(tiers(action, { kind: 'MeshSubset' })).toBe(everybody[index]);
      expect(tiers(action, { kind: 'MeshSubset', tags: {} })).toBe(everybody[index]);
      expect(tiers(action, { kind: 'MeshSubset', tags: { a: 'b' } })).toBe(some[index]);
      expect(tiers(action, { kind: 'MeshService', name: 'a' })).toBe(some[index]);
      expect(tiers(action, { kind: 'MeshServiceSubset', name: 'a' })).toBe(some[index]);
    }
});

test('[TAG2] the effect is written in one spelling, and the place is kept', () => {
  const loaded = loadValues(permission('p', [item('DENY'), item('DENY_WITH_SHADOW_ALLOW')]));
  expect(loaded.rules[1]!.origin).toMatchObject({
    effect: 'denyWithShadowAllow',
    index: 1,
    path: ['spec', 'from', 1],
  });
  expect(loaded.rules[1]!.id).toBe('kri_mtp_default___p_#from/1');
});

/** Names of the policies of a list, the weakest first. */
function strengths(...documents: readonly object[]): string[] {
  const { rules } = loadValues(...documents);
  return rules
    .toSorted((a, b) => a.list!.strength - b.list!.strength)
    .map((rule) => `${rule.origin.policy}/${rule.origin.index}`);
}

test('[TAG1] [TAG3] a later item and a policy later in policy order are stronger', () => {
  const target = { targetRef: { kind: 'Dataplane', labels: { app: 'web' } } };
  const own = permission('z', [item('Deny'), item('Allow')]);
  const documents = [
    permission('a', [item('Deny'), item('Allow')]),
    permission('b', [item('Deny')]),
    { ...own, spec: { ...own.spec, ...target } },
  ];
  const want = ['b/0', 'a/0', 'a/1', 'z/0', 'z/1'];
  expect(strengths(...documents)).toEqual(want);
  expect(strengths(...documents.toReversed())).toEqual(want);
  const larger = { type: 'Mesh', name: 'default', nameOrder: 'larger-wins' };
  expect(strengths(larger, ...documents)).toEqual(['a/0', 'a/1', 'b/0', 'z/0', 'z/1']);
});

test('[TAG3] a mesh that turns names round does so for itself only, and not for policy order', () => {
  const documents = [
    { type: 'Mesh', name: 'm', nameOrder: 'larger-wins' },
    permission('a', [item('Deny')], { mesh: 'm' }),
    permission('b', [item('Deny')], { mesh: 'm' }),
    permission('a', [item('Deny')]),
    permission('b', [item('Deny')]),
  ];
  const { rules } = loadValues(...documents);
  const of = (mesh: string) =>
    rules
      .filter((rule) => rule.list!.id === `mtp/${mesh}`)
      .map((rule) => [rule.origin.policy, rule.list!.strength]);
  expect(of('m')).toEqual([
    ['b', 1],
    ['a', 0],
  ]);
  expect(of('default')).toEqual([
    ['b', 0],
    ['a', 1],
  ]);
});

test('[SHD2] items of a shadow policy are never enforced', () => {
  const labels = { 'kuma.io/effect': 'shadow' };
  const [rule] = loadValues(permission('p', [item('Deny')], { labels })).rules;
  expect([rule!.tier, rule!.shadow]).toEqual([null, 4]);
});
