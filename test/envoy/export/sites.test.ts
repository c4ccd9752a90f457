import { describe, expect, test } from 'vitest';
import { sourceOf } from './peers.ts';
import { both, Chain } from './world.ts';

/** What an export says of clients by their site, which their IDs tell. */

const channel = { identity: 'attested', trust: 'asserted', ceiling: 'attested', complete: false } as const;
const site = (more: object = {}) => ({
  type: 'Site',
  name: 'eu-1',
  local: true,
  location: 'aws/eu',
  trustDomains: ['td', 'both'],
  ...more,
});
const far = { type: 'Site', name: 'us-1', trustDomains: ['far', 'both'] };
const service = { type: 'Service', namespace: 'shop', name: 'pay' };
const elsewhere = {
  type: 'Workload',
  namespace: 'a',
  name: 'b',
  spiffeId: 'spiffe://td/ns/a/sa/us',
  attributes: { 'site:name': 'us-1' },
};
const policy = (name: string, action: string, ...matchExpressions: object[]) => ({
  type: 'AccessPolicy',
  namespace: 'shop',
  name,
  spec: { action, from: [{ workloadSelector: { matchExpressions } }], to: [{ workloadSelector: {} }] },
});
const is = (key: string, operator: string, values?: string[], more: object = {}) => ({
  key,
  operator,
  ...(values === undefined ? {} : { values }),
  ...more,
});
const all = policy('all', 'allow');
const ids = ['td/ns/a/sa/b', 'td/ns/a/sa/us', 'both/ns/a/sa/b', 'far/ns/a/sa/b', 'none/x'];

/** Of each ID the verdict of the export, which has to be that of the PDP. */
function verdicts(...documents: readonly object[]): string {
  const { engine, exporter, loaded } = both(far, service, elsewhere, ...documents);
  const exported = exporter.export({ service: 'shop/pay' });
  expect(exported.report.policies.every((one) => one.class === 'exact')).toBe(true);
  return ids
    .map((id) => {
      const peer = { uriSans: [`spiffe://${id}`], dnsSans: [], presented: true, validated: true };
      const source = sourceOf(peer, false, loaded.inventory)!;
      const request = { method: 'GET', path: '/' };
      const asked = { source, destination: { service: 'shop/pay' }, request };
      const { decision } = engine.decide(asked, channel);
      expect(Chain.of(exported).decide(peer, request).enforced, id).toBe(decision);
      return decision === 'allow' ? 'y' : 'n';
    })
    .join('');
}

describe('[ENV6] [WHO6] by site', () => {
  test.each<[string, string, object[]]>([
    ['an allow for this site', 'ynnnn', [policy('p', 'allow', is('site:name', 'In', ['eu-1']))]],
    ['an allow below a location', 'ynnnn', [policy('p', 'allow', is('site:location', 'In', ['aws']))]],
    ['an allow for all but one', 'ynnnn', [policy('p', 'allow', is('site:name', 'NotIn', ['us-1']))]],
    ['an allow for what it lacks', 'ynnnn', [policy('p', 'allow', is('cl:site:tier', 'DoesNotExist'))]],
    ['a deny of another site', 'ynnnn', [all, policy('p', 'deny', is('site:name', 'In', ['us-1']))]],
    ['a deny of this site', 'nynnn', [all, policy('p', 'deny', is('site:name', 'In', ['eu-1']))]],
    [
      'more than a document is trusted',
      'nnnnn',
      [policy('p', 'allow', is('site:name', 'In', ['eu-1'], { trust: 'attested' }))],
    ],
  ])('[ENV6] [WHO6] %s', (_, wanted, policies) => {
    expect(verdicts(site(), ...policies)).toBe(wanted);
  });

  test('[ENV6] [SRC8] attributes that some sites may set', () => {
    const rules = (name: string) => [
      { keys: ['spiffe:id'], from: [{ site: { matchLabels: { 'site:name': name } }, namespaces: ['a'] }] },
    ];
    const ours = policy('p', 'allow', is('spiffe:id', 'Exists'));
    expect(verdicts(site({ attributeRules: rules('eu-1') }), ours)).toBe('ynnnn');
    expect(verdicts(site({ attributeRules: rules('ap-1') }), ours)).toBe('nnnnn');
  });
});
