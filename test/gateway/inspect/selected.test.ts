import { describe, expect, test } from 'vitest';
import { type Selected, selectedBy } from '../../../src/gateway/inspect/selected.ts';
import { loadedText } from '../../policy/merge/loading.ts';

const things = `
type: Mesh
name: default
accessPolicies: full
---
type: Dataplane
mesh: default
name: b
labels: {k8s.kuma.io/namespace: shop}
networking: {inbound: [{name: http, port: 8080, tags: {kuma.io/service: b}}]}
---
type: Service
namespace: shop
name: db
`;
const site = `---
type: Site
name: here
spec: {local: true, location: eu/nl}
`;
const policy = (name: string, action: string, to: string) => `---
type: PrivilegedAccessPolicy
name: ${name}
spec:
  action: ${action}
  from: [{workloadSelector: {}}]
  to: [{workloadSelector: ${to}}]
`;
const isIn = (key: string, value: string) => `{matchLabels: {${key}: ${value}}}`;
const isNotIn = (key: string, value: string) =>
  `{matchExpressions: [{key: ${key}, operator: NotIn, values: [${value}]}]}`;

/** How many inbounds and services each selects. */
function counts(text: string): Readonly<Record<string, readonly [number, number]>> {
  const selected = [...selectedBy(loadedText(text))];
  const told = ({ inbounds, services }: Selected) => [inbounds.count, services.count] as const;
  return Object.fromEntries(selected.map(([kri, one]) => [kri.split('/').at(-1), told(one)]));
}

describe('[INSP2] [DST3] what a policy selects by the site', () => {
  test('is what is there, if it is there', () => {
    const text = [
      things,
      site,
      policy('eu', 'deny', isIn('site:location', 'eu')),
      policy('us', 'deny', isIn('site:location', 'us')),
      policy('not-eu', 'allow', isNotIn('site:location', 'eu')),
      policy('here', 'allow', isIn('site:name', 'here')),
      policy('elsewhere', 'deny', isNotIn('site:name', 'here')),
      policy('b', 'allow', '{matchLabels: {site:name: here, service:name: b, k8s:ns: shop}}'),
      policy('fabric', 'allow', isIn('cl:fabric', 'f')),
      policy('no-fabric', 'deny', isIn('cl:fabric', 'f')),
    ];
    expect(counts(text.join(''))).toEqual({
      eu: [1, 1],
      us: [0, 0],
      'not-eu': [0, 0],
      here: [1, 1],
      elsewhere: [0, 0],
      b: [1, 0],
      // A site need not say it, and then nobody knows.
      fabric: [0, 0],
      'no-fabric': [1, 1],
    });
  });

  test('[UNK1] is all there is for a deny and nothing for an allow where nobody says what the site is', () => {
    const text = [
      things,
      policy('ban', 'deny', isIn('site:location', 'eu')),
      policy('ban-not', 'deny', isNotIn('site:location', 'eu')),
      policy('ban-b', 'deny', '{matchLabels: {site:location: eu, service:name: b}}'),
      policy('open', 'allow', isIn('site:location', 'eu')),
      policy('open-not', 'allow', isNotIn('site:location', 'eu')),
    ];
    expect(counts(text.join(''))).toEqual({
      ban: [1, 1],
      'ban-not': [1, 1],
      'ban-b': [1, 0],
      open: [0, 0],
      'open-not': [0, 0],
    });
  });
});
