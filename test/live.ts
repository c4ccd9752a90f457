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

export function missing(needs: readonly Need[]): string | undefined {
  const lacking = needs.filter(({ program, found }) => !(found?.() ?? onPath(program)));
  if (lacking.length === 0) return undefined;
  return lacking.map(({ program, get }) => `${program} is not here (${get})`).join('; ');
}

type Body = (context: { readonly signal: AbortSignal }) => void | Promise<void>;

export function live(needs: readonly Need[], title: string, body: Body, timeout?: number): void {
  const reason = missing(needs);
  test(
    `live: ${title}`,
    (context) => {
      if (reason === undefined) return body(context);
      if (process.env['CI'] === 'true') throw new Error(`a live test cannot run: ${reason}`);
      context.skip(reason);
    },
    timeout,
  );
}
