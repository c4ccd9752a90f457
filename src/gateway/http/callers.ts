import type { TLSSocket } from 'node:tls';
import type { MiddlewareHandler } from 'hono';
import type { Callers, Calling } from '../service.ts';
import type { Env } from './env.ts';
import { Refused } from './problem.ts';

/** Nobody goes further who is not known, or is known for nothing. */
export function authenticate(callers: Callers): MiddlewareHandler<Env> {
  return async (c, next) => {
    const found = callers.caller(
      callingOf(c.env.incoming.socket as TLSSocket, c.req.header('authorization')),
    );
    const caller = found instanceof Promise ? await found : found;
    if (caller === undefined)
      throw new Refused(
        {
          status: 401,
          title: 'nobody we know',
          detail: 'want a client certificate or a bearer token of a caller that the configuration names',
        },
        { 'www-authenticate': 'Bearer' },
      );
    c.set('caller', caller);
    await next();
  };
}

function callingOf(socket: TLSSocket, authorization: string | undefined): Calling {
  const token = authorization === undefined ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const address = socket.remoteAddress;
  return {
    certificates: socket.encrypted === true ? certificatesOf(socket) : [],
    ...(token === undefined ? {} : { token }),
    ...(address === undefined ? {} : { address }),
  };
}

/** What the client presented, in its order; an authority that is its own issuer ends it. */
function certificatesOf(socket: TLSSocket): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  let certificate = socket.getPeerCertificate(true);
  while (certificate?.raw !== undefined) {
    found.push(certificate.raw);
    const { issuerCertificate } = certificate;
    if (issuerCertificate === undefined || issuerCertificate === certificate) break;
    certificate = issuerCertificate;
  }
  return found;
}
