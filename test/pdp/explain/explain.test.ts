import { describe, expect, test } from 'vitest';
import { channelOf, type Request } from '../../../src/pdp/model/request.ts';
import { compareSeeds, range, showFailure } from '../../oracle/run.ts';
import { ask, backend, condition, from, id, inbound, rule, site, toBackend } from './small.ts';

describe('worlds', () => {
  test('[EXP2] [SHD1] [SHD2] who decides in which', () => {
    const rules = [
      rule(2, [], { tier: null, policy: 'tried' }),
      rule(3, [], { shadow: 2, policy: 'warned' }),
      rule(3, [], { policy: 'plain' }),
    ];
    const { decision, rules: shown } = ask(rules, from({ spiffeId: id }));
    expect(decision).toMatchObject({
      decision: 'allow',
      by: { policy: 'warned' },
      shadow: 'deny',
      shadowBy: { policy: 'tried' },
    });
    expect(
      shown.map((one) => [one.outcome, one.shadowOutcome, one.decides ?? false, one.decidesShadow ?? false]),
    ).toEqual([
      ['no', 'matches', false, true],
      ['matches', 'matches', true, false],
      ['matches', 'matches', false, false],
    ]);
  });

  test('[EXP2] [UNK4] a condition that is not the same in both, since one asks for trust', () => {
    const rules = [
      rule(3, ['role in dev'], { shadow: 2, policy: 'warned' }),
      rule(2, ['role in dev'], { shadow: 3, policy: 'tried' }),
      rule(3, ['to.app in db'], { shadow: 2, policy: 'there' }),
    ];
    const request: Request = {
      source: { attributes: { 'k8s:label:role': 'dev' } },
      destination: { attributes: { 'k8s:label:app': 'web' } },
    };
    const shown = ask(rules, request, {}, channelOf('decide')).rules;
    const floored = { truth: 'unknown', cause: 'below-floor' };
    expect(shown.map(({ outcome, shadowOutcome }) => [outcome, shadowOutcome])).toEqual([
      ['no', 'matches'],
      ['matches', 'no'],
      ['no', 'no'],
    ]);
    expect(shown[0]?.conditions).toMatchObject([{ ...floored, shadowTruth: 'true' }]);
    expect(shown[0]?.conditions[0]).not.toHaveProperty('shadowCause');
    expect(shown[1]?.conditions).toMatchObject([
      { truth: 'true', shadowTruth: 'unknown', shadowCause: 'below-floor' },
    ]);
    expect(shown[2]?.conditions).toMatchObject([{ ...floored, shadowTruth: 'false' }]);
    const operator = ask(rules.slice(0, 2), request).rules.flatMap(({ conditions }) => conditions);
    expect(operator.map((one) => Object.hasOwn(one, 'shadowTruth'))).toEqual([false, false]);
  });

  test('[EXP2] [LST1] an item that a stronger one overrules', () => {
    const list = (strength: number) => ({ list: { id: 'l', strength } });
    const rules = [
      rule(2, [], { policy: 'weak', ...list(1) }),
      rule(3, [], { policy: 'strong', ...list(2) }),
    ];
    const { decision, rules: shown } = ask(rules, from({ spiffeId: id }));
    expect(decision).toMatchObject({ decision: 'allow', by: { policy: 'strong' } });
    expect(shown[0]?.overruledBy).toBe('strong');
  });

  test('[EXP2] [TIER3] trust and age of what the deciding rule read', () => {
    const attributes = {
      'k8s:label:a': { value: '1', trust: 'observed', since: 40 },
      'k8s:label:b': { value: '1', trust: 'configured', since: 10 },
    } as const;
    const { decision } = ask([rule(3, ['a in 1', 'b in 1'])], { ...from({ attributes }), at: 100 });
    expect(decision).toMatchObject({ trust: 'observed', age: 90 });
  });
});

describe('guards', () => {
  const at = (more: object): Request => ({ ...toBackend, ...more });
  test.each<[string, Request, string, RegExp, RegExp]>([
    [
      '[TIER4] [REQ4]',
      at({ destination: { dataplane: 'x', inbound: 1 } }),
      'unknown-destination',
      /^the inventory has no inbound 1 of a dataplane default\/x$/,
      /name a dataplane/,
    ],
    ['[REQ4]', at({ destination: { service: 'shop/x' } }), 'unknown-destination', /service shop\/x/, /name/],
    [
      '[REQ4] with the nearest that there is:',
      at({ destination: { mesh: 'default', dataplane: 'bakend-1' } }),
      'unknown-destination',
      /dataplane default\/bakend-1$/,
      /^there is "default\/backend-1"; name a dataplane/,
    ],
    [
      '[SRC3]',
      at({ source: { spiffeId: 'spiffe://TD/x' } }),
      'invalid-source',
      /"T" \(0x54\) at offset 9/,
      /write td/,
    ],
    ['[SRC2]', at({ source: {} }), 'unidentified', /says nothing of who asks/, /source\.spiffeId/],
    [
      '[SRC6]',
      at({ source: { spiffeId: id, attributes: { 'k8s:ns': 'other' } } }),
      'conflict',
      /k8s:ns is stated as other and is shop by template of td/,
      /leave out/,
    ],
  ])('[EXP3] %s %j', (_, request, reason, message, hint) => {
    const { decision, rules, guard, nearestMiss } = ask([rule(3, [])], request, { ...backend(), site });
    expect(decision).toMatchObject({ decision: 'deny', reason, tier: null, by: null, shadow: 'deny' });
    expect(guard?.message).toMatch(message);
    expect(guard?.hint).toMatch(hint);
    expect(rules).toEqual([]);
    expect(nearestMiss).toBeUndefined();
  });

  test('[EXP3] [DST6] what an http inbound wants', () => {
    const more = backend([{ ...inbound, protocol: 'http' }]);
    expect(ask([rule(3, [])], at({ request: { method: 'GET' } }), more).guard).toEqual({
      reason: 'incomplete-request',
      message: 'the inbound speaks http, and the request has no path',
      hint: 'give request.path',
    });
  });

  test('[EXP3] [PATH3] an ambiguous path, only where a rule in force reads paths', () => {
    const request = at({ request: { method: 'GET', path: '/a%2fb' } });
    const reading = rule(2, ['request:path in /x']);
    const { decision, guard, rules } = ask([reading, rule(3, [])], request, backend());
    expect(decision).toMatchObject({ reason: 'ambiguous-path', shadow: 'deny' });
    expect(guard?.message).toMatch(/encoded slash %2f at offset 2/);
    expect(rules).toHaveLength(2);
    expect(ask([rule(3, [])], request, backend()).decision.decision).toBe('allow');
    const tried = ask([{ ...reading, tier: null }, rule(3, [])], request, backend());
    expect(tried.decision).toMatchObject({ decision: 'allow', shadow: 'deny', shadowBy: null });
    expect(tried.guard).toBeUndefined();
    expect(tried.shadowGuard).toEqual(guard);
    expect(tried.rules[0]?.conditions[0]).toMatchObject({ cause: 'ambiguous-path', seen: ['/a%2fb'] });
    const elsewhere = { ...reading, when: [...reading.when, condition('to.app in other')] };
    expect(ask([elsewhere, rule(3, [])], request, backend()).decision.decision).toBe('allow');
  });
});

test('[EXP1] the verdict is that of decide and of the twin, on random worlds', () => {
  expect(compareSeeds(range(50_001, 60), undefined).map(showFailure)).toEqual([]);
});
