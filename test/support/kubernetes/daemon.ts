import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A program that runs until it is told otherwise, with a folder of its own. */
export interface Daemon {
  /** Sends it a signal; it need not end from it. */
  signal(name: NodeJS.Signals): void;
  /** Sends it a signal that ends it, and waits until it has ended. */
  end(name?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  readonly ended: boolean;
  /** The last of what it wrote. */
  log(): string;
}

/**
 * Tells the program's process ID. When our end of the pipe closes, however we ended, also by SIGKILL, it ends the
 * program and removes its folder, and the one above with the last of those in it.
 */
const guard = `
folder=$1
shift
"$@" </dev/null >>"$folder/log" 2>&1 3>&- 4<&- &
program=$!
echo "$program" >&3
exec 3>&-
gone=
trap 'gone=1' USR1
{ cat <&4 >/dev/null; kill -USR1 $$; kill -9 "$program"; } &
watcher=$!
exec 4<&-
wait "$program"
while kill -0 "$program"; do wait "$program"; done
if [ -n "$gone" ]; then rm -rf -- "$folder"; rmdir -- "$(dirname "$folder")"; else kill -9 "$watcher"; fi
`;

export async function daemon(folder: string, program: string, args: readonly string[]): Promise<Daemon> {
  mkdirSync(folder, { recursive: true });
  closeSync(openSync(join(folder, 'log'), 'a'));
  const shell = spawn('/bin/sh', ['-c', guard, 'guard', folder, program, ...args], {
    cwd: folder,
    // Not in our process group, so that Ctrl-C in a terminal reaches us alone and we end it in order.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const exit = once(shell, 'exit');
  const [, , , told, alive] = shell.stdio;
  shell.once('exit', () => alive?.destroy());
  const [line] = (await once(createInterface({ input: told as NodeJS.ReadableStream }), 'line')) as [string];
  const pid = Number(line);
  const running = () => shell.exitCode === null && shell.signalCode === null;
  const signal = (name: NodeJS.Signals) => {
    if (running()) process.kill(pid, name);
  };
  return {
    signal,
    async end(name = 'SIGKILL') {
      signal(name);
      await exit;
    },
    get ended() {
      return !running();
    },
    log: () => readFileSync(join(folder, 'log'), 'utf8').split('\n').slice(-20).join('\n'),
  };
}
