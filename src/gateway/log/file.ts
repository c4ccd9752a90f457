import { type FileHandle, open, rename, rm } from 'node:fs/promises';
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
    await rm(named(files - 1), { force: true });
    for (let n = files - 2; n >= 0; n--) {
      try {
        await rename(named(n), named(n + 1));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
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
