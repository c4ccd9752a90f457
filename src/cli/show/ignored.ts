import { formatPath } from '../../pdp/model/violation.ts';
import type { Loaded } from '../../policy/load.ts';
import type { Palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';
import { showPlace } from './place.ts';

const most = 5;

type Ignored = Loaded['ignored'][number];

/**
 * What others read and Placet does not: a misspelt name may be among it. A field that every Dataplane has is named
 * once, so that it does not hide the others.
 */
export function showIgnored(ignored: readonly Ignored[], paint: Palette): string[] {
  if (ignored.length === 0) return [];
  const alike = [...Map.groupBy(ignored, sort).values()];
  const shown = alike.slice(0, most);
  const more = ignored.length - shown.reduce((sum, { length }) => sum + length, 0);
  return [
    `${count(ignored.length, 'document or field', 'documents and fields')} that Placet does not use:`,
    ...shown.map(
      (all) => `  ${line(all[0]!, paint)}${all.length > 1 ? `, and ${count(all.length - 1, 'other')}` : ''}`,
    ),
    ...(more > 0 ? [`  and ${more} more; --json lists all`] : []),
  ];
}

function sort({ kind, path }: Ignored): string {
  return JSON.stringify([kind, ...path.map((part) => (typeof part === 'number' ? 0 : part))]);
}

function line({ place, path, kind, name }: Ignored, paint: Palette): string {
  const field = path.length === 0 ? '' : `: ${printable(formatPath(path))}`;
  const where = place === undefined ? '' : `${paint.dim(showPlace(place))}: `;
  return `${where}${printable(`${kind} ${name}`.trim())}${field}`;
}
