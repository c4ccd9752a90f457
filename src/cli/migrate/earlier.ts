import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOurs, sha256 } from '../../policy/files.ts';

/**
 * What an earlier run left in a folder, told from what is somebody else's. A file says at its top who wrote it and
 * what it held, so that one that was changed since is nobody's to take away (SPEC MIG9).
 */

const mark = '# written by placet migrate, and by a later run replaced or taken away; sha256 of the rest:';

export function marked(text: string): string {
  return `${mark} ${sha256(text)}\n${text}`;
}

export interface Found {
  /** As they were written. */
  readonly own: readonly string[];
  readonly changed: readonly string[];
  /** Files and folders that are read with the folder, and links that may be. */
  readonly others: readonly string[];
}

/** Names in a folder beside those that are written there now. */
export function foundIn(folder: string, written: ReadonlySet<string>): Found {
  const found = { own: [] as string[], changed: [] as string[], others: [] as string[] };
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry;
    // What starts with a dot is not read.
    if (written.has(name) || name.startsWith('.')) continue;
    if (entry.isDirectory() || entry.isSymbolicLink()) found.others.push(name);
    else if (entry.isFile() && isOurs(name))
      found[kindOf(readFileSync(join(folder, name), 'utf8'))].push(name);
  }
  return found;
}

function kindOf(text: string): keyof Found {
  if (!text.startsWith(mark)) return 'others';
  const end = text.indexOf('\n');
  const said = text.slice(mark.length, end).trim();
  return end >= 0 && said === sha256(text.slice(end + 1)) ? 'own' : 'changed';
}
