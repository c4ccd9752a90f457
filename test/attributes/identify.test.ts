import { describe, expect, it } from 'vitest';
import { identify, type Known, type Proof, requestSource } from '../../src/attributes/identify.ts';
import type { ServiceAccount } from '../../src/attributes/jwt/service-account.ts';
import { open } from '../../src/index.ts';
import { cluster, id, known, say, web } from './known.ts';

/** A token of the account web that was made for a pod. */
function boundTo(name: string, uid: string): ServiceAccount {
  return { namespace: 'shop', name: 'web', pod: { name, uid }, validUntil: 0 };
}

describe('[WHO1] by certificate alone', () => {
  it('[WHO1] an ID of this site gives namespace and account, one of a stranger itself and no more', () => {
    expect(say({ spiffeId: web }, known()).said).toEqual({
      'k8s:ns': 'shop attested',
      'k8s:sa': 'web attested',
      'site:name': 'eu-1 configured',
      'spiffe:id': 'spiffe://td/ns/shop/sa/web attested',
      'spiffe:trust-domain': 'td attested',
    });
    expect(say({ spiffeId: id('spiffe://elsewhere/ns/shop/sa/web') }, known({ 'web-0': {} })).said).toEqual({
      'spiffe:id': 'spiffe://elsewhere/ns/shop/sa/web attested',
      'spiffe:trust-domain': 'elsewhere attested',
    });
  });

  it('[WHO1] an ID of a peer names no pod of this cluster', () => {
    const { said, complete } = say({ spiffeId: id('spiffe://peer/ns/shop/sa/web') }, known({ 'web-0': {} }));
    expect(said).toMatchObject({ 'k8s:ns': 'shop attested' });
    expect(Object.keys(said)).not.toContain('k8s:pod');
    expect(complete).not.toHaveProperty('k8s:');
  });
});

describe('[WHO2] by certificate, over the pods that share it', () => {
  it('[WHO2] what all agree in is observed, what they differ in nobody can tell', () => {
    const shapes = {
      'web-0': { labels: { app: 'web', v: '1' } },
      'web-1': { labels: { app: 'web', v: '2' }, ip: '10.0.0.2' },
    };
    const { said, complete } = say({ spiffeId: web }, known(shapes));
    expect(said).toMatchObject({
      'k8s:label:app': 'web observed',
      'k8s:label:v': '?',
      'k8s:pod': '?',
      'k8s:owner': 'Deployment/web observed',
      'k8s:container-image': 'web:1 observed',
    });
    expect(complete).toEqual({
      'spiffe:': 'attested',
      'k8s:': 'observed',
      'site:': 'configured',
      'cl:site:': 'configured',
    });
    const seen = identify({ spiffeId: web }, known(shapes)).values.find(({ key }) => key === 'k8s:label:v');
    expect(seen).toMatchObject({
      pods: ['shop/web-0', 'shop/web-1'],
      source: '2 pods of the account',
      since: 1_000,
    });
  });

  it('[WHO2] with the address of one of them the rest is that one’s, as far as an address is believed', () => {
    const shapes = {
      'web-0': { labels: { app: 'web', v: '1', only: 'here' } },
      'web-1': { labels: { app: 'web', v: '2' }, ip: '10.0.0.2' },
    };
    const first = say({ spiffeId: web, address: '10.0.0.1' }, known(shapes));
    expect(first.said).toMatchObject({
      'k8s:label:app': 'web observed',
      'k8s:label:v': '1 reported',
      'k8s:pod': 'web-0 reported',
    });
    expect(first.complete['k8s:']).toBe('observed');
    const second = say({ spiffeId: web, address: '10.0.0.2' }, known(shapes));
    expect(second.said).not.toHaveProperty('k8s:label:only');
    expect(second.complete['k8s:']).toBe('reported');
  });

  it('[WHO2] no live pod of the account: nothing is known of its labels', () => {
    const { said, complete } = say({ spiffeId: web }, known({ other: { account: 'other' } }));
    expect(Object.keys(said).filter((key) => key.startsWith('k8s:'))).toEqual(['k8s:ns', 'k8s:sa']);
    expect(complete).not.toHaveProperty('k8s:');
  });
});

describe('[WHO3] by address and by token', () => {
  it('[WHO3] an address gives what its pod has, reported', () => {
    expect(
      say({ address: '::ffff:10.0.0.1' }, known({ 'web-0': { labels: { app: 'web' } } })).said,
    ).toMatchObject({
      'k8s:ns': 'shop reported',
      'k8s:label:app': 'web reported',
    });
  });

  it('[WHO3] the address of a node, and one of nobody, give nothing, and are no absence', () => {
    for (const about of [known({ 'web-0': { hostNetwork: true } }), known({ 'web-0': { ip: '10.0.0.9' } })]) {
      const { said, complete } = say({ address: '10.0.0.1' }, about);
      expect([said, complete]).toEqual([{}, {}]);
    }
  });

  it('[WHO3] a token made for a pod names it beyond doubt', () => {
    const account = boundTo('web-1', 'uid-web-1');
    const shapes = { 'web-0': { labels: { v: '1' } }, 'web-1': { labels: { v: '2' } } };
    expect(say({ account }, known(shapes)).said).toMatchObject({
      'k8s:ns': 'shop attested',
      'k8s:pod': 'web-1 attested',
      'k8s:label:v': '2 observed',
    });
    const gone = { ...account, pod: { name: 'web-2', uid: 'uid-web-2' } };
    expect(say({ account: gone }, known(shapes)).said).not.toHaveProperty('k8s:label:v');
  });

  it('[WHO3] beside an identity that names no pods an address gives nothing, whoever has it', () => {
    const about = known({ 'web-0': { labels: { app: 'web' } } });
    const address = '10.0.0.1';
    for (const text of [
      'spiffe://elsewhere/ns/shop/sa/web',
      'spiffe://peer/ns/shop/sa/web',
      'spiffe://peer/ns/x/sa/y',
      'spiffe://td/gateway',
    ]) {
      const spiffeId = id(text);
      expect(say({ spiffeId, address }, about), text).toEqual(say({ spiffeId }, about));
    }
    const tags = { mesh: 'default', tags: { 'kuma.io/service': ['web'] } };
    expect(say({ tags, address }, about).said).toEqual({});
  });
});

describe('[WHO2] an identity that is only stated', () => {
  const about = known({
    'web-0': { labels: { app: 'web' } },
    'web-1': { labels: { app: 'web' }, ip: '10.0.0.2' },
  });
  const address = '10.0.0.1';

  it('[WHO2] leaves to an address what its pod has, and gives nothing itself', () => {
    expect(say({ said: web, address }, about)).toEqual(say({ address }, about));
    expect(say({ said: web }, about)).toEqual(say({}, about));
    expect(say({ said: web, address: '10.0.0.9' }, about).said).toEqual({});
  });

  it('[WHO2] leaves nothing to an address where it names no pods', () => {
    for (const said of [
      id('spiffe://elsewhere/ns/shop/sa/web'),
      id('spiffe://peer/ns/shop/sa/web'),
      id('spiffe://td/gateway'),
      'no-pod',
    ] as const)
      expect(say({ said, address }, about), `${said}`).toEqual({ said: {}, complete: {}, conflicts: [] });
  });

  it('[WHO2] changes nothing for who has proved another', () => {
    const tags = { mesh: 'default', tags: { 'kuma.io/service': ['web'] } };
    const stranger = id('spiffe://elsewhere/x');
    for (const proof of [{ tags }, { spiffeId: stranger }, { spiffeId: web }])
      for (const said of [web, stranger, 'no-pod'] as const)
        expect(say({ ...proof, said, address }, about)).toEqual(say({ ...proof, address }, about));
  });

  it('[WHO4] contradicts the address of a pod of another account', () => {
    for (const text of ['spiffe://td/ns/shop/sa/other', 'spiffe://td/ns/elsewhere/sa/web'])
      expect(say({ said: id(text), address }, about).conflicts).toHaveLength(1);
  });
});

describe('[WHO4] contradictions', () => {
  it('[WHO4] a token for a pod that was made anew, and the address of the new one, are of two pods', () => {
    const account = boundTo('web-0', 'uid-before');
    const { conflicts } = identify({ account, address: '10.0.0.1' }, known({ 'web-0': {} }));
    expect(conflicts.map(({ key, values }) => [key, values.map(({ value }) => value)])).toEqual([
      ['k8s:pod', ['web-0 (UID uid-before)', 'web-0 (UID uid-web-0)']],
    ]);
    const same = { ...account, pod: { name: 'web-0', uid: 'uid-web-0' } };
    expect(say({ account: same, address: '10.0.0.1' }, known({ 'web-0': {} })).conflicts).toEqual([]);
  });

  it('[WHO4] an address whose pod has another account than the certificate is a conflict', () => {
    const shapes = { 'web-0': {}, db: { account: 'db', ip: '10.0.0.2' } };
    expect(say({ spiffeId: web, address: '10.0.0.2' }, known(shapes)).conflicts).toEqual([
      'k8s:pod',
      'k8s:sa',
    ]);
    expect(say({ spiffeId: web, address: '10.0.0.1' }, known(shapes)).conflicts).toEqual([]);
  });

  it('[WHO4] on other keys the better source counts, and the other is shown', () => {
    const account = boundTo('web-0', 'uid-web-0');
    const { values, outranked } = identify(
      { account, address: '10.0.0.1' },
      known({ 'web-0': { labels: { v: '1' } } }),
    );
    expect(values.find(({ key }) => key === 'k8s:label:v')).toMatchObject({ trust: 'observed' });
    expect(outranked.find(({ key }) => key === 'k8s:label:v')).toMatchObject({ trust: 'reported' });
  });
});

describe('[WHO5] as a request', () => {
  const access = (name: string, action: string, expressions: object[]) => ({
    type: 'AccessPolicy',
    name,
    namespace: 'shop',
    spec: {
      action,
      from: [{ workloadSelector: { matchExpressions: expressions } }],
      to: [{ workloadSelector: {} }],
    },
  });
  const documents = [
    { type: 'Service', name: 'db', namespace: 'shop' },
    access('v1', 'allow', [{ key: 'k8s:label:v', operator: 'In', values: ['1'] }]),
    access('banned', 'deny', [{ key: 'k8s:label:banned', operator: 'Exists' }]),
  ];
  const decide = (proof: Proof, about: Known) => {
    const { decision, reason } = open(documents).decide({
      source: requestSource(identify(proof, about)),
      destination: { service: 'shop/db' },
    });
    return [decision, reason];
  };

  it('[WHO5] what is known decides, what is shared does not, and what is absent is known to be', () => {
    const one = { 'web-0': { labels: { v: '1' } } };
    expect(decide({ spiffeId: web }, known(one))).toEqual(['allow', 'rule']);
    const two = { ...one, 'web-1': { labels: { v: '2' }, ip: '10.0.0.2' } };
    expect(decide({ spiffeId: web }, known(two))).toEqual(['deny', 'default']);
    expect(decide({ spiffeId: web, address: '10.0.0.1' }, known(two))).toEqual(['allow', 'rule']);
    // Without a cluster nobody knows whether it is banned.
    expect(decide({ spiffeId: web }, known())).toEqual(['deny', 'unknown-attribute']);
  });
});

it('[WHO2] an owner whose ReplicaSet has not been seen yet is not known, rather than absent', () => {
  const unseen = { ...cluster({ 'web-0': {} }), ownerOf: () => null };
  const about = { ...known(), cluster: unseen };
  const source = requestSource(identify({ spiffeId: web }, about));
  expect(source.attributes?.['k8s:owner']).toEqual({ unknown: 'not-known' });
  expect(requestSource(identify({ address: '10.0.0.1' }, about)).attributes?.['k8s:owner']).toEqual({
    unknown: 'not-known',
  });
});

it('[WHO5] a client of a tag mesh has its tags and no others, and no SPIFFE ID; of the rest nothing is known', () => {
  const tags = { mesh: 'default', tags: { 'kuma.io/service': ['web'] } };
  expect(requestSource(identify({ tags }, known()))).toEqual({
    ...tags,
    attributes: {},
    complete: { 'kuma:tag:': 'attested', 'spiffe:': 'attested' },
  });
});
