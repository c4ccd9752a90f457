import type { Server } from 'node:http';
import type { Http2Server, ServerHttp2Session } from 'node:http2';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answered, Answerer, Asked, Reading } from '../../envoy/authz/ask.ts';
import { authorizationMethods } from '../../envoy/authz/service.ts';
import type { Call, Method } from '../../envoy/grpc/call.ts';
import { createGrpcServer, type GrpcServerOptions } from '../../envoy/grpc/server.ts';
import { GrpcError, status } from '../../envoy/grpc/status.ts';
import { type Health, healthMethods } from '../../envoy/health/service.ts';
import type { Discovery } from '../../envoy/xds/service.ts';
import { asker, type Known } from '../../gateway/decide/ask.ts';
import { channelFor } from '../../gateway/decide/join.ts';
import { Admission } from '../../gateway/http/admission.ts';
import { callingOf } from '../../gateway/http/callers.ts';
import { Refused } from '../../gateway/http/problem.ts';
import { secured } from '../../gateway/listen.ts';
import type { Caller, Callers, Calling, Service } from '../../gateway/service.ts';
import { type RequestDestination, untoldServerNames } from '../../pdp/model/request.ts';
import { accessOf } from './access.ts';
import { type Address, readAddress } from './address.ts';
import { spokenFor } from './authz-claims.ts';
import type { EnvoyConfig } from './config-envoy.ts';
import type { CallerRule, Config } from './config-schema.ts';
import { boundsOf } from './config-settings.ts';
import { listen } from './listen.ts';
import { openSockets } from './open-sockets.ts';
import type { Pairs } from './tls.ts';

export interface EnvoySide {
  /** Where, in words. */
  readonly at: string;
  /** Tells all who ask to go; resolves when they are gone. */
  close(): Promise<void>;
}

export interface EnvoyParts {
  readonly config: Config;
  readonly envoy: EnvoyConfig;
  readonly service: Service;
  /** Who calls, by the rules for where this listens. */
  readonly callersBy: (rules: readonly CallerRule[]) => Callers;
  readonly pairs: Pairs | undefined;
  readonly log: (line: string) => void;
  readonly discovery: Pick<Discovery, 'methods'>;
}

/** Listens for Envoys; by default whoever may ask there may ask here. */
export async function openEnvoy(parts: EnvoyParts): Promise<EnvoySide> {
  const { config, envoy, service, callersBy, pairs, log } = parts;
  const address = readAddress(envoy.listen) as Address;
  const rules = accessOf(config, address, envoy.listen);
  const { server, health } = serverOf(parts, { ...service, callers: callersBy(rules) });
  const sessions = new Set<ServerHttp2Session>();
  const sockets = openSockets(server);
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  let ending: Promise<void> | undefined;
  const beat = setInterval(() => health.changed(), healthBeat).unref();
  await listen(server as unknown as Server, address, 'envoy.listen');
  const unfollow = pairs?.follow(server as unknown as SecureServer, log);
  return {
    at: address.kind === 'socket' ? `unix:${address.path}` : hostOf(server.address() as AddressInfo),
    close() {
      ending ??= end();
      return ending;
    },
  };

  async function end(): Promise<void> {
    // Whoever watches hears why.
    health.changed();
    clearInterval(beat);
    unfollow?.();
    const gone = new Promise((resolve) => server.close(resolve));
    for (const session of sessions) session.close();
    const over = new AbortController();
    await Promise.race([gone, pause(lastCalls, undefined, over).catch(() => undefined)]);
    over.abort();
    // Those of xDS are never finished.
    for (const session of sessions) session.destroy();
    // Nor those of who never ends a handshake.
    for (const socket of sockets) socket.destroy();
  }
}

/** Milliseconds for what is under way. */
const lastCalls = 1_000;

/** That a connection may have at once, however little is allowed of everybody. */
const leastStreams = 100;

/** Milliseconds after which who watches our health hears of a change. */
const healthBeat = 500;

function hostOf({ address, family, port }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
}

interface Listening {
  readonly server: Http2Server;
  readonly health: Health;
}

/** What Envoys ask: ext_authz by the same decisions as everybody's, xDS, and health. */
function serverOf({ config, envoy, pairs, discovery }: EnvoyParts, service: Service): Listening {
  const { limits } = config;
  const callings = new WeakMap<ServerHttp2Session, Calling>();
  // Certificates end, and bundles change, while a proxy's connection goes on.
  const known = ({ session }: Call) => callerOf(service, callings.get(session) as Calling);
  const { denial, tellUpstream } = envoy;
  const authorization = {
    reading: readingOf(envoy),
    denial,
    tellUpstream,
    answer: answererOf(service, known, envoy.claims !== undefined),
  };
  const streams = [...discovery.methods].map(([path, method]) => [path, asked(method, known)] as const);
  const methods = new Map([...authorizationMethods(authorization), ...streams]);
  const health = healthMethods(() => service.live.readiness().ready, methods.keys());
  const options: GrpcServerOptions = {
    methods: new Map([...methods, ...health.methods]),
    limits: {
      // Whoever does not read its answers keeps its places, which must not be all of them.
      streamsPerSession: Math.max(leastStreams, Math.ceil(limits.concurrency / 4)),
      sessions: limits.connections,
      turn: limits.turn * 1_000,
      reading: limits.requestTime * 1_000,
    },
    load: new Admission(boundsOf(config)),
    admit: (session) => {
      const calling = callingOf({ socket: session.socket, headers: {} });
      callings.set(session, calling);
      callerOf(service, calling);
    },
    onShed: () => service.observer.shed(),
    onError: (error) => service.observer.failed?.(error),
    ...(pairs === undefined ? {} : { tls: { ...pairs.first, ...secured } }),
  };
  return { server: createGrpcServer(options), health };
}

/** Who calls is asked whenever something is said on a stream. */
function asked(method: Method, known: (call: Call) => Caller): Method {
  if (!('streaming' in method)) return method;
  return {
    streaming(conversation) {
      const listener = method.streaming(conversation);
      return {
        ...listener,
        message(message) {
          known(conversation);
          listener.message(message);
        },
      };
    },
  };
}

function readingOf({ destination, destinations, principals, addresses, claims }: EnvoyConfig): Reading {
  return {
    ...(claims === undefined ? {} : { claims }),
    destinations: {
      order: destination,
      ofPrincipal: (id) =>
        Object.hasOwn(destinations, id) ? (destinations[id] as RequestDestination) : undefined,
    },
    principals,
    addresses,
  };
}

/** The same way as everybody's evidence goes: verified here, believed as far as the caller's roles go. */
export function answererOf(
  service: Service,
  callerOfCall: (call: Parameters<Answerer>[1]) => Caller,
  tokens = false,
): Answerer {
  const ask = asker(service);
  return (asked, call) => {
    try {
      const caller = callerOfCall(call);
      const { destination, request } = asked;
      if (destination === undefined) return ask({ destination: {}, request }, caller, via, nowhere);
      if (!tokens) return plain(asked, caller);
      return spoken(asked, caller).catch(refuse);
    } catch (error) {
      return refuse(error);
    }
  };

  async function spoken(asked: Asked, caller: Caller): Promise<Answered> {
    const by = await spokenFor(service, caller, asked);
    if (by === undefined) return await plain(asked, caller);
    const { source, known } = by;
    const { destination, request } = asked;
    return await ask(
      { ...(source === undefined ? {} : { source }), destination, request },
      caller,
      via,
      known,
    );
  }

  function plain(asked: Asked, caller: Caller): Answered | Promise<Answered> {
    const { certificate, spiffeId, address, destination, request, serverNames } = asked;
    const body =
      spiffeId === undefined ? { destination, request } : { source: { spiffeId }, destination, request };
    const own = channelFor(caller.roles);
    const channel = serverNames === undefined ? own : untoldServerNames(own);
    const known =
      certificate === undefined && address === undefined
        ? { channel }
        : { channel, evidence: { certificate, ip: address } };
    const answered = ask(body, caller, via, known);
    return answered instanceof Promise ? answered.catch(refuse) : answered;
  }
}

const nowhere: Known = { refusal: { reason: 'unknown-destination' } };
const via = 'ext_authz';

/** Not ready: Envoy denies by the status. */
function refuse(error: unknown): never {
  if (!(error instanceof Refused)) throw error;
  throw new GrpcError(status.unavailable, error.problem.title);
}

function callerOf({ callers }: Service, calling: Calling): Caller {
  const called = callers.caller(calling);
  // Only tokens take time, and none comes with a connection.
  if (called instanceof Promise)
    throw new Error('got a caller that is known later, want one that is known now');
  if (called === undefined || 'unproved' in called)
    throw new GrpcError(
      status.unauthenticated,
      called?.unproved ?? 'want a client certificate of a caller that the configuration names',
    );
  if (!called.roles.has('decide'))
    throw new GrpcError(
      status.permissionDenied,
      `got ${called.name}, want a caller to whom the configuration gives the role decide`,
    );
  return called;
}
