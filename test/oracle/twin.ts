import type { By, Reason } from '../../src/pdp/model/decision.ts';
import { type Channel, operatorChannel, type Request } from '../../src/pdp/model/request.ts';
import type { Effect, Tier } from '../../src/pdp/model/rule.ts';
import type { Trust } from '../../src/pdp/model/trust.ts';
import { type Destination, destinationOf } from './destination.ts';
import { type Known, knownFrom } from './known.ts';
import { isRequest, named } from './request.ts';
import type { TwinRule } from './rule.ts';
import { rulesOf } from './rules.ts';
import type { Shape } from './shapes.ts';
import { Source } from './source.ts';
import { governs, type Question, questionOf, type Weighed, weigh } from './weigh.ts';

/**
 * A second reading of docs/SPEC.md: slow, without indexes, over the documents as they are written. It shares
 * only types with what it checks; where the two differ, one of them read the rules wrongly.
 */

export interface TwinDecision {
  decision: Effect;
  tier: Tier | null;
  by: By | null;
  shadow: Effect;
  shadowBy: By | null;
  reason: Reason;
  trust: Trust | null;
  keys?: readonly string[];
  age?: number;
}

/** What is told beside the decision, for the counts that a run must reach. */
export interface Told {
  /** Rules that match, enforced. */
  matching: number;
  /** All rules with what they come to, in policy order. */
  weighed: Weighed[];
  /** Rules of which all holds but the path or the method. */
  failedOnParts: TwinRule[];
}

export interface Twin {
  decide(request: unknown): TwinDecision;
  tell(request: Request): Told;
}

const parts = ['request:path', 'request:method'];

export function openTwin(shapes: readonly Shape[], channel: Channel = operatorChannel): Twin {
  const known = knownFrom(shapes);
  const rules = rulesOf(shapes);
  return {
    decide: (request) =>
      isRequest(request) ? decide(named(request), rules, known, channel) : denied('invalid-request'),
    tell(asked) {
      const request = named(asked);
      const destination = destinationOf(request.destination, known, channel);
      if (destination === 'unknown-destination') return { matching: 0, weighed: [], failedOnParts: [] };
      const question = questionOf(
        request,
        new Source(request.source, known, channel),
        destination,
        known,
        channel,
      );
      const weighed = rules.map((rule) => weigh(rule, rule.enforced, question));
      const failedOnParts = rules.filter((rule, index) => {
        const others = rule.conditions.filter((condition) => !parts.includes(condition.key));
        return (
          !weighed[index]!.matches && weigh({ ...rule, conditions: others }, rule.enforced, question).matches
        );
      });
      return { matching: weighed.filter((one) => one.matches).length, weighed, failedOnParts };
    },
  };
}

/** A guard: no tier, no deciding rule, both worlds (TIER4). */
function denied(reason: Reason, keys?: string[]): TwinDecision {
  const decision = { decision: 'deny', tier: null, by: null, shadow: 'deny', shadowBy: null } as const;
  return { ...decision, reason, trust: null, ...(keys === undefined ? {} : { keys }) };
}

function decide(request: Request, rules: readonly TwinRule[], known: Known, channel: Channel): TwinDecision {
  const destination = destinationOf(request.destination, known, channel);
  if (destination === 'unknown-destination') return denied('unknown-destination');
  const source = new Source(request.source, known, channel);
  if (source.invalid) return denied('invalid-source');
  if (destination.inbounds !== undefined && !source.identified) return denied('unidentified');
  const conflicts = [...source.conflicts, ...(destination.elsewhere ? ['placet:namespace'] : [])];
  if (conflicts.length > 0) return denied('conflict', conflicts.sort());
  if (isIncomplete(request, destination)) return denied('incomplete-request');

  const question = questionOf(request, source, destination, known, channel);
  const enforced = world(rules, question, (rule) => rule.enforced);
  const shadow = world(rules, question, (rule) => rule.shadow);
  const verdict: TwinDecision = {
    decision: enforced.decision,
    tier: enforced.tier,
    by: enforced.by,
    shadow: shadow.decision,
    shadowBy: shadow.by,
    reason: enforced.reason,
    trust: enforced.trust,
  };
  if (enforced.keys.length > 0) verdict.keys = enforced.keys;
  if (enforced.since !== undefined && request.at !== undefined) verdict.age = request.at - enforced.since;
  return verdict;
}

/** [DST6] Where one of the inbounds that can be meant is declared to speak http. */
function isIncomplete(request: Request, destination: Destination): boolean {
  if (request.request?.method !== undefined && request.request.path !== undefined) return false;
  const protocols = (destination.inbounds ?? []).map((inbound) => inbound.protocol ?? '');
  return protocols.some((protocol) => ['http', 'http2', 'grpc'].includes(protocol));
}

interface World {
  decision: Effect;
  tier: Tier | null;
  by: By | null;
  reason: Reason;
  trust: Trust | null;
  keys: string[];
  since: number | undefined;
}

const nothing = { tier: null, by: null, trust: null, keys: [], since: undefined } as const;

/** The verdict of one world: what would hold if each rule decided in the tier that `tierOf` gives it. */
function world(
  rules: readonly TwinRule[],
  question: Question,
  tierOf: (rule: TwinRule) => Tier | null,
): World {
  // [PATH3]
  if (question.ambiguousPath) {
    for (const rule of rules) {
      const readsPaths = rule.conditions.some((condition) => condition.key === 'request:path');
      if (tierOf(rule) !== null && readsPaths && governs(rule, tierOf(rule), question))
        return { ...nothing, decision: 'deny', reason: 'ambiguous-path', keys: [] };
    }
  }

  const matching: Weighed[] = [];
  for (const rule of rules) {
    const weighed = weigh(rule, tierOf(rule), question);
    if (weighed.matches) matching.push(weighed);
  }
  // [LST1]
  const isDoubtful = (other: Weighed) => tierOf(other.rule) === 4 && other.unknownKeys.length > 0;
  const standing = matching.filter(
    (one) =>
      !matching.some(
        (other) => putsOut(other.rule, one.rule) && !(isDoubtful(other) && tierOf(one.rule) === 2),
      ),
  );
  // [TIER1] [TIER2]
  for (const tier of [0, 1, 2, 3, 4] as const) {
    for (const one of standing) {
      if (tierOf(one.rule) !== tier) continue;
      return {
        decision: tier === 1 || tier === 3 ? 'allow' : 'deny',
        tier,
        by: one.rule.by,
        reason: one.reason,
        trust: one.trust,
        keys: one.unknownKeys,
        since: one.since,
      };
    }
  }
  return { ...nothing, decision: 'deny', reason: 'default', keys: [] };
}

/** [TAG1] Whether the first is the stronger item of the same list. */
function putsOut(a: TwinRule, b: TwinRule): boolean {
  if (a.list === undefined || b.list === undefined || a.list.id !== b.list.id) return false;
  if (a.list.policy !== b.list.policy) return a.list.policy > b.list.policy;
  return a.list.item > b.list.item;
}
