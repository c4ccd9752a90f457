import type { Server, Socket } from 'node:net';

/** The connections of a server from now on, those too whose handshake never ends: no protocol knows of them. */
export function openSockets(server: Pick<Server, 'on'>): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
