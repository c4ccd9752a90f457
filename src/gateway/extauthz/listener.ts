import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pathBefore } from '../../pdp/model/path.ts';
import { toldHeaders, unsaidHeaders } from '../../pdp/model/proxies.ts';
import { type RequestDestination, type RequestParts, untoldServerNames } from '../../pdp/model/request.ts';
import { type Answered, asker, type Known } from '../decide/ask.ts';
import { channelFor } from '../decide/join.ts';
import { admitted, callingOf, requireRole } from '../http/callers.ts';
import { notFound, otherMethod } from '../http/methods.ts';
import { Refused } from '../http/problem.ts';
import { checkRoom, proving, working } from '../http/room.ts';
import { failed } from '../http/ways.ts';
import type { Called, ExtAuthz, Service } from '../service.ts';
import { type Distinct, originalOf } from './original.ts';
import { behind, destinationIn, whyUnnamed } from './target.ts';

const extAuthzPrefix = '/ext_authz/';
const forwardAuthPrefix = '/forward_auth/';

/** One question of a proxy. */
interface Question {
  readonly via: string;
  readonly destination: RequestDestination;
  /** Undefined: what is said of it contradicts itself. */
  readonly request: RequestParts | undefined;
}

/**
 * Answers proxies that ask by HTTP whether a request of somebody else may go on: by 200 it may. What stands behind the
 * prefix is a client's, byte for byte, so that it never gets as far as a router: one that resolves `..` would take it
 * for another question, and answer that with 200.
 */
export function externalAuthorization(service: Service, otherwise: RequestListener): RequestListener {
  const { callers, observer } = service;
  const ask = asker(service);
  const answering = service.settings.extAuthz;
  const unsaid = unsaidHere(answering).join(',');
  return (incoming, outgoing) => {
    const { url = '' } = incoming;
    const read = url.startsWith(extAuthzPrefix)
      ? envoyAsks
      : url.startsWith(forwardAuthPrefix)
        ? otherAsks
        : undefined;
    if (read === undefined) return void otherwise(incoming, outgoing);
    const fail = (error: unknown): void => failed(outgoing, observer, error);
    const answer = (called: Called): void => {
      const caller = admitted(called);
      requireRole(caller, 'decide');
      requireRole(caller, 'relay');
      const question = read(incoming, url);
      const { 'x-forwarded-client-cert': xfcc } = incoming.headers;
      const { destination, request = {} } = question;
      // No proxy tells of server names this way.
      const channel = untoldServerNames(channelFor(caller.roles));
      const known =
        question.request === undefined
          ? contradicted
          : { channel, ...(xfcc === undefined ? {} : { evidence: { xfcc } }) };
      checkRoom(incoming);
      const answered = ask({ destination, request }, caller, question.via, known);
      if (answered instanceof Promise)
        working(incoming, answered)
          .then((one) => send(outgoing, one))
          .catch(fail);
      else send(outgoing, answered);
    };
    try {
      // A header `authorization` is the client's, and none of the proxy's.
      const called = callers.caller(callingOf({ socket: incoming.socket, headers: {} }));
      if (called instanceof Promise) proving(incoming, called).then(answer).catch(fail);
      else answer(called);
    } catch (error) {
      fail(error);
    }
  };

  function send(outgoing: ServerResponse, { id, decision: { decision, reason, trust } }: Answered): void {
    outgoing.setHeader(toldHeaders.id, id);
    if (decision !== 'allow') {
      const { status, body } = answering.denial;
      outgoing.writeHead(status, { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(body) });
      return void outgoing.end(body);
    }
    if (answering.tellUpstream) {
      outgoing.setHeader(toldHeaders.reason, reason);
      outgoing.setHeader(toldHeaders.trust, trust ?? 'none');
    }
    outgoing.writeHead(200, { 'x-envoy-auth-headers-to-remove': unsaid, 'content-length': 0 });
    outgoing.end();
  }
}

/** What we say ourselves gets to an upstream by Envoy's leave alone (`allowed_upstream_headers`): without it the client's would. */
function unsaidHere({ tellUpstream }: ExtAuthz): readonly string[] {
  const unsaid = unsaidHeaders(tellUpstream);
  return tellUpstream ? unsaid : [toldHeaders.id, ...unsaid];
}

const contradicted: Known = { refusal: { reason: 'conflict', keys: ['request:method', 'request:path'] } };

/** Envoy puts `path_prefix` before the path of the client, and takes its method. */
function envoyAsks({ headers, method = '' }: IncomingMessage, url: string): Question {
  const { segment, rest } = behind(extAuthzPrefix, url);
  const destination = destinationIn(segment, headers);
  if (destination === undefined) throw unnamed(url, whyUnnamed(segment));
  if (rest === '') throw unnamed(url, "the client's path does not stand behind it");
  return { via: 'ext_authz', destination, request: { method, path: pathBefore(rest) } };
}

/** Others ask at one path, and tell of the client's request in headers. */
function otherAsks({ headers, headersDistinct, method }: IncomingMessage, url: string): Question {
  const { segment, rest } = behind(forwardAuthPrefix, url);
  const destination = destinationIn(segment, headers);
  if (destination === undefined) throw unnamed(url, whyUnnamed(segment));
  if (rest !== '')
    throw unnamed(url, 'something stands behind it, and the path of the client is told in headers');
  if (method !== 'GET' && method !== 'HEAD')
    throw new Refused(...otherMethod(`${method} ${url}`, 'GET, HEAD'));
  return { via: 'forward_auth', destination, request: originalOf(headersDistinct as Distinct) };
}

const example = 'mesh=default;dataplane=web-1;inbound=http';

function unnamed(url: string, why: string): Refused {
  const want = url.startsWith(extAuthzPrefix)
    ? `${extAuthzPrefix}${example}/path/of/the/client`
    : `${forwardAuthPrefix}${example}`;
  return new Refused({
    ...notFound(url),
    detail: `got ${url.slice(0, 200)}: ${why}; want a dataplane or a service in it, as in ${want}`,
  });
}
