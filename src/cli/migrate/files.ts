import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Document } from '../../policy/document.ts';
import type { Plan } from '../../policy/migrate/outcome.ts';
import { yamlText } from '../../policy/text/write.ts';
import { exit, Failure } from '../failure.ts';
import { carryOut } from '../sync/write.ts';

/** One file for each policy that is written, named by its identifier. */
export interface OutFile {
  readonly file: string;
  readonly documents: readonly unknown[];
}

/** Most file systems have names of up to 255 bytes. */
const longest = 200;

export function filesOf({ meshes }: Plan, digest: (text: string) => string): readonly OutFile[] {
  return meshes.flatMap(({ policies }) =>
    policies
      .filter(({ written, documents }) => written && documents.length > 0)
      .map(({ info: { kri }, documents }) => {
        const name = kri.length <= longest ? kri : `${kri.slice(0, longest)}-${digest(kri).slice(0, 16)}`;
        return { file: `${name}.yaml`, documents };
      }),
  );
}

/** All or none of them stand in the way of what was read; then each is written whole. */
export function writeFiles(
  folder: string,
  files: readonly OutFile[],
  paths: readonly string[],
  documents: readonly Document[],
): void {
  const target = realFolder(folder);
  for (const path of paths) {
    const read = realpathSync(path);
    if (statSync(read).isDirectory() && `${target}${sep}`.startsWith(`${read}${sep}`))
      refuse(
        `--out ${folder} lies in ${path}, which is read`,
        'what is written would be read beside what it replaces',
      );
  }
  const read = new Set(documents.flatMap(({ file }) => (file === undefined ? [] : realpathSync(file))));
  const taken = files.find(({ file }) => read.has(join(target, file)));
  if (taken !== undefined)
    refuse(`${join(folder, taken.file)} is read, and would be overwritten`, 'name another folder');
  mkdirSync(folder, { recursive: true });
  const actions = files.map(({ file, documents: own }) => {
    const text = own.map(yamlText).join('---\n');
    return { action: 'create', kind: 'MeshTrafficPermission', name: file, reason: '', file, text } as const;
  });
  carryOut(folder, actions);
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
