import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Temporary {
  readonly path: string;
  remove(): void;
}

/** A folder that is gone when the process ends, at the latest. Its name is short: paths of sockets are limited. */
export function temporary(): Temporary {
  const path = mkdtempSync(join(tmpdir(), 'pl-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path,
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}
