import type { Fields } from '../../pdp/model/fields.ts';
import { yamlText } from '../text/write.ts';
import { called } from './resource.ts';
import { zoneNamed } from './side.ts';
import type { Identity } from './suffix.ts';

/** One file for each copy, in a folder of their own, so that nobody's file is ever changed (SPEC ZON11). */

const copiesFolder = 'synced';

/** File systems take 255 bytes; the suffix at the end of the name keeps files apart. */
const longest = 200;

export function copyFile(kind: string, name: string): string {
  return `${copiesFolder}/${kind.toLowerCase()}/${name.slice(-longest).replace(/^[-.]+/, '')}.yaml`;
}

export function copyText(value: Fields, kind: string, of: Identity): string {
  const source = called({ kind, name: of.name, namespace: of.namespace === '' ? undefined : of.namespace });
  const side = of.zone === '' ? 'global' : zoneNamed(of.zone);
  return `# A copy of the ${source} of ${side}, written by placet sync: change it there.\n${yamlText(value)}`;
}
