import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { MiddlewareHandler } from 'hono';
import { limits } from '../../pdp/model/limits.ts';
import type { Role } from '../../pdp/model/request.ts';
import type { Called, Caller, Callers, Calling } from '../service.ts';
import type { Env } from './env.ts';
import { Refused } from './problem.ts';
import { proving } from './room.ts';

/** Nobody goes further who is not known, or is known for nothing. */
export function authenticate(callers: Callers): MiddlewareHandler<Env> {
  return async (c, next) => {
    const found = callers.caller(callingOf(c.env.incoming));
    c.set('caller', admitted(found instanceof Promise ? await proving(c.env.incoming, found) : found));
    await next();
  };
}

export function admitted(called: Called): Caller {
  if (called === undefined || 'unproved' in called)
    throw new Refused(
      {
        status: 401,
        title: 'nobody we know',
        detail:
          called?.unproved ??
          'want a client certificate or a bearer token of a caller that the configuration names',
      },
      { 'www-authenticate': 'Bearer' },
    );
  if (called.roles.size === 0)
    throw new Refused({
      status: 403,
      title: 'no role',
      detail: `got ${called.name}, want a caller to whom the configuration gives a role`,
    });
  return called;
}

export function requireRole({ name, roles }: Caller, role: Role, why?: string): void {
  if (roles.has(role)) return;
  const what = why === undefined ? '' : ` for ${why}`;
  throw new Refused({
    status: 403,
    title: `not without the role ${role}`,
    detail: `got ${name}, who has ${[...roles].join(', ')}, want the role ${role}${what}`,
  });
}

/** Policies, and who is who, are not for everybody who may ask for a decision. */
export function requireLook({ name, roles }: Caller): void {
  if (roles.has('explain') || roles.has('admin')) return;
  throw new Refused({
    status: 403,
    title: 'not without the role explain',
    detail: `got ${name}, who has ${[...roles].join(', ')}, want the role explain or admin`,
  });
}

/** One of a connection as long as no token comes with it, so that what is learnt of it can be kept with it. */
const ofSocket = new WeakMap<object, Calling>();

export function callingOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): Calling {
  let calling = ofSocket.get(socket);
  if (calling === undefined) {
    const address = socket.remoteAddress;
    calling = {
      certificates: (socket as TLSSocket).encrypted === true ? certificatesOf(socket as TLSSocket) : [],
      ...(address === undefined ? {} : { address }),
    };
    ofSocket.set(socket, calling);
  }
  const { authorization } = headers;
  if (authorization === undefined) return calling;
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  // Neither is guessed to be the other: what is no bearer token is one that cannot be believed.
  return { ...calling, token: token ?? '' };
}

/** What the client presented, in its order; an authority that is its own issuer ends it. */
function certificatesOf(socket: TLSSocket): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  let certificate = socket.getPeerX509Certificate();
  while (certificate !== undefined && found.length <= limits.intermediates) {
    found.push(certificate.raw);
    const issuer: typeof certificate | undefined = certificate.issuerCertificate;
    if (issuer === undefined || issuer.fingerprint256 === certificate.fingerprint256) break;
    certificate = issuer;
  }
  return found;
}
