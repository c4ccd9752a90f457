import { once } from 'node:events';
import { lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { exit, Failure } from '../failure.ts';
import type { Address } from './address.ts';

/** `by`: what says where, in the words of whoever must say it otherwise. */
export async function listen(server: Server, address: Address, by = '--listen <host:port>'): Promise<void> {
  if (address.kind === 'socket') await clear(address.path);
  const { kind: _, ...where } = address;
  server.listen(where);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const at = address.kind === 'socket' ? address.path : `${address.host}:${address.port}`;
    const hint = code === 'EADDRINUSE' ? `somebody else does; ${by} takes another` : undefined;
    throw new Failure(exit.problems, `cannot listen on ${at}: ${code}`, hint);
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
