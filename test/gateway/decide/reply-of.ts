import type { Answered } from '../../../src/gateway/decide/ask.ts';
import { messages } from '../../../src/gateway/decide/message.ts';
import { shown } from '../../../src/gateway/http/problem.ts';

/** The slow twin of `replyText`. */
export function replyOf({ decision, id, ttl, refused, snapshot }: Answered, detailed: boolean): object {
  const { by, shadowBy, keys, age, violations } = decision;
  const place = by === null ? undefined : snapshot.placeOf(by);
  const all = {
    decision: decision.decision,
    tier: decision.tier,
    by: detailed ? by : null,
    place: detailed ? place : undefined,
    shadow: decision.shadow,
    shadowBy: detailed ? shadowBy : null,
    reason: decision.reason,
    trust: decision.trust,
    snapshot: decision.snapshot,
    keys: detailed ? keys : undefined,
    age,
    violations: violations?.map(shown),
    message: decision.decision === 'deny' ? messages[decision.reason] : undefined,
    refused:
      detailed && refused.length > 0
        ? refused.map(({ evidence, refusal }) => ({ evidence, ...refusal }))
        : undefined,
    decisionId: id,
    ttl,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
