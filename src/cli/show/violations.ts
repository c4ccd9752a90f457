import { formatPath, type Violation } from '../../pdp/model/violation.ts';
import { named } from '../path-words.ts';
import type { Output } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { showPlace } from './place.ts';

const batch = 500;

/** One line each, as compilers print them, with the hint below. */
export async function showViolations(
  output: Output,
  violations: readonly (Pick<Violation, 'path' | 'message' | 'hint' | 'place'> & {
    readonly code?: string;
  })[],
  word: 'error' | 'warning' | 'note',
): Promise<void> {
  const paint = palette(output);
  const coloured = { error: paint.red, warning: paint.yellow, note: paint.dim }[word](word);
  for (let from = 0; from < violations.length; from += batch) {
    let text = '';
    for (const { place, path, message, hint, code } of violations.slice(from, from + batch)) {
      // What could not be read has no lines.
      const at = place && (code === 'unreadable' ? printable(named(place.file)) : showPlace(place));
      const where = at === undefined ? '' : `${paint.bold(at)}: `;
      const field = path.length === 0 ? '' : `${printable(formatPath(path))}: `;
      text += `${where}${coloured}: ${field}${printable(message)}\n`;
      if (hint !== undefined) text += `    ${paint.dim(printable(hint))}\n`;
    }
    await output.write(text);
  }
}
