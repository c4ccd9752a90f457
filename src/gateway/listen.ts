import { constants } from 'node:crypto';
import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { getRequestListener, RequestError } from '@hono/node-server';
import { createApp } from './app.ts';
import { decideWays } from './decide/ways.ts';
import { externalAuthorization } from './extauthz/listener.ts';
import type { Load } from './http/admission.ts';
import { handleClientErrors } from './http/client-errors.ts';
import { guarded } from './http/guard.ts';
import { Incoming } from './http/incoming.ts';
import { type Problem, problemText, problemType, unexpected } from './http/problem.ts';
import { Room } from './http/room.ts';
import { outgoingOf, Unread } from './http/unread.ts';
import { direct } from './http/ways.ts';
import type { Service } from './service.ts';

export interface Listening {
  /** Certificate and key; not given, whoever calls is not asked for a certificate, and nothing is encrypted. */
  readonly tls?: SecureContextOptions;
  /** Whether a request with this `Host` is answered; not given, with any. */
  readonly host?: (host: string) => boolean;
  readonly bounds: Bounds;
  /** Whether `POST /decide` is answered without hono in between; traces need it there. */
  readonly direct?: boolean;
}

export interface Bounds extends Load {
  readonly headerBytes: number;
  readonly connections: number;
  /**
   * Milliseconds until the head, and until the whole request is there, and as many again until its reply is read; and
   * that a connection may be idle.
   */
  readonly headTime: number;
  readonly requestTime: number;
  readonly idleTime: number;
}

export function createServer(service: Service, listening: Listening): Server {
  const { bounds, tls } = listening;
  const unread = new Unread(bounds);
  const options: ServerOptions = {
    IncomingMessage: Incoming as typeof IncomingMessage,
    ServerResponse: outgoingOf(unread),
    maxHeaderSize: bounds.headerBytes,
    // Node refuses to be told otherwise.
    headersTimeout: Math.min(bounds.headTime, bounds.requestTime),
    requestTimeout: bounds.requestTime,
    keepAliveTimeout: bounds.idleTime,
    connectionsCheckingInterval: Math.min(5_000, bounds.headTime),
    // Refused by us, in our form.
    requireHostHeader: false,
  };
  const listener = listenerOf(service, listening, new Room(bounds, () => service.observer.shed()));
  const server =
    tls === undefined
      ? createHttp(options, listener)
      : createHttps({ ...options, ...tls, ...secured }, listener);
  server.maxConnections = bounds.connections;
  handleClientErrors(server);
  unread.follow(server);
  return server;
}

/**
 * Whether a certificate proves anything is for us to judge, by the bundles, and TLS knows none of them. No session is
 * taken up again: what a ticket keeps of the client's chain is not the same in every version of OpenSSL.
 */
export const secured = {
  requestCert: true,
  rejectUnauthorized: false,
  handshakeTimeout: 10_000,
  minVersion: 'TLSv1.2',
  secureOptions: constants.SSL_OP_NO_TICKET,
} as const;

const noAddress: Problem = { status: 400, title: 'the path and the header host make no address' };

function listenerOf(service: Service, listening: Listening, room: Room): RequestListener {
  const { callers, observer } = service;
  const through = getRequestListener(createApp(service).fetch, {
    errorHandler: (error) => {
      const problem = error instanceof RequestError ? noAddress : unexpected;
      if (problem === unexpected) observer.failed?.(error);
      const { status } = problem;
      return new Response(problemText(problem), { status, headers: { 'content-type': problemType } });
    },
  });
  const inner =
    listening.direct === false ? through : direct(decideWays(service), callers, observer, through);
  return guarded(externalAuthorization(service, inner), room, observer, listening.host);
}
