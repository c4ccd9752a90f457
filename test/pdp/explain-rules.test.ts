import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { explain } from '../../src/pdp/explain-request.ts';
import type { Inventory } from '../../src/pdp/model/inventory.ts';
import { channelOf, operatorChannel, type Request } from '../../src/pdp/model/request.ts';
import type { Rule } from '../../src/pdp/model/rule.ts';
import { load } from '../../src/policy/load.ts';
import { essence } from '../oracle/compare.ts';
import { generate } from '../oracle/generate.ts';
import { Random } from '../oracle/random.ts';
import { isRequest } from '../oracle/request.ts';
import { openTwin } from '../oracle/twin.ts';
import { inboundAt, rule, site } from './nearest-world.ts';

const id = 'spiffe://td/ns/a/sa/b';

function explained(
  rules: readonly Rule[],
  request: Request,
  inventory: Inventory = inboundAt(undefined),
  channel = operatorChannel,
) {
  return explain(rules, inventory, 's', request, channel);
}

function at(source: Request['source'], request: Request['request'] = {}): Request {
  return { source: { spiffeId: id, ...source }, destination: { dataplane: 'dp' }, request };
}

describe('what an explanation says of rules', () => {
  test('[EXP2] by tier, then in policy order; those for other destinations are not there', () => {
    const rules = [
      rule('allow', 3, []),
      rule('other', 2, ['destination kuma:dataplane in other']),
      rule('deny', 2, ['source role in x']),
      rule('first', 1, ['source role in y']),
    ];
    const { rules: shown } = explained(rules, at({}));
    expect(shown.map((one) => one.id)).toEqual(['first', 'deny', 'allow']);
    expect(shown.map((one) => one.outcome)).toEqual(['no', 'no', 'matches']);
  });

  test('[EXP2] a rule that is only on trial, one whose shadow differs, one that a stronger item puts out', () => {
    const rules = [
      rule('trial', 2, [], { tier: null }),
      rule('differs', 3, [], { shadow: 2 }),
      rule('weak', 3, [], { list: { id: 'l', strength: 1 } }),
      rule('strong', 3, [], { list: { id: 'l', strength: 2 } }),
    ];
    const { rules: shown } = explained(rules, at({}));
    const of = (name: string) => shown.find((one) => one.id === name);
    expect(of('trial')).toMatchObject({ tier: null, shadow: 2, outcome: 'no', shadowOutcome: 'matches' });
    expect(of('trial')?.because).toBe('its policy is in force in the shadow world only');
    expect(of('differs')).toMatchObject({ tier: 3, shadow: 2, outcome: 'matches', shadowOutcome: 'matches' });
    expect(of('weak')?.because).toBe('a stronger item of its list matches: strong');
    expect(of('strong')?.because).toBeUndefined();
  });
});

describe('what an explanation says of conditions', () => {
  const conditionOf = (
    text: string,
    source: Request['source'],
    channel = operatorChannel,
    inventory?: Inventory,
  ) =>
    explained([rule('d', 2, [text]), rule('a', 3, [text])], at(source), inventory, channel).rules.map(
      (one) => one.conditions[0],
    );

  test('[EXP2] operator and values, what was seen, where from, how far trusted', () => {
    const [deny] = conditionOf('source role in reader|w*|a/...', { attributes: { role: 'x' } });
    expect(deny).toEqual({
      side: 'source',
      key: 'role',
      op: 'in',
      values: ['reader', 'w*', 'a[/…]'],
      truth: 'false',
      seen: ['x'],
      from: 'the request',
      trust: 'attested',
    });
  });

  test('[EXP2] why it is unknown: missing, below the floor, layer 4', () => {
    const [missing] = conditionOf('source role in r', { complete: false });
    expect(missing).toMatchObject({ truth: 'unknown', seen: [], cause: 'missing' });
    const [deny, allow] = conditionOf('source role in r', { attributes: { role: 'r' } }, channelOf('decide'));
    expect(deny).toMatchObject({ truth: 'true', trust: 'asserted' });
    expect(allow).toMatchObject({ truth: 'unknown', seen: ['r'], cause: 'below-floor', floor: 'reported' });
    const [hidden] = conditionOf('request request:method in GET', {}, operatorChannel, inboundAt('tcp'));
    expect(hidden).toMatchObject({ truth: 'unknown', cause: 'layer-4' });
  });

  test('[EXP2] workloads that share an identity and differ are named', () => {
    const workload = (name: string, role: string) => ({
      namespace: 'a',
      name,
      spiffeId: id,
      attributes: new Map([['k8s:label:role', role]]),
    });
    const inventory = { ...inboundAt(undefined), workloads: [workload('p2', 'x'), workload('p1', 'y')] };
    const [deny] = conditionOf('source k8s:label:role in x', {}, operatorChannel, inventory);
    expect(deny).toMatchObject({ truth: 'unknown', cause: 'shared-identity', pods: ['a/p1', 'a/p2'] });
  });

  test('[EXP2] what a template reads off the ID says so, and who may not set a value is not believed', () => {
    const inventory = {
      ...inboundAt(undefined),
      site: {
        ...site,
        trustDomains: [{ name: 'td', template: '/ns/{k8s:ns}/sa/{k8s:sa}' }],
        attributeRules: [{ keys: ['role'], from: [{ site: [], namespaces: ['other'] }] }],
      },
    };
    const [namespace] = conditionOf('source k8s:ns in a', {}, operatorChannel, inventory);
    expect(namespace).toMatchObject({ truth: 'true', seen: ['a'], from: 'the SPIFFE ID by its template' });
    const [role] = conditionOf('source role in r', { attributes: { role: 'r' } }, operatorChannel, inventory);
    expect(role).toMatchObject({ truth: 'unknown', cause: 'not-vouched' });
  });

  test('[EXP2] the order in which a selector writes its keys shows nowhere', () => {
    const one = rule('d', 2, ['source a in 1', 'request request:method in GET', 'source b in 1']);
    const other = { ...one, when: [...one.when].reverse() };
    const request = at({ attributes: { a: '1', b: '1' } });
    expect(explained([other], request)).toEqual(explained([one], request));
  });
});

function opened(documents: readonly object[]) {
  const plain = documents.map((value) => ({ value, place: () => undefined }));
  const { rules, inventory } = load(plain, (text) => createHash('sha256').update(text).digest('hex'));
  return { rules, inventory };
}

test('[EXP1] the verdict is that of the twin, on random worlds', () => {
  for (let seed = 50_000; seed < 50_150; seed++) {
    const { documents, channel = operatorChannel, requests } = generate(seed);
    const { rules, inventory } = opened(documents);
    const twin = openTwin(documents, channel);
    for (const request of requests.filter(isRequest)) {
      const { decision } = explain(rules, inventory, 's', request, channel);
      expect(essence(decision), `seed ${seed}`).toEqual(essence(twin.decide(request)));
    }
  }
});

test('[EXP1] [TIER2] the order of documents shows nowhere, nearest misses included', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { documents, channel = operatorChannel, requests } = generate(seed, 4);
    const tell = (order: readonly object[]) => {
      const { rules, inventory } = opened(order);
      return requests
        .filter(isRequest)
        .map((request) => JSON.stringify(explain(rules, inventory, 's', request, channel)));
    };
    const wanted = tell(documents);
    const random = new Random(seed);
    for (let n = 0; n < 5; n++) expect(tell(random.shuffled(documents))).toEqual(wanted);
  }
});
