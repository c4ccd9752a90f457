import { createHash } from 'node:crypto';
import type { Written } from '../../pdp/index/written.ts';
import { asRequest } from '../../pdp/model/as-request.ts';
import { type Decision, type Reason, refusal } from '../../pdp/model/decision.ts';
import { isObject } from '../../pdp/model/read-request.ts';
import type { Channel, Request } from '../../pdp/model/request.ts';
import { requestViolations } from '../../pdp/model/request-violations.ts';
import { Refused } from '../http/problem.ts';
import type { Caller, Evidence, Identification, Service, Snapshot } from '../service.ts';
import { isTraced, traceId } from '../trace/trace.ts';
import { believed } from './believed.ts';
import { apart, bounded, type GivenEvidence, hinted } from './evidence.ts';
import { decisionIds } from './ids.ts';
import { channelFor, join } from './join.ts';

/** A decision with all that a reply can say of it. */
export interface Answered {
  readonly id: string;
  readonly decision: Decision;
  readonly snapshot: Snapshot;
  /** As it was decided: what evidence says is in it. */
  readonly request: Request | Written;
  readonly channel: Channel;
  /** Seconds. */
  readonly ttl: number;
  readonly refused: Identification['refused'];
  /** It was denied for what was shown of the client, or for its age: no policy was asked. */
  readonly unasked: boolean;
}

/**
 * What every way in asks: `body` is a request of the contract, with evidence in its source if there is any, or one that
 * the snapshot has read off its bytes (`known.snapshot`), which has none.
 */
export type Ask = (body: unknown, caller: Caller, via: string, known?: Known) => Answered | Promise<Answered>;

/** What a way in has found out before it asks. */
export interface Known {
  /** That all of one question is decided by. */
  readonly snapshot?: Snapshot;
  /** In which what counts for more than the caller does says so itself. */
  readonly channel?: Channel;
  /** Of the client, where it is not in the body. */
  readonly evidence?: GivenEvidence;
  /** Why there is nothing to decide. */
  readonly refusal?: { readonly reason: Reason; readonly keys?: readonly string[] };
}

/** One question on its way. */
interface Asked {
  readonly snapshot: Snapshot;
  readonly caller: Caller;
  readonly via: string;
  readonly from: number;
  readonly evidence?: Evidence | undefined;
}

export function asker(service: Service): Ask {
  const { live, identify } = service;
  const settle = settler(service);
  return (body, caller, via, known = nothing) => {
    const snapshot = known.snapshot ?? live.current();
    if (snapshot === undefined) throw notReady();
    const asked: Asked = { snapshot, caller, via, from: performance.now() };
    const channel = known.channel ?? channelFor(caller.roles);
    if (known.refusal !== undefined) {
      const { reason, ...more } = known.refusal;
      return settle(asked, refusal(reason, snapshot.name, more), body, channel, { refused: true });
    }
    // What was read off bytes is no plain object, and has no evidence either.
    if (!isObject(body)) return settle(asked, snapshot.decide(body, channel), body, channel);
    const { request, evidence, violations } =
      known.evidence === undefined ? apart(body) : { request: body, ...bounded(known.evidence) };
    if (evidence === undefined) return settle(asked, snapshot.decide(request, channel), request, channel);
    // What a way in has put together itself is looked at once, as it is decided.
    const sound = known.evidence === undefined ? asRequest(request) : (request as Request);
    if (violations.length > 0 || sound === undefined) {
      const all = [...violations, ...requestViolations(request)];
      const decision = refusal('invalid-request', snapshot.name, { violations: all });
      return settle(asked, decision, request, channel);
    }
    const proven: Asked = { ...asked, evidence };
    const conclude = (all: Identification): Answered => {
      const found = believed(all, caller.roles);
      const joined = join(sound, found.source, channel, Date.now());
      const refused = refusedFor(snapshot, joined.conflicts, found);
      const decision = refused ?? aged(snapshot.decide(joined.request, joined.channel), found);
      return settle(proven, decision, joined.request, joined.channel, {
        found,
        refused: refused !== undefined,
      });
    };
    const found = identify(evidence, sound.source);
    return found instanceof Promise ? found.then(conclude) : conclude(found);
  };
}

/** Evidence that is refused, or that contradicts what else is said, is no evidence to decide by. */
function refusedFor(
  { name }: Snapshot,
  conflicts: readonly string[],
  found: Identification,
): Decision | undefined {
  if (found.refused.length > 0) {
    const token = found.refused.every(({ evidence }) => evidence === 'jwt');
    return refusal(token ? 'token-refused' : 'invalid-source', name);
  }
  if (found.conflicts.length + conflicts.length === 0) return undefined;
  return refusal('conflict', name, { keys: [...new Set([...found.conflicts, ...conflicts])].sort() });
}

/** What is known of a cluster may be too old to count, and a deny may be for want of it. */
function aged(decision: Decision, { stale }: Identification): Decision {
  const wants = decision.reason === 'default' || decision.reason === 'unknown-attribute';
  return stale === true && wants && decision.decision === 'deny'
    ? { ...decision, reason: 'stale' }
    : decision;
}

/** How a decision came about. */
interface How {
  readonly found?: Identification;
  /** No policy was asked. */
  readonly refused?: boolean;
}

type Settle = (asked: Asked, decision: Decision, request: unknown, channel: Channel, how?: How) => Answered;

function settler({ live, observer, settings }: Service): Settle {
  const nextId = decisionIds();
  const traced = isTraced();
  return (asked, decided, request, channel, { found, refused = false } = unasked) => {
    const { snapshot, evidence } = asked;
    const stale = live.stale?.() === true;
    let decision = decided;
    if (decided.reason === 'invalid-request')
      decision = { ...decided, violations: hinted(decided.violations ?? [], asked.via) };
    else if (stale) decision = refusal('stale', snapshot.name);
    const answered: Answered = {
      id: nextId(),
      decision,
      snapshot,
      request: request as Request | Written,
      channel,
      ttl: leaseOf(decision, settings.ttl, found?.validUntil),
      refused: found?.refused ?? none,
      unasked: refused || stale,
    };
    // Of what was no request there is nothing to tell.
    if (decision.reason !== 'invalid-request')
      observer.decided({
        id: answered.id,
        via: asked.via,
        caller: asked.caller.name,
        request: answered.request,
        channel,
        decision,
        evidence: evidence === undefined ? undefined : () => digestOf(evidence),
        refused: refused || stale,
        trace: traced ? traceId() : undefined,
        milliseconds: performance.now() - asked.from,
      });
    return answered;
  };
}

const nothing: Known = {};
const unasked: How = {};
const none: Identification['refused'] = [];

/** What policies say holds for a while; what was wrong with the evidence, or was not known, may be otherwise at once. */
function leaseOf({ reason }: Decision, ttl: number, until: number | undefined): number {
  if (reason !== 'rule' && reason !== 'default') return 0;
  return until === undefined ? ttl : Math.max(0, Math.min(ttl, Math.floor((until - Date.now()) / 1_000)));
}

function digestOf({ certificate, xfcc, jwt, ip }: Evidence): string {
  return createHash('sha256')
    .update(JSON.stringify([certificate, xfcc, jwt, ip]))
    .digest('hex');
}

export function notReady(): Refused {
  return new Refused(
    { status: 503, title: 'not ready', detail: 'the policies were not read yet; deny until they are' },
    { 'retry-after': '1' },
  );
}
