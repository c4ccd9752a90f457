import { closeSync, openSync, rmSync, statSync, utimesSync } from 'node:fs';

const beat = 2_000;
/** Whoever has not touched its lock for so long is dead. */
const dead = 30_000;

/**
 * One at a time, over processes. It saves work and no more: who builds does so in a folder of its own and renames
 * it, so two that both think they hold the lock do no harm.
 */
export async function locked<T>(file: string, wait: () => void, work: () => Promise<T>): Promise<T> {
  while (!take(file)) {
    wait();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const alive = setInterval(() => touch(file), beat);
  try {
    return await work();
  } finally {
    clearInterval(alive);
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const held = statSync(file, { throwIfNoEntry: false });
  if (held !== undefined && Date.now() - held.mtimeMs > dead) rmSync(file, { force: true });
  return false;
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Somebody thought us dead; that costs a build at most.
  }
}
