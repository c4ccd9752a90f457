import type { Reading } from './document.ts';
import { isCalledJson } from './text/parse.ts';
import { rename } from './text/rename.ts';

interface Entry {
  readonly key: string;
  readonly reading: Reading;
}

/**
 * What the files of one set of paths held when they were last read, by the hash of their content, so that a reload
 * parses only what changed and gives the same document objects for what did not.
 */
export class DocumentCache {
  /** How many files were parsed, and how many were not because their content was known, since the beginning. */
  parsed = 0;
  reused = 0;
  readonly #byFile = new Map<string, Entry>();
  readonly #byContent = new Map<string, Entry & { readonly file: string }>();

  read(file: string, digest: string, parse: () => Reading): Reading {
    // The ending decides how content is read.
    const key = `${isCalledJson(file) ? 'json' : 'yaml'} ${digest}`;
    const known = this.#byFile.get(file);
    if (known?.key === key) {
      this.reused++;
      return known.reading;
    }
    const twin = this.#byContent.get(key);
    if (twin) this.reused++;
    else this.parsed++;
    const reading = twin ? rename(twin.reading, file) : parse();
    this.#byFile.set(file, { key, reading });
    if (!twin) this.#byContent.set(key, { key, reading, file });
    return reading;
  }

  /** Forgets files that are not among those just read. */
  sweep(files: readonly string[]): void {
    const alive = new Set(files);
    for (const file of this.#byFile.keys()) if (!alive.has(file)) this.#byFile.delete(file);
    this.#byContent.clear();
    for (const [file, entry] of this.#byFile) this.#byContent.set(entry.key, { ...entry, file });
  }

  get size(): number {
    return this.#byFile.size;
  }
}
