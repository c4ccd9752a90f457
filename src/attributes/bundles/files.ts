import { constants } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { limits } from '../../pdp/model/limits.ts';
import { readBundle } from './document.ts';
import type { Bundles } from './store.ts';

/** A bundle in a file, for one trust domain. */
export interface BundleFile {
  readonly trustDomain: string;
  readonly path: string;
}

/**
 * Keeps bundles as their files are. Files are read again at an interval and compared by content: that sees renames,
 * edits in place and the links that Kubernetes switches, on every file system.
 */
export class BundleFiles {
  readonly #files: readonly BundleFile[];
  readonly #bundles: Bundles;
  readonly #now: () => number;
  readonly #seen = new Map<BundleFile, string>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(files: readonly BundleFile[], bundles: Bundles, now: () => number = Date.now) {
    this.#files = files;
    this.#bundles = bundles;
    this.#now = now;
  }

  async load(): Promise<void> {
    await Promise.all(this.#files.map((file) => this.#load(file)));
  }

  watch(interval = 1_000): void {
    const again = async (): Promise<void> => {
      await this.load();
      if (!this.#closed) this.watch(interval);
    };
    this.#timer = setTimeout(again, interval);
    this.#timer.unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #load(file: BundleFile): Promise<void> {
    const text = await readText(file.path);
    // What was on its way when the end came is not taken in any more.
    if (this.#closed) return;
    if (text instanceof Error) {
      const message = `got no text from the file (${text.message}), want PEM or a SPIFFE bundle`;
      this.#seen.delete(file);
      this.#bundles.fail(file.path, file.trustDomain, { code: 'encoding', message });
      return;
    }
    if (this.#seen.get(file) === text) return;
    this.#seen.set(file, text);
    const read = readBundle(file.trustDomain, text);
    if (read.ok) this.#bundles.load(file.path, read.value, this.#now());
    else this.#bundles.fail(file.path, file.trustDomain, read.refusal);
  }
}

async function readText(path: string): Promise<string | Error> {
  try {
    const { size, mode } = await stat(path);
    // A pipe would never end, and a device has no size.
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) return new Error('it is no file');
    if (size > limits.bundleBytes) return new Error(`it has more than ${limits.bundleBytes} bytes`);
    return await readFile(path, 'utf8');
  } catch (error) {
    return new Error((error as NodeJS.ErrnoException).code ?? 'unreadable');
  }
}
