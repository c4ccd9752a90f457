import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { locked } from '../programs/lock.ts';

/** Schemathesis asks a service all that its OpenAPI document allows, and much that it does not. */

const requirements = join(import.meta.dirname, 'requirements.txt');

/** In the user's cache; what is in it is in its name, so that it is never out of date. */
function folder(): string {
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const given = process.env['XDG_CACHE_HOME'];
  const base = given !== undefined && isAbsolute(given) ? given : join(homedir(), '.cache');
  return join(base, 'placet', 'programs', `schemathesis-${hash}`);
}

/** Written last: without it, whoever installed it was interrupted. */
const whole = 'whole';

export const schemathesis = {
  program: 'schemathesis',
  get: 'node test/support/schemathesis/main.ts installs it with pip',
  found: () => existsSync(join(folder(), whole)),
  path: () => join(folder(), 'bin', 'schemathesis'),
} as const;

export async function install(say: (line: string) => void): Promise<string> {
  const to = folder();
  mkdirSync(dirname(to), { recursive: true });
  return await locked(
    `${to}.lock`,
    () => {},
    async () => {
      if (schemathesis.found()) return to;
      rmSync(to, { recursive: true, force: true });
      say('schemathesis: a virtual environment of Python is made');
      await run('python3', ['-m', 'venv', to]);
      say('schemathesis: pip installs it, which takes a minute');
      await run(join(to, 'bin', 'pip'), [
        'install',
        '--no-deps',
        '--disable-pip-version-check',
        '-q',
        '-r',
        requirements,
      ]);
      writeFileSync(join(to, whole), '');
      return to;
    },
  );
}

function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => reject(new Error(`${command} does not run: ${error.message}`)));
    child.on('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args[0]} ended with ${code}`));
    });
  });
}
