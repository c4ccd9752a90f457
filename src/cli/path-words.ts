import { readFileSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';
import { exit, Failure } from './failure.ts';

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

/** The text of a file without which a command cannot go on. */
export function textOf(file: string, hint?: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Failure(exit.problems, cannotRead(file, error), hint);
  }
}
