import { describe, expect, test } from 'vitest';
import { Metrics } from '../../../src/gateway/metrics/metrics.ts';
import { mostPolicies } from '../../../src/gateway/metrics/tally.ts';
import type { Decided, Live } from '../../../src/gateway/service.ts';
import type { By, Decision } from '../../../src/pdp/model/decision.ts';
import { operatorChannel } from '../../../src/pdp/model/request.ts';

const live: Live = {
  current: () => undefined,
  explain: () => Promise.reject(new Error('not asked')),
  readiness: () => ({
    ready: false,
    sources: [{ name: 'policies', synced: true, fresh: true, age: 2_500, problems: ['a', 'b'] }],
    problems: 3,
  }),
};

const by = (kri: string): By => ({ policy: kri, kri, effect: 'allow', index: 0 });

function event(decision: Partial<Decision>): Decided {
  return {
    id: '1',
    via: 'decide',
    caller: 'test',
    request: { destination: { service: 'a/b' } },
    channel: operatorChannel,
    milliseconds: 0.004,
    decision: {
      decision: 'allow',
      tier: 3,
      by: null,
      shadow: 'allow',
      shadowBy: null,
      reason: 'rule',
      trust: null,
      snapshot: 's',
      ...decision,
    },
  };
}

async function linesOf(metrics: Metrics, name: string): Promise<string[]> {
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('metrics', () => {
  test('[SEE1] a decision counts by verdict, shadow and reason, and under both deciding policies', async () => {
    const metrics = new Metrics(live);
    const [mine, theirs] = [by('mine'), by('theirs')];
    metrics.decided(event({ by: mine, shadowBy: theirs, shadow: 'deny' }));
    metrics.decided(event({ by: mine, shadowBy: mine }));
    metrics.decided(event({ decision: 'deny', shadow: 'deny', reason: 'default' }));
    // Of a snapshot that came later.
    metrics.decided(event({ by: by('mine'), shadowBy: theirs, shadow: 'deny' }));
    expect(await linesOf(metrics, 'placet_decisions_total')).toEqual([
      'placet_decisions_total{decision="allow",shadow="allow",reason="rule"} 1',
      'placet_decisions_total{decision="allow",shadow="deny",reason="rule"} 2',
      'placet_decisions_total{decision="deny",shadow="deny",reason="default"} 1',
    ]);
    expect(await linesOf(metrics, 'placet_policy_decisions_total')).toEqual([
      'placet_policy_decisions_total{decision="allow",shadow="allow",policy="mine"} 1',
      'placet_policy_decisions_total{decision="allow",shadow="deny",policy="mine"} 2',
    ]);
    expect(await linesOf(metrics, 'placet_policy_shadow_decisions_total')).toEqual([
      'placet_policy_shadow_decisions_total{decision="allow",shadow="allow",policy="mine"} 1',
      'placet_policy_shadow_decisions_total{decision="allow",shadow="deny",policy="theirs"} 2',
    ]);
  });

  test('[SEE1] as many policies as there may be are counted by name, the rest together', async () => {
    const metrics = new Metrics(live);
    for (let n = 0; n < mostPolicies + 5; n++) metrics.decided(event({ by: by(`p${n}`) }));
    const lines = await linesOf(metrics, 'placet_policy_decisions_total');
    expect(lines).toHaveLength(mostPolicies + 1);
    expect(lines.at(-1)).toBe(
      'placet_policy_decisions_total{decision="allow",shadow="allow",policy="other"} 5',
    );
    expect(lines.at(-2)).toContain(`policy="p${mostPolicies - 1}"`);
  });

  test('[SEE2] readiness, sources, time to decide, what was turned away and what others count', async () => {
    let dropped = 0;
    const metrics = new Metrics(live, [{ name: 'placet_log_dropped', help: 'Lines.', read: () => dropped }]);
    metrics.decided(event({}));
    metrics.shed();
    dropped = 7;
    const text = await metrics.registry.metrics();
    for (const line of [
      'placet_ready 0',
      'placet_source_age_seconds{source="policies"} 2.5',
      'placet_source_problems{source="policies"} 2',
      'placet_policy_problems 3',
      'placet_shed_total 1',
      'placet_log_dropped_total 7',
      'placet_decision_seconds_bucket{le="0.000002"} 0',
      'placet_decision_seconds_bucket{le="0.000005"} 1',
      'placet_decision_seconds_count 1',
    ])
      expect(text.split('\n')).toContain(line);
  });
});
