import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

export interface Running {
  readonly process: ChildProcess;
  readonly url: string;
  readonly port: number;
  /** What it said on stderr so far. */
  readonly lines: readonly string[];
  /** What it said on stdout so far. */
  greeting(): string;
  /** Resolves when a line has been said that fits; of those before, so many do not count. */
  said(pattern: RegExp, before?: number): Promise<string>;
  /** What it ends with. */
  ended(): Promise<number | NodeJS.Signals>;
}

/** The service as a user starts it. */
export function start(...flags: readonly string[]): Promise<Running> {
  return startBy([], ...flags);
}

/** By another program, which becomes the service: `prlimit …`. */
export async function startBy(by: readonly string[], ...flags: readonly string[]): Promise<Running> {
  const [program, ...args] = [...by, process.execPath, main, 'serve', '--listen', '127.0.0.1:0', ...flags];
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const end = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface(child.stderr!).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const greeting: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout!).on('line', (line) => {
      greeting.push(line);
      const found = /^placet listens on (\S+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    void end.then((code) => reject(new Error(`it ended with ${code}:\n${lines.join('\n')}`)));
  });
  return {
    process: child,
    url,
    port: Number(new URL(url).port),
    lines,
    greeting: () => greeting.join('\n'),
    said: (pattern, before = 0) =>
      new Promise((resolve) => {
        const look = (): void => {
          const line = lines.find((one, i) => i >= before && pattern.test(one));
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        look();
      }),
    ended: () => end,
  };
}

/** Whether anybody listens there. */
export function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
