import { once } from 'node:events';
import { lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { Address } from './address.ts';
import { cannotListen } from './cannot-listen.ts';

/** `by`: what says where, in the words of whoever must say it otherwise. */
export async function listen(server: Server, address: Address, by = '--listen <host:port>'): Promise<void> {
  const { kind: _, ...where } = address;
  try {
    if (address.kind === 'socket') await clear(address.path);
    server.listen(where);
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(address, error, by);
  }
}

/** The socket of a process that is gone is in the way of the next one; whatever else is there stays. */
async function clear(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const probe = connect(path);
  try {
    await once(probe, 'connect');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') rmSync(path, { force: true });
  } finally {
    probe.destroy();
  }
}
