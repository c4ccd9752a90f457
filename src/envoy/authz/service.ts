import { Alike } from '../../pdp/model/alike.ts';
import type { Decision } from '../../pdp/model/decision.ts';
import { toldHeaders, unsaidHeaders } from '../../pdp/model/proxies.ts';
import { jwtFilter } from '../export/exchange/token.ts';
import type { Method, Unary } from '../grpc/call.ts';
import { type Answered, type Answerer, askedIn, type Reading } from './ask.ts';
import { readCheck } from './check-request.ts';
import { type Answer, Answers, checkResponse, type Denial } from './check-response.ts';
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
  const respond = responder(authorization);
  return (message, call) => {
    const answered = answer(askedIn(readCheck(message, namespaces), call.headers, reading), call);
    return answered instanceof Promise ? answered.then(respond) : respond(answered);
  };
}

function responder({ denial, tellUpstream }: Authorization): (answered: Answered) => Buffer {
  const remove = unsaidHeaders(tellUpstream);
  const alike = new Alike<Answers>();
  const answerTo = (decision: Decision, id: string): Answer => ({
    allow: decision.decision === 'allow',
    metadata: metadataOf(decision),
    id: { key: 'decision_id', header: toldHeaders.id, value: id },
    upstream: tellUpstream ? told(decision) : [],
    remove,
    denial,
  });
  const answersTo = (decision: Decision) => new Answers((id) => answerTo(decision, id));
  return ({ decision, id }) => alike.of(decision, answersTo)?.of(id) ?? checkResponse(answerTo(decision, id));
}

/** What the client sends under a name of ours is overwritten, or removed where we do not use it. */
function told({ reason, trust }: Decision): [string, string][] {
  return [
    [toldHeaders.reason, reason],
    [toldHeaders.trust, trust ?? 'none'],
  ];
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
