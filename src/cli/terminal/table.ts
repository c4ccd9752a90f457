import { stripVTControlCharacters } from 'node:util';
import { wrap } from './wrap.ts';

export interface Column {
  readonly title: string;
  readonly right?: boolean;
  /** Takes what the others leave, wrapping its text. One column of a table at most. */
  readonly flexible?: boolean;
}

const gap = '  ';
const leastFlexible = 24;

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? space + text : text + space;
}

/** Lines of a table; titles are left out where every one is empty. Cells hold one line each. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  room: number,
): string[] {
  const widths = columns.map((column, i) =>
    Math.max(column.title.length, ...rows.map((row) => widthOf(row[i] ?? ''))),
  );
  const flexible = columns.findIndex((column) => column.flexible === true);
  if (flexible >= 0) {
    const others = widths.reduce((sum, width, i) => (i === flexible ? sum : sum + width + gap.length), 0);
    widths[flexible] = Math.min(widths[flexible]!, Math.max(leastFlexible, room - others));
  }
  const lines: string[] = [];
  const put = (cells: readonly string[]) => {
    lines.push(
      cells
        .map((cell, i) => pad(cell, widths[i]!, columns[i]!.right === true))
        .join(gap)
        .trimEnd(),
    );
  };
  if (columns.some((column) => column.title !== '')) put(columns.map((column) => column.title));
  for (const row of rows) {
    if (flexible < 0) {
      put(row);
      continue;
    }
    const parts = wrap(row[flexible] ?? '', widths[flexible]!);
    parts.forEach((part, n) => {
      put(row.map((cell, i) => (i === flexible ? part : n === 0 ? cell : '')));
    });
  }
  return lines;
}
