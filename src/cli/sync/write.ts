import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Action } from '../../policy/zones/plan.ts';
import { exit, Failure } from '../failure.ts';

/** The steps that a write is made of; tests let them fail one by one. */
export interface Disk {
  kind(path: string): 'file' | 'folder' | 'other' | undefined;
  makeFolder(path: string): void;
  /** Refuses to write to what is there already, whatever it is. */
  writeNew(path: string, text: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
}

export const disk: Disk = {
  kind(path) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  },
  makeFolder: (path) => mkdirSync(path),
  writeNew(path, text) {
    const file = openSync(path, 'wx');
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  },
  rename: renameSync,
  remove: (path) => rmSync(path),
};

/**
 * Does what a plan says. Each file is written beside its place and moved there whole, so that at any moment it is
 * what it was or what it is to be; a run that fails is finished by the next one (SPEC ZON13).
 */
export function carryOut(folder: string, actions: readonly Action[], on: Disk = disk): void {
  for (const { action, file, text } of actions) {
    if (action === 'skip' || file === undefined) continue;
    try {
      enter(folder, dirname(file), on);
      if (action === 'delete') remove(join(folder, file), on);
      else replace(join(folder, file), text!, on);
    } catch (error) {
      if (error instanceof Failure) throw error;
      const reason = (error as NodeJS.ErrnoException).code ?? String(error);
      throw failure(`${join(folder, file)} could not be ${action}d: ${reason}`);
    }
  }
}

/** Makes the folders that are missing on the way, and goes through no link: it could lead anywhere. */
function enter(folder: string, inside: string, on: Disk): void {
  let path = folder;
  for (const part of inside.split('/')) {
    path = join(path, part);
    const kind = on.kind(path);
    if (kind === undefined) on.makeFolder(path);
    else if (kind !== 'folder') throw failure(`${path} is no folder, so nothing is written there`);
  }
}

export function replace(path: string, text: string, on: Disk): void {
  refuseOther(path, on);
  // With a dot before it, it is not read, should it ever be left behind.
  const beside = join(dirname(path), `.${basename(path)}.new`);
  if (on.kind(beside) !== undefined) on.remove(beside);
  try {
    on.writeNew(beside, text);
    on.rename(beside, path);
  } catch (error) {
    if (on.kind(beside) !== undefined) on.remove(beside);
    throw error;
  }
}

function remove(path: string, on: Disk): void {
  refuseOther(path, on);
  on.remove(path);
}

function refuseOther(path: string, on: Disk): void {
  const kind = on.kind(path);
  if (kind !== undefined && kind !== 'file') throw failure(`${path} is no file, so it is not touched`);
}

function failure(message: string): Failure {
  return new Failure(
    exit.problems,
    message,
    'every file is as it was or as it is to be; run it again to finish',
  );
}
