import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

interface Watched {
  /** A folder of the same name may be another one by now. */
  readonly identity: string;
  readonly watcher: FSWatcher;
}

/**
 * Tells that something happened in folders. One watch a folder sees its files renamed and edited in place, and the
 * links that a mounted ConfigMap switches; what it cannot see (files behind links, some file systems) is found by
 * reading everything again now and then.
 */
export class Watch {
  readonly #changed: () => void;
  readonly #watched = new Map<string, Watched>();
  /** Why not everything is watched. */
  problem: string | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Folders to look into, and paths of which only coming and going is of interest. */
  follow(folders: readonly string[], paths: readonly string[]): void {
    const wanted = new Map<string, ReadonlySet<string> | undefined>();
    for (const path of paths.map((one) => resolve(one))) {
      const folder = dirname(path);
      wanted.set(folder, new Set([...(wanted.get(folder) ?? []), basename(path)]));
    }
    for (const folder of folders) wanted.set(resolve(folder), undefined);
    this.problem = undefined;
    for (const [folder, { watcher }] of this.#watched) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watched.delete(folder);
    }
    for (const [folder, names] of wanted) this.#follow(folder, names);
  }

  #follow(folder: string, names: ReadonlySet<string> | undefined): void {
    try {
      const { dev, ino } = statSync(folder, { bigint: true });
      const identity = `${dev}:${ino} ${[...(names ?? [])].join('/')}`;
      const known = this.#watched.get(folder);
      if (known?.identity === identity) return;
      known?.watcher.close();
      this.#watched.delete(folder);
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (names === undefined || name === null || names.has(name)) this.#changed();
      });
      watcher.on('error', () => this.#drop(folder, watcher));
      this.#watched.set(folder, { identity, watcher });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // What is not there is said by whoever reads it.
      if (code !== 'ENOENT') this.problem = `${folder} cannot be watched: ${code ?? error}`;
    }
  }

  #drop(folder: string, watcher: FSWatcher): void {
    watcher.close();
    if (this.#watched.get(folder)?.watcher === watcher) this.#watched.delete(folder);
    this.#changed();
  }

  close(): void {
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
  }
}
