import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Authority, authority } from '../../support/certificates/index.ts';

/** Those who vouch for the clients of workload S. */
export async function authoritiesOfS(): Promise<readonly Authority[]> {
  return await Promise.all(Array.from({ length: 10 }, (_, n) => authority(`td${n}.example`)));
}

export function vouching(authorities: readonly Authority[], spiffeId: string): Authority {
  const home = authorities.find(({ trustDomain }) => spiffeId.startsWith(`spiffe://${trustDomain}/`));
  if (home === undefined) throw new Error(`nobody vouches for ${spiffeId}`);
  return home;
}

export interface Server {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly port: number;
}

const program = fileURLToPath(new URL('server.ts', import.meta.url));

/** A server of one sort, on the first core. */
export async function startServer(
  sort: string,
  size: number,
  authorities: readonly Authority[],
): Promise<Server> {
  const bundles = authorities.map(
    ({ trustDomain, bundle }) => `${trustDomain}=${Buffer.from(bundle).toString('base64url')}`,
  );
  const args = ['-c', '0', process.execPath, ...process.execArgv, program, sort, String(size), ...bundles];
  const child = spawn('taskset', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, pid: child.pid!, port: Number(String(line).trim()) };
}
