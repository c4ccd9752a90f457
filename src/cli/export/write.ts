import { mkdirSync, writeFileSync } from 'node:fs';
import { exit, Failure } from '../failure.ts';
import { named } from '../path-words.ts';
import { disk, replace } from '../sync/write.ts';

/** Files of an export. What cannot be written is said with its path. */

export function writeText(path: string, text: string): void {
  saying(path, () => writeFileSync(path, text));
}

/** A file that somebody else reads as soon as it is there: at any moment it is whole, the old one or the new. */
export function replaceText(path: string, text: string): void {
  saying(path, () => replace(path, text, disk));
}

export function makeFolder(path: string): void {
  saying(path, () => mkdirSync(path, { recursive: true }));
}

function saying(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === undefined ? undefined : reasons.get(code);
    throw new Failure(exit.problems, `${named(path)}: cannot be written: ${reason ?? message}`);
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EEXIST', 'it is no folder'],
  ['EISDIR', 'it is a folder'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ENOENT', 'no such folder'],
  ['ENOTDIR', 'it is not in a folder'],
]);

/** A name for each inbound, since no part of it holds what parts them. */
export function fileOf(...parts: readonly string[]): string {
  return parts.map((part) => encodeURIComponent(part).replaceAll('_', '%5F')).join('_');
}
