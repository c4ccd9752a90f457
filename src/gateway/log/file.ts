import { access, type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Carrier } from './outlet.ts';

export interface Rotation {
  /** Bytes after which a file is put aside. */
  readonly bytes: number;
  /** Files that are kept: `log`, `log.1`, … */
  readonly files: number;
}

/** A file of lines, none of them torn: what was written of lines that did not all fit is taken back. */
export function fileCarrier(path: string, { bytes, files }: Rotation): Carrier {
  let handle: FileHandle | undefined;
  let size = 0;

  async function opened(): Promise<FileHandle> {
    if (handle === undefined) {
      handle = await open(path, 'a', 0o600);
      size = (await handle.stat()).size;
    }
    return handle;
  }

  async function rotate(): Promise<void> {
    await handle?.close();
    handle = undefined;
    if (files === 1) return await rm(path, { force: true });
    let free = 1;
    while (free < files - 1 && (await isThere(named(free)))) free++;
    for (let n = free - 1; n >= 0; n--) await renameIfThere(named(n), named(n + 1));
  }

  const named = (n: number) => (n === 0 ? path : `${path}.${n}`);

  return {
    async carry(text) {
      const buffer = Buffer.from(text);
      let file = await opened();
      if (size > 0 && size + buffer.length > bytes) {
        await rotate();
        file = await opened();
      }
      try {
        for (let at = 0; at < buffer.length; ) at += (await file.write(buffer, at)).bytesWritten;
      } catch (error) {
        await file.truncate(size).catch(() => undefined);
        throw error;
      }
      size += buffer.length;
    },
    async close() {
      await handle?.close();
      handle = undefined;
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
