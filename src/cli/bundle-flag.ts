import { exit, Failure } from './failure.ts';
import { pairOf } from './pair.ts';

/** A bundle as `trust-domain=file`. */
export function bundleFlag(flag: string): readonly [trustDomain: string, file: string] {
  const pair = pairOf(flag);
  if (pair === undefined)
    throw new Failure(
      exit.usage,
      `--bundle ${flag}: no trust domain`,
      'write --bundle <trust-domain>=<file>',
    );
  return pair;
}
