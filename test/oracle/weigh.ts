import type { Reason } from '../../src/pdp/model/decision.ts';
import type { Channel, Request } from '../../src/pdp/model/request.ts';
import type { Tier } from '../../src/pdp/model/rule.ts';
import type { Trust } from '../../src/pdp/model/trust.ts';
import type { Destination } from './destination.ts';
import type { Known, KnownInbound } from './known.ts';
import { normalPath } from './path.ts';
import type { TwinCondition, TwinRule } from './rule.ts';
import { type Seen, truthOf, weakerOf } from './seen.ts';
import type { Source } from './source.ts';

/** Everything about one request that conditions ask for. */
export interface Question {
  source: Source;
  destination: Destination;
  method: Seen;
  path: Seen;
  sni: Seen;
  ambiguousPath: boolean;
  /** [UNK4] The site's floor, for allows that name none. */
  siteFloor: Trust;
}

const unknown: Seen = { is: 'unknown', because: 'missing' };

export function questionOf(
  request: Request,
  source: Source,
  destination: Destination,
  known: Known,
  channel: Channel,
): Question {
  const parts = request.request ?? {};
  const inbounds = destination.inbounds ?? [];
  const hidden = inbounds.some(isTcp);
  const normal = parts.path === undefined ? undefined : normalPath(parts.path);
  const shown = (text: string | undefined): Seen =>
    text === undefined || hidden ? unknown : { is: 'value', values: [text], trust: undefined };
  return {
    source,
    destination,
    method: shown(parts.method),
    path: shown(normal === undefined || normal === 'ambiguous' ? undefined : normal.path),
    // [REQ6] no SNI is known absence, where SNIs are told; a TCP inbound shows it too
    sni:
      parts.sni !== undefined
        ? { is: 'value', values: [parts.sni.toLowerCase()], trust: undefined }
        : channel.serverNames === 'untold'
          ? unknown
          : { is: 'absent', trust: undefined },
    // [DST6] where nothing of a path is known, nothing of it is ambiguous
    ambiguousPath: normal === 'ambiguous' && (inbounds.length === 0 || !inbounds.every(isTcp)),
    siteFloor: known.site.floor ?? 'reported',
  };
}

function isTcp(inbound: KnownInbound): boolean {
  return ['tcp', 'tls', 'kafka'].includes(inbound.protocol ?? '');
}

/** What one rule comes to in one world. */
export interface Weighed {
  rule: TwinRule;
  matches: boolean;
  reason: Reason;
  trust: Trust | null;
  since: number | undefined;
  unknownKeys: string[];
}

/** [UNK1] [UNK5] */
export function weigh(rule: TwinRule, tier: Tier | null, question: Question): Weighed {
  const weighed: Weighed = {
    rule,
    matches: false,
    reason: 'rule',
    trust: null,
    since: undefined,
    unknownKeys: [],
  };
  if (tier === null || !mayGovern(rule, tier, question)) return weighed;
  const allows = tier === 1 || tier === 3;
  const unknownKeys = new Set<string>();
  let onlyShared = true;
  for (const condition of rule.conditions) {
    const seen = see(condition, question);
    const truth = truthOf(condition, seen, floorOf(condition, allows, question));
    if (truth === 'false') return weighed;
    if (truth === 'unknown') {
      if (allows) return weighed;
      unknownKeys.add(condition.key);
      if (seen.is !== 'unknown' || seen.because !== 'shared-identity') onlyShared = false;
    } else if (condition.side === 'source' && seen.is === 'value') {
      // [TIER3] only what was known counts as read
      if (seen.trust !== undefined)
        weighed.trust = weighed.trust === null ? seen.trust : weakerOf(weighed.trust, seen.trust);
      if (seen.since !== undefined) weighed.since = Math.min(weighed.since ?? seen.since, seen.since);
    }
  }
  weighed.matches = true;
  weighed.unknownKeys = [...unknownKeys].sort();
  if (unknownKeys.size > 0) weighed.reason = onlyShared ? 'shared-identity' : 'unknown-attribute';
  return weighed;
}

/** [PATH3] Whether nothing that is known of the destination keeps the rule away from it. */
export function governs(rule: TwinRule, tier: Tier | null, question: Question): boolean {
  if (tier === null || !mayGovern(rule, tier, question)) return false;
  return rule.conditions
    .filter((condition) => condition.side === 'destination')
    .every((condition) => truthOf(condition, see(condition, question), undefined) !== 'false');
}

/** [DST1] [DST2] */
function mayGovern(rule: TwinRule, tier: Tier, question: Question): boolean {
  if (rule.kind === 'MeshTrafficPermission') return question.destination.inbounds !== undefined;
  const allows = tier === 1 || tier === 3;
  return !allows || question.destination.accessPoliciesAllow;
}

function see(condition: TwinCondition, question: Question): Seen {
  if (condition.side === 'source') return question.source.see(condition.key);
  if (condition.side === 'destination') return question.destination.see(condition.key);
  if (condition.key === 'request:method') return question.method;
  if (condition.key === 'request:path') return question.path;
  return question.sni;
}

/** [UNK4] Destinations are the operator's to configure, so no more than that is asked of them in general. */
function floorOf(condition: TwinCondition, allows: boolean, question: Question): Trust | undefined {
  if (condition.floor !== undefined) return condition.floor;
  if (!allows) return undefined;
  return condition.side === 'destination' ? weakerOf(question.siteFloor, 'configured') : question.siteFloor;
}
