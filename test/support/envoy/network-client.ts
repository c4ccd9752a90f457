import { type Address, connectTls, type Peer } from './tls-client.ts';

export interface Connected {
  /** What the connection's own side calls itself. */
  readonly port: number;
  /** Whether what was sent came back. */
  readonly echoed: boolean;
}

/** Opens a connection and sends one byte, on which Envoy decides. Undefined: the handshake was refused. */
export async function askNetwork(address: Address, peer: Peer): Promise<Connected | undefined> {
  const socket = await connectTls(address, peer);
  if (socket === undefined) return undefined;
  const port = socket.localPort ?? 0;
  return await new Promise((resolve) => {
    let echoed = false;
    socket.once('data', () => {
      echoed = true;
      socket.end();
    });
    socket.once('close', () => resolve({ port, echoed }));
    socket.write('x');
  });
}
