import { getSystemErrorMessage } from 'node:util';

/** A path as messages name it. */
export function named(path: string): string {
  return path === '' ? '""' : path;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['EISDIR', 'it is a folder'],
  ['ENOENT', 'no such file'],
]);

/** That a file cannot be read, and why. */
export function cannotRead(path: string, error: unknown): string {
  return `${named(path)}: ${unreadBecause(error)}`;
}

export function unreadBecause(error: unknown): string {
  const { code = '', errno, message } = error as NodeJS.ErrnoException;
  const reason = reasons.get(code) ?? (errno === undefined ? message : getSystemErrorMessage(errno));
  return `cannot be read: ${reason}`;
}
