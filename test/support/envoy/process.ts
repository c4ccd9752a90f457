import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { envoyProgram } from './program.ts';
import { temporary } from './temporary.ts';

/** One running Envoy, with a folder of its own for all that it reads and writes. */
export interface Running {
  readonly folder: string;
  readonly pid: number;
  /** What its admin interface answers. */
  admin(path: string, method?: 'GET' | 'POST'): Promise<string>;
  /** What it wrote to its own log. */
  log(): string;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

export interface Start {
  /** The bootstrap for a folder, without `admin`. */
  bootstrap(folder: string): object;
  readonly concurrency?: number;
  /** Further arguments of the program. */
  readonly args?: readonly string[];
  readonly readyWithinMs?: number;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function start({
  bootstrap,
  concurrency = 1,
  args = [],
  readyWithinMs = 60_000,
}: Start): Promise<Running> {
  const folder = temporary();
  const at = (name: string) => join(folder.path, name);
  const admin = { address: { pipe: { path: at('admin') } } };
  writeFileSync(at('envoy.json'), JSON.stringify({ admin, ...bootstrap(folder.path) }));
  const output = openSync(at('envoy.log'), 'w');
  const all = ['-c', at('envoy.json'), '--concurrency', `${concurrency}`, '--disable-hot-restart'];
  // Not in our process group, so that Ctrl-C in a terminal reaches us alone and we end it in order.
  const child = spawn(envoyProgram(), [...all, '-l', 'warning', '--file-flush-interval-msec', '5', ...args], {
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);

  const log = () => readFileSync(at('envoy.log'), 'utf8');
  const stop = async () => {
    child.kill('SIGTERM');
    const slow = setTimeout(kill, 5_000);
    await ended;
    clearTimeout(slow);
    process.off('exit', kill);
    folder.remove();
  };
  const ask = (path: string, method: 'GET' | 'POST' = 'GET') => askAdmin(at('admin'), path, method);
  const until = Date.now() + readyWithinMs;
  for (;;) {
    const answer = await ask('/ready').catch(() => '');
    if (answer === 'LIVE\n') break;
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > until) {
      const said = log().split('\n').slice(-20).join('\n');
      await stop();
      throw new Error(`Envoy did not become ready: ${answer.trim()}\n${said}`);
    }
    await pause(20);
  }
  return { folder: folder.path, pid: child.pid ?? 0, admin: ask, log, stop };
}

function askAdmin(socketPath: string, path: string, method: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, method, agent: false }, (answer) => {
      text(answer).then(resolve, reject);
    });
    asked.on('error', reject).end();
  });
}
