import { Alike } from '../../pdp/model/alike.ts';
import type { Decision } from '../../pdp/model/decision.ts';
import { toldHeaders, unsaidHeaders } from '../../pdp/model/proxies.ts';
import { jwtFilter } from '../export/exchange/token.ts';
import type { Method, Unary } from '../grpc/call.ts';
import { type Answered, type Answerer, askedIn, type Reading } from './ask.ts';
import { readCheck } from './check-request.ts';
import { checkResponse, type Denial, fieldsOf } from './check-response.ts';
import { destinationNamespace } from './destination.ts';

export const checkPath = '/envoy.service.auth.v3.Authorization/Check';
export interface Authorization {
  readonly reading: Reading;
  readonly answer: Answerer;
  readonly denial: Denial;
  /** Whether the upstream is told the reason and the trust too. */
  readonly tellUpstream: boolean;
}

/** `envoy.service.auth.v3.Authorization`, for filters of HTTP and of connections alike. */
export function authorizationMethods(authorization: Authorization): ReadonlyMap<string, Method> {
  return new Map([[checkPath, { unary: check(authorization) }]]);
}

function check(authorization: Authorization): Unary {
  const { reading, answer } = authorization;
  const namespaces = new Set([destinationNamespace, ...(reading.claims === undefined ? [] : [jwtFilter])]);
  return (message, call) => {
    const asked = askedIn(readCheck(message, namespaces), call.headers, reading);
    if (asked === undefined) return unknownDestination(authorization);
    const answered = answer(asked, call);
    if (!(answered instanceof Promise)) return respond(answered, authorization);
    return answered.then((one) => respond(one, authorization));
  };
}

const unsaid = { told: unsaidHeaders(true), untold: unsaidHeaders(false) } as const;

function respond({ decision, id }: Answered, { denial, tellUpstream }: Authorization): Buffer {
  const allow = decision.decision === 'allow';
  return checkResponse({
    allow,
    metadata: [['decision_id', id]],
    known: knownOf(decision),
    upstream: allow ? told(decision, id, tellUpstream) : [],
    remove: unsaid[tellUpstream ? 'told' : 'untold'],
    client: [[toldHeaders.id, id]],
    denial,
  });
}

/** What the client sends under a name of ours is overwritten, or removed where we do not use it. */
function told({ reason, trust }: Decision, id: string, all: boolean): [string, string][] {
  if (!all) return [[toldHeaders.id, id]];
  return [
    [toldHeaders.id, id],
    [toldHeaders.reason, reason],
    [toldHeaders.trust, trust ?? 'none'],
  ];
}

/** All but the ID. */
const alike = new Alike<Uint8Array>();

function knownOf(decision: Decision): Uint8Array {
  return alike.of(decision, encoded) ?? encoded(decision);
}

function encoded(decision: Decision): Uint8Array {
  return fieldsOf(metadataOf(decision));
}

function metadataOf({ decision, reason, by, shadow, shadowBy, snapshot }: Decision) {
  const fields: [string, string][] = [
    ['decision', decision],
    ['reason', reason],
    ['shadow', shadow],
    ['snapshot', snapshot],
  ];
  if (by !== null) fields.push(['policy', by.kri]);
  if (shadowBy !== null) fields.push(['shadow_policy', shadowBy.kri]);
  return fields;
}

/** A proxy that does not say what it asks for asks for nothing that could be allowed. */
function unknownDestination({ denial }: Authorization): Buffer {
  const reason = 'unknown-destination';
  return checkResponse({
    allow: false,
    metadata: [
      ['decision', 'deny'],
      ['reason', reason],
      ['shadow', 'deny'],
    ],
    upstream: [],
    remove: [],
    client: [],
    denial,
  });
}
