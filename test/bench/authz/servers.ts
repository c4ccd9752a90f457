import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBy } from '../../live/service/process.ts';
import { type Certificate, svid } from '../../support/certificates/index.ts';
import { freePort } from '../../support/envoy/modes.ts';
import { temporary } from '../../support/envoy/temporary.ts';
import type { World } from './worlds.ts';

export interface Server {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly port: number;
  /** What it was told is removed with it. */
  readonly remove?: () => void;
}

const onFirstCore = ['taskset', '-c', '0'] as const;
const program = fileURLToPath(new URL('server.ts', import.meta.url));

/** A server of one sort (server.ts), on the first core. */
export async function startServer(sort: string, size: number): Promise<Server> {
  const [taskset, ...on] = onFirstCore;
  const args = [...on, process.execPath, ...process.execArgv, program, sort, String(size)];
  const child = spawn(taskset, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, pid: child.pid!, port: Number(String(line).trim()) };
}

/** `placet serve` as a user starts it, on the first core. */
export async function startService({ documents, authorities }: World): Promise<Server> {
  const { path: folder, remove } = temporary();
  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const port = await freePort();
  const bundles = authorities.map(({ trustDomain, bundle }) => [
    trustDomain,
    put(`${trustDomain}.pem`, bundle),
  ]);
  const config = {
    policies: [put('policies.json', JSON.stringify(documents))],
    bundles: Object.fromEntries(bundles) as Record<string, string>,
    envoy: { listen: `127.0.0.1:${port}` },
  };
  put('placet.json', JSON.stringify(config));
  const { process: child } = await startBy(onFirstCore, '--config', join(folder, 'placet.json'));
  return { child, pid: child.pid!, port, remove };
}

export async function stop({ child, remove }: Server): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
  remove?.();
}

/** What a client of a world shows. */
export async function certificateOf({ authorities }: World, spiffeId: string): Promise<Certificate> {
  const home = authorities.find(({ trustDomain }) => spiffeId.startsWith(`spiffe://${trustDomain}/`));
  if (home === undefined) throw new Error(`nobody vouches for ${spiffeId}`);
  return await svid(home, spiffeId);
}
