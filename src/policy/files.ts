import { createHash } from 'node:crypto';
import { type BigIntStats, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../pdp/model/limits.ts';
import type { Violation } from '../pdp/model/violation.ts';
import { nameOf } from '../pdp/model/words.ts';
import { DocumentCache } from './cache.ts';
import type { Document, Reading } from './document.ts';
import { remember } from './readings.ts';
import { violation } from './schema/issues.ts';
import { decode } from './text/decode.ts';
import { parseDecoded } from './text/parse.ts';

export { DocumentCache } from './cache.ts';

export interface FilesReading extends Reading {
  /** The files that were read, in the order of their documents. */
  readonly files: readonly string[];
  /** What each of them held. */
  readonly byFile: ReadonlyMap<string, Reading>;
  /** The folders that were looked into. */
  readonly folders: readonly string[];
}

/** In any case: a file that is skipped may hold a deny. */
export function isOurs(name: string): boolean {
  return /\.(?:yaml|yml|json)$/i.test(name);
}

/**
 * The documents of files and folders. Folders are read recursively in name order, for files with our endings; what
 * starts with a dot is left out, since there mounted volumes keep their second copies. A file that is named itself is
 * read whatever its ending. A file that is reached twice, also by links, is read once.
 */
export function readPaths(
  paths: readonly string[],
  cache: DocumentCache = new DocumentCache(),
): FilesReading {
  const reader = new FileReader(cache);
  // A string is a list of its characters too, "/" among them.
  if (Array.isArray(paths)) for (const path of paths) reader.named(path);
  else reader.notAsked(`got ${nameOf(paths)}, want a list of paths`);
  cache.sweep(reader.files);
  return reader;
}

/** In hex, as `load` wants it. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Beside `src` in the repository, beside `dist` in the package. */
const kindsFolder = join(import.meta.dirname, '..', '..', 'kinds');
let shipped: readonly Document[] | undefined;

/** The documents that describe the kinds of policies that come with Placet. */
export function shippedKinds(): readonly Document[] {
  shipped ??= readPaths([kindsFolder]).documents;
  return shipped;
}

class FileReader implements FilesReading {
  readonly documents: Document[] = [];
  readonly cases: Document[] = [];
  readonly flawed: Document[] = [];
  readonly violations: Violation[] = [];
  readonly byFile = new Map<string, Reading>();
  readonly folders: string[] = [];
  readonly #cache: DocumentCache;
  readonly #seen = new Set<string>();

  constructor(cache: DocumentCache) {
    this.#cache = cache;
    remember(this);
  }

  get files(): readonly string[] {
    return [...this.byFile.keys()];
  }

  notAsked(message: string): void {
    this.violations.push(violation([], 'type', message));
  }

  named(path: unknown): void {
    if (typeof path !== 'string') return this.notAsked(`got ${nameOf(path)}, want a path, which is a string`);
    this.#try(path, () => this.#entry(path, statSync(path, { bigint: true })));
  }

  #entry(path: string, stats: BigIntStats): void {
    const identity = `${stats.dev}:${stats.ino}`;
    if (this.#seen.has(identity)) return;
    this.#seen.add(identity);
    if (stats.isDirectory()) this.#folder(path);
    else if (stats.isFile()) this.#file(path, stats.size);
    else this.#refuse(path, 'neither a file nor a folder');
  }

  #folder(path: string): void {
    const entries = readdirSync(path, { withFileTypes: true });
    this.folders.push(path);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      const inside = join(path, entry.name);
      const wanted = isOurs(entry.name);
      // A link may lead to a folder; any other entry without our endings is of no interest.
      if (!wanted && !entry.isDirectory() && !entry.isSymbolicLink()) continue;
      this.#try(inside, () => {
        const stats = statSync(inside, { bigint: true });
        if (wanted || stats.isDirectory()) this.#entry(inside, stats);
      });
    }
  }

  #file(path: string, size: bigint): void {
    const bytes = this.#bytes(path, size);
    if (bytes === undefined) return;
    const digest = createHash('sha256').update(bytes).digest('base64');
    const reading = this.#cache.read(path, digest, () => {
      return parseDecoded(decode(bytes), path);
    });
    this.byFile.set(path, reading);
    for (const document of reading.documents) this.documents.push(document);
    for (const document of reading.cases) this.cases.push(document);
    for (const document of reading.flawed ?? []) this.flawed.push(document);
    for (const violation of reading.violations) this.violations.push(violation);
  }

  /** Asked for its size before it is read; again after, since it may have grown. */
  #bytes(path: string, size: bigint): Uint8Array | undefined {
    const bytes = size > limits.fileBytes ? undefined : readFileSync(path);
    if (bytes !== undefined && bytes.length <= limits.fileBytes) return bytes;
    const message = `file of ${bytes?.length ?? size} bytes, at most ${limits.fileBytes} are read`;
    this.violations.push({ path: [], code: 'limit', message, place: { file: path, line: 1, column: 1 } });
    return undefined;
  }

  #try(path: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === undefined) throw error;
      this.#refuse(path, reasons[code] ?? code.toLowerCase());
    }
  }

  #refuse(path: string, reason: string): void {
    const message = `cannot be read: ${reason}`;
    this.violations.push({
      path: [],
      code: 'unreadable',
      message,
      place: { file: path, line: 1, column: 1 },
    });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'a link that leads to itself',
  ENAMETOOLONG: 'the name is too long',
  ENOTDIR: 'a part of the path is no folder',
  EMFILE: 'too many open files',
  EIO: 'the device reports an error',
};
