import { lstatSync, realpathSync, statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Violation } from '../../pdp/model/violation.ts';
import type { Document } from '../../policy/document.ts';
import { readPaths, sha256 } from '../../policy/files.ts';
import { load } from '../../policy/load.ts';
import type { Held } from '../../policy/zones/plan.ts';
import { exit, Failure } from '../failure.ts';

/** A folder of documents as both ends of a synchronisation see it. */
export interface Folder {
  readonly documents: readonly Document[];
  readonly held: readonly Held[];
  readonly violations: readonly Violation[];
}

export function readFolder(path: string): Folder {
  const { documents, cases, violations, files } = readPaths([path]);
  const outside = files.filter((file) => leadsOut(path, file)).map(outsideViolation);
  const counts = new Map<string | undefined, number>();
  for (const { file } of [...documents, ...cases]) counts.set(file, (counts.get(file) ?? 0) + 1);
  const held = documents.map((document): Held => {
    const file = document.file ?? '';
    const inside = relative(path, file).split(sep).join('/');
    return { document, file: inside, alone: counts.get(file) === 1 && !isLinked(path, inside) };
  });
  // Who documents are of the plan asks, and says of each what becomes of it (SPEC ZON10).
  const found = [...violations, ...outside, ...load(documents, sha256, [], null).violations];
  return { documents, held, violations: found };
}

/** A folder in the other would be read as part of it. */
export function refuseNested(from: string, to: string): void {
  const [source, target] = [from, to].map((path) => {
    refuseOther(path);
    return realpathSync(path) + sep;
  });
  if (!source!.startsWith(target!) && !target!.startsWith(source!)) return;
  const message = '--from and --to are one folder, or one lies in the other';
  throw new Failure(exit.usage, message, 'want two folders beside each other');
}

function refuseOther(path: string): void {
  const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (folder === true) return;
  const what = folder === undefined ? 'there is no such folder' : 'it is no folder';
  throw new Failure(exit.problems, `${path}: ${what}`);
}

/** Links within the folder are its own business; through one that leads out, anybody's file would be copied. */
function leadsOut(folder: string, file: string): boolean {
  return !realpathSync(file).startsWith(realpathSync(folder) + sep);
}

function outsideViolation(file: string): Violation {
  const message = 'cannot be read: it leads out of the folder';
  return { path: [], code: 'unreadable', message, place: { file, line: 1, column: 1 } };
}

/** Whether the file, or a folder on the way to it, is a link. */
function isLinked(folder: string, inside: string): boolean {
  let path = folder;
  for (const part of inside.split('/')) {
    path = `${path}${sep}${part}`;
    if (lstatSync(path).isSymbolicLink()) return true;
  }
  return false;
}
