import { describe, expect, test } from 'vitest';
import { BodySheet } from '../../../src/gateway/http/sheet.ts';
import { type Line, lineOf } from '../../../src/gateway/log/line.ts';
import { teller } from '../../../src/gateway/log/mask.ts';
import type { Decided } from '../../../src/gateway/service.ts';
import type { By, Decision } from '../../../src/pdp/model/decision.ts';
import { channelOf, type Request } from '../../../src/pdp/model/request.ts';
import { engineOf } from '../../oracle/compare.ts';

const by: By = { policy: 'a "b"', kri: 'AccessPolicy/x/y', effect: 'allow', index: 0 };
const other: By = { ...by, policy: 'c', effect: 'deny' };
const decision: Decision = {
  decision: 'allow',
  tier: 3,
  by,
  shadow: 'allow',
  shadowBy: by,
  reason: 'rule',
  trust: 'attested',
  snapshot: 'abc',
};
const nobody: Decision = {
  ...decision,
  decision: 'deny',
  tier: null,
  by: null,
  shadow: 'deny',
  shadowBy: null,
  reason: 'default',
};
const request: Request = { source: { attributes: { 'k8s:ns': 'a\n"b"' } }, destination: { service: 'a/b' } };
const event: Decided = {
  id: 'a-1',
  via: 'decide',
  caller: 'spiffe://td/"gateway"',
  request,
  channel: channelOf('assert'),
  decision,
  milliseconds: 0.0123456,
};
const tell = teller({ keys: [], salt: '' });

/** The same, field by field. */
function plainly(of: Decided, evidence: string | undefined, masked: readonly string[], now: number): string {
  const { id, via, caller, decision: made, channel, refused, trace, milliseconds } = of;
  const line: Line = {
    time: new Date(now).toISOString(),
    id,
    via,
    caller,
    decision: made.decision,
    reason: made.reason,
    by: made.by,
    shadow: made.shadow,
    shadowBy: made.shadowBy,
    keys: made.keys,
    snapshot: made.snapshot,
    request,
    channel,
    evidence,
    refused: refused === true ? refused : undefined,
    trace,
    masked: masked.length === 0 ? undefined : masked,
    milliseconds: Math.round(milliseconds * 1_000) / 1_000,
  };
  return JSON.stringify(line);
}

describe('a line of the decision log', () => {
  test('[LOG1] is the JSON of its fields, whatever came before it', () => {
    const events: Decided[] = [
      event,
      { ...event, decision: nobody },
      { ...event, decision: { ...nobody, snapshot: 'def' } },
      { ...event, decision: { ...decision, shadow: 'deny', shadowBy: other } },
      { ...event, decision: { ...decision, shadow: 'deny', shadowBy: null } },
      { ...event, decision: { ...nobody, reason: 'conflict', keys: ['k8s:ns', '"'] }, refused: true },
      { ...event, decision: { ...decision, decision: 'deny', by: other, shadowBy: other } },
      { ...event, channel: channelOf('decide'), caller: 'loopback', refused: false },
      { ...event, trace: '0af7', milliseconds: 1234 },
    ];
    for (const now of [1, 1, 2])
      for (const one of [...events, ...events])
        for (const [evidence, masked] of [[undefined, []] as const, ['sha256:0', ['k8s:ns', '"']] as const])
          expect(lineOf(one, evidence, { ...tell(one.request), masked }, now)).toBe(
            plainly(one, evidence, masked, now),
          );
  });

  test('[LOG1] [REQ7] has a request that was read off its bytes as it came', () => {
    const body = '{"source": {"attributes":{"k8s:ns":"shop"}} ,"destination":{"service":"a/b"}}';
    const written = engineOf([])
      .scan(new BodySheet(Buffer.from(`  ${body} `)))
      .one();
    expect(written).toBeDefined();
    expect(tell(written!)).toEqual({ request: body, masked: [] });
    expect(JSON.parse(teller({ keys: ['k8s:*'], salt: '' })(written!).request)).toMatchObject({
      source: { attributes: { 'k8s:ns': expect.stringMatching(/^masked:/) } },
      destination: { service: 'a/b' },
    });
  });
});
