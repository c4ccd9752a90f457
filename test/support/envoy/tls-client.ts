import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Certificate } from '../certificates/index.ts';

/** Who connects, and how. */
export interface Peer {
  /** None: no certificate is presented. */
  readonly certificate?: Certificate;
  readonly sni?: string;
}

export type Address = { readonly path: string } | { readonly port: number };

const contexts = new WeakMap<Certificate, SecureContext>();

function contextOf(certificate: Certificate): SecureContext {
  const known = contexts.get(certificate);
  if (known !== undefined) return known;
  const made = createSecureContext({ cert: certificate.chain, key: certificate.key, ...version });
  contexts.set(certificate, made);
  return made;
}

/** In TLS 1.2 the handshake ends after the client was verified, so that a refusal is told apart from what follows. */
const version = { maxVersion: 'TLSv1.2' } as const;

/** An open connection, or undefined where the handshake was refused. */
export function connectTls(address: Address, { certificate, sni }: Peer): Promise<TLSSocket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      ...('path' in address ? { path: address.path } : { host: '127.0.0.1', port: address.port }),
      ...(certificate === undefined ? version : { secureContext: contextOf(certificate) }),
      ...(sni === undefined ? {} : { servername: sni }),
      rejectUnauthorized: false,
    });
    socket.once('secureConnect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
    socket.once('close', () => resolve(undefined));
  });
}
