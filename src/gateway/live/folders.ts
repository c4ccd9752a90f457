import { statSync } from 'node:fs';
import { sep } from 'node:path';
import { formatViolation, type Violation } from '../../pdp/model/violation.ts';
import type { Reading } from '../../policy/document.ts';
import { DocumentCache, readPaths } from '../../policy/files.ts';
import type { Source, SourceReport, Unit } from './source.ts';
import { Watch } from './watch.ts';

/**
 * Files and folders of documents, as they are now. What cannot be seen for the moment is not gone: below a folder
 * that cannot be read, and in one that is empty all of a sudden (a volume that is not mounted), files are as they
 * were, for as long as that may be believed.
 */
export class Folders implements Source {
  readonly name = 'policies';
  readonly #paths: readonly string[];
  readonly #cache = new DocumentCache();
  readonly #listeners: (() => void)[] = [];
  readonly #watch = new Watch(() => {
    for (const listener of this.#listeners) listener();
  });
  #units: ReadonlyMap<string, Unit> = new Map();
  /** How many documents each file had when it last had any. */
  readonly #held = new Map<string, number>();
  #freshAt: number | undefined;
  #problems: readonly string[] = [];

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  read(): readonly Unit[] {
    const start = performance.now();
    const { byFile, folders, violations } = readPaths(this.#paths, this.#cache);
    // Watched from before the next reading on: what happens in between is told.
    this.#watch.follow(folders, this.#paths);
    const units = new Map<string, Unit>();
    for (const [file, reading] of byFile) units.set(file, this.#unit(file, reading));
    const unseen: Violation[] = violations.filter(({ place }) => !byFile.has(place?.file ?? ''));
    for (const path of this.#paths) {
      if (unseen.some(({ place }) => place?.file === path)) continue;
      if (
        ![...units.values()].some(
          ({ name, documents, violations }) => isAt(name, path) && documents.length + violations.length > 0,
        )
      )
        unseen.push(this.#emptied(path));
    }
    let believed = 0;
    for (const violation of unseen) {
      const path = violation.place!.file;
      for (const [name, unit] of this.#units) {
        if (!isAt(name, path) || name === path || byFile.has(name)) continue;
        units.set(name, unit);
        believed++;
      }
      units.set(path, { name: path, documents: [], violations: [violation] });
    }
    this.#units = units;
    for (const name of this.#held.keys()) if (!units.has(name)) this.#held.delete(name);
    const missed = believed > 0 || unseen.some(({ place }) => this.#paths.includes(place!.file));
    if (!missed) this.#freshAt = start;
    this.#problems = [
      ...(missed ? unseen.map(formatViolation) : []),
      ...(this.#watch.problem === undefined ? [] : [this.#watch.problem]),
    ];
    return [...units.values()];
  }

  #unit(name: string, { documents, cases, violations }: Reading): Unit {
    if (violations.length > 0) return { name, documents: [], violations };
    const held = this.#held.get(name) ?? 0;
    if (documents.length + cases.length > 0 || held === 0 || !isEmpty(name)) {
      this.#held.set(name, documents.length);
      return { name, documents, violations };
    }
    // Whoever writes a file in place empties it first.
    const message = `got an empty file, which held ${held} documents`;
    return {
      name,
      documents: [],
      violations: [emptied(name, message, 'to take them away, delete the file')],
    };
  }

  #emptied(path: string): Violation {
    const before = [...this.#units.values()].filter(
      ({ name, documents }) => isAt(name, path) && documents.length > 0,
    ).length;
    return before === 0
      ? emptied(
          path,
          'there are no policies in these paths',
          'folders are read for files that end in .yaml, .yml or .json',
        )
      : emptied(
          path,
          `got nothing, where ${before} file${before === 1 ? ' was' : 's were'}`,
          'is it mounted? to take all policies away, start again without them',
        );
  }

  report(): SourceReport {
    return {
      synced: this.#freshAt !== undefined,
      ...(this.#freshAt === undefined ? {} : { age: performance.now() - this.#freshAt }),
      problems: this.#problems,
    };
  }

  close(): void {
    this.#watch.close();
  }
}

function emptied(file: string, message: string, hint: string): Violation {
  return { path: [], code: 'empty', message, hint, place: { file, line: 1, column: 1 } };
}

function isAt(file: string, path: string): boolean {
  return file === path || file.startsWith(path.endsWith(sep) ? path : path + sep);
}

function isEmpty(file: string): boolean {
  try {
    return statSync(file).size === 0;
  } catch {
    return true;
  }
}
