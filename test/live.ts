import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'vitest';

/**
 * Tests against real programs. Where the program is missing such a test is skipped and says why; where the
 * environment has CI=true it fails instead, so that a green run never hides that nothing was tried.
 */

export interface Need {
  readonly program: string;
  /** How to come by it. */
  readonly get: string;
  /** Whether it is here; without it the PATH is searched. */
  readonly found?: () => boolean;
}

export function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Looks once for several tests. Undefined: all is here; else what is missing, in words. */
export type Missing = string | undefined;
export function needs(all: readonly Need[]): Missing {
  const lacking = all.filter(({ program, found }) => !(found?.() ?? onPath(program)));
  if (lacking.length === 0) return undefined;
  return lacking.map(({ program, get }) => `${program} is not here (${get})`).join('; ');
}

export function live(
  missing: Missing,
  title: string,
  body: () => void | Promise<void>,
  timeout?: number,
): void {
  test(
    `live: ${title}`,
    (context) => {
      if (missing === undefined) return body();
      if (process.env['CI'] === 'true') throw new Error(`a live test cannot run: ${missing}`);
      context.skip(missing);
    },
    timeout,
  );
}
