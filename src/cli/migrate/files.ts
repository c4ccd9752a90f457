import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Document } from '../../policy/document.ts';
import { sha256 } from '../../policy/files.ts';
import type { Plan } from '../../policy/migrate/outcome.ts';
import { yamlText } from '../../policy/text/write.ts';
import { exit, Failure } from '../failure.ts';
import { carryOut } from '../sync/write.ts';
import { foundIn, marked } from './earlier.ts';

/** One file for each policy that is written, named by its identifier. */
export interface OutFile {
  readonly file: string;
  readonly documents: readonly unknown[];
}

/** Most file systems have names of up to 255 bytes. */
const longest = 200;

export function filesOf({ meshes }: Plan): readonly OutFile[] {
  return meshes.flatMap(({ policies }) =>
    policies
      .filter(({ written, documents }) => written && documents.length > 0)
      .map(({ info: { kri }, documents }) => {
        const name = kri.length <= longest ? kri : `${kri.slice(0, longest)}-${sha256(kri).slice(0, 16)}`;
        return { file: `${name}.yaml`, documents };
      }),
  );
}

/** What became of a folder besides what is written there. */
export interface Cleared {
  /** Files of an earlier run that this one does not write. */
  readonly removed: readonly string[];
  /** What stands there of others, and is read with the folder. */
  readonly others: readonly string[];
}

/**
 * All or none of them stand in the way of what was read, or of what somebody changed; then each is written whole, and
 * nothing of an earlier run stays beside them: it may let in what this one does not.
 */
export function writeFiles(
  folder: string,
  files: readonly OutFile[],
  paths: readonly string[],
  documents: readonly Document[],
): Cleared {
  const target = realFolder(folder);
  for (const path of paths) {
    const read = realpathSync(path);
    if (statSync(read).isDirectory() && `${target}${sep}`.startsWith(`${read}${sep}`))
      refuse(
        `--out ${folder} lies in ${path}, which is read`,
        'what is written would be read beside what it replaces',
      );
  }
  const names = new Set(files.map(({ file }) => file));
  const { own, changed, others } = existsSync(target)
    ? foundIn(target, names)
    : { own: [], changed: [], others: [] };
  const read = new Set(documents.flatMap(({ file }) => (file === undefined ? [] : realpathSync(file))));
  const isRead = (file: string) => read.has(join(target, file));
  const taken = [...names].find(isRead);
  if (taken !== undefined)
    refuse(`${join(folder, taken)} is read, and would be overwritten`, 'name another folder');
  const kept = own.find(isRead);
  if (kept !== undefined)
    refuse(`${join(folder, kept)} is read, and would be taken away`, 'name another folder');
  if (changed[0] !== undefined)
    refuse(
      `${join(folder, changed[0])} is of an earlier run and was changed since`,
      'this run does not write it: remove it, or name another folder',
    );
  mkdirSync(folder, { recursive: true });
  const kind = 'MeshTrafficPermission';
  const written = files.map(({ file, documents: all }) => {
    const text = marked(all.map(yamlText).join('---\n'));
    return { action: 'create', kind, name: file, reason: '', file, text } as const;
  });
  const removed = own.map((file) => ({ action: 'delete', kind, name: file, reason: '', file }) as const);
  carryOut(folder, [...removed, ...written]);
  return { removed: own, others };
}

/** Where a folder is, or will be, whatever links lead to it. */
function realFolder(folder: string): string {
  let there = resolve(folder);
  let below = '';
  while (!existsSync(there)) {
    below = join(there.slice(dirname(there).length), below);
    there = dirname(there);
  }
  if (!statSync(there).isDirectory()) refuse(`--out ${folder} is no folder`, `${there} is a file`);
  return join(realpathSync(there), below).replace(/[/\\]$/, '');
}

function refuse(message: string, hint: string): never {
  throw new Failure(exit.usage, message, hint);
}
