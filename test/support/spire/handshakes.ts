import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { Bundles } from '../../../src/attributes/bundles/store.ts';
import type { WorkloadApi } from '../../../src/attributes/workload-api/source.ts';
import { credentialsOf } from '../../../src/attributes/workload-api/svid.ts';
import { readCertificate } from '../../../src/attributes/x509/certificate.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';

/** A server over mTLS that shows our SVID as it is renewed, and clients that do the same. */
export interface Handshakes {
  /** One more: what each side says of the other, and the certificate that the server showed. */
  shake(): Promise<{ readonly server: string; readonly client: string; readonly shown: string }>;
  close(): void;
}

interface Seen {
  /** The ID of the peer, or why it has none. */
  readonly says: string;
  readonly shown: string;
}

export async function openHandshakes(api: WorkloadApi, bundles: Bundles): Promise<Handshakes> {
  const verifier = new X509Verifier(bundles);
  const peerOf = (socket: TLSSocket): Seen => {
    const read = readCertificate(socket.getPeerX509Certificate()?.raw ?? new Uint8Array());
    const verified = read.ok ? verifier.verify([read.value]) : read;
    return {
      says: verified.ok ? verified.value.spiffeId.toString() : verified.refusal.message,
      shown: read.ok ? read.value.fingerprint : '',
    };
  };
  const own = () => {
    const svid = api.current();
    if (svid === undefined) throw new Error('there is no SVID of our own');
    return credentialsOf(svid);
  };
  // Whom a SPIFFE ID belongs to TLS does not know: each side looks for itself.
  const server = createServer({ ...own(), requestCert: true, rejectUnauthorized: false }, (socket) => {
    socket.on('error', () => undefined);
    socket.end(peerOf(socket).says);
  });
  const forget = api.onChange((svid) => server.setSecureContext(credentialsOf(svid)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    async shake() {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...own() });
      await once(socket, 'secureConnect');
      const { says: client, shown } = peerOf(socket);
      let said = '';
      for await (const piece of socket.setEncoding('utf8')) said += piece;
      return { server: said, client, shown };
    },
    close() {
      forget();
      server.close();
    },
  };
}
