import { describe, expect, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { channelOf } from '../../../src/pdp/model/request.ts';
import { parseText } from '../../../src/policy/text/parse.ts';
import { loadValues, violationsIn } from '../loading.ts';
import { read, withChange } from './fixtures.ts';

/** What lints of trust say never happens, asked of `decide`; and what the Site's document may say of trust. */

const destination = { attributes: { 'service:name': 'pay' }, namespace: 'shop' };

function decide(text: string, attributes: Readonly<Record<string, string>>) {
  const placet = open(parseText(text).documents);
  return placet.decide({ source: { attributes, complete: true }, destination }).decision;
}

describe('what lint says of trust is so', () => {
  const evidence = { 'k8s:ns': 'batch', 'k8s:label:role': 'reader' };

  test('[LINT15] from a namespace that may not set a label its value allows nobody, and after the change it does', () => {
    const text = read('nobody-may-set', 'allow.yaml');
    expect(decide(text, evidence)).toBe('deny');
    expect(decide(withChange(text, '2'), evidence)).toBe('allow');
    expect(decide(withChange(text, '1'), { ...evidence, 'k8s:ns': 'web' })).toBe('allow');
  });

  test('[LINT15] who is known to have none is allowed by what it may not be', () => {
    const [allow, deny] = [
      read('nobody-may-set', 'without.yaml'),
      read('nobody-may-set', 'deny-without.yaml'),
    ];
    expect(decide(allow, { 'k8s:ns': 'batch' })).toBe('allow');
    expect(decide(allow, evidence)).toBe('deny');
    const both = `${deny.split('---\n')[0]}---\n${allow}`;
    expect(decide(both, { 'k8s:ns': 'batch' })).toBe('deny');
  });

  test('[LINT15] a deny by it denies everybody who has one', () => {
    const text = read('nobody-may-set', 'deny.yaml');
    const harmless = { 'k8s:ns': 'ops', 'k8s:label:role': 'reader' };
    expect(decide(text, harmless)).toBe('deny');
    expect(decide(withChange(text, '2'), harmless)).toBe('allow');
  });

  test('[LINT14] a label observed in the cluster does not meet the floor attested', () => {
    const text = read('floor-out-of-reach', 'label.yaml');
    const source = {
      attributes: {
        'k8s:ns': { value: 'web', trust: 'attested' },
        'k8s:label:role': { value: 'reader', trust: 'observed' },
      },
    };
    const ask = (policies: string) =>
      open(parseText(policies).documents).decide({ source, destination }).decision;
    expect(ask(text)).toBe('deny');
    expect(ask(withChange(text, ''))).toBe('allow');
  });

  test('[LINT16] a misspelt key leaves the one that was meant to anybody', () => {
    const text = read('unread-key', 'attribute-rule.yaml').replace('"k8s:label:r*"', '"k8s:label:x*"');
    const anybody = channelOf('assert');
    const ask = (policies: string) =>
      open(parseText(policies).documents, { channel: anybody }).decide({
        source: { attributes: { 'k8s:ns': 'web', 'k8s:label:role': 'reader' } },
        destination,
      }).decision;
    expect([ask(text), ask(withChange(text, '1').replace('[web]', '[ops]'))]).toEqual(['allow', 'deny']);
  });
});

describe('[SRC13] what a Site says of keys', () => {
  const site = (more: object) => ({ type: 'Site', name: 'eu-1', ...more });
  const rule = (key: string, from: object = { namespaces: ['web'] }) =>
    site({ attributeRules: [{ keys: [key], from: [from] }] });

  test('[SRC13] a key is meant by each of its names', () => {
    const rulesOf = (key: string) => loadValues(rule(key)).inventory.site.attributeRules[0]!.keys;
    expect(rulesOf('client.clusterlink.net/labels.role')).toEqual(['k8s:label:role']);
    expect(rulesOf('client.clusterlink.net/labels.*')).toEqual(['k8s:label:*']);
    expect(rulesOf('k8s:label:role')).toEqual(['k8s:label:role']);
    expect(
      loadValues(site({ hierarchical: ['peer.clusterlink.net/labels.zone'] })).inventory.site.hierarchical,
    ).toEqual(['cl:site:zone']);
  });

  test.each(['k8s:*:role', '*', '**', 'k8s:label:*x', 'a**'])(
    '[SRC13] a star stands at the end or nowhere: %s',
    (key) => {
      expect(violationsIn(loadValues(rule(key)))).toEqual([
        `attributeRules[0].keys[0]: got "${key}", want an attribute, or the beginning of several and "*"`,
      ]);
    },
  );

  test('[SRC13] what vouches for a value bounds it, so that its selector has no floors', () => {
    const selector = { matchExpressions: [{ key: 'site:name', operator: 'Exists', trust: 'attested' }] };
    expect(violationsIn(loadValues(rule('k8s:label:a', { site: selector, namespaces: ['web'] })))).toEqual([
      expect.stringContaining('got the unknown field "trust"'),
    ]);
  });
});
