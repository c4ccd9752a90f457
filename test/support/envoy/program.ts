import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findEnvoy } from '../../../src/envoy/binary/envoy-path.ts';
import { type Missing, needs } from '../../live.ts';
import { temporary } from './temporary.ts';

/** What live tests of Envoy need. */
export const envoyMissing: Missing = needs([
  {
    program: 'Envoy',
    get: 'npm run placet -- envoy path installs one',
    found: () => findEnvoy(process.env) !== undefined,
  },
]);

export function envoyProgram(): string {
  const path = findEnvoy(process.env);
  if (path === undefined) throw new Error('there is no Envoy here');
  return path;
}

/** What `envoy --mode validate` has against a whole bootstrap; undefined if nothing. It binds no address. */
export function validate(bootstrap: object | ((folder: string) => object)): string | undefined {
  const folder = temporary();
  try {
    const file = join(folder.path, 'envoy.json');
    const made = typeof bootstrap === 'function' ? bootstrap(folder.path) : bootstrap;
    writeFileSync(file, JSON.stringify(made));
    const args = ['--mode', 'validate', '-c', file, '-l', 'error', '--disable-hot-restart'];
    const { status, stdout, stderr } = spawnSync(envoyProgram(), args, { encoding: 'utf8' });
    return status === 0 ? undefined : (stderr + stdout).trim().replaceAll(file, 'envoy.json');
  } finally {
    folder.remove();
  }
}
