import type { Paint } from '../terminal/paint.ts';

/** Texts of more lines are shown without marks: they are compared line by line with each other. */
const mostLines = 2_000;

/** `after` with the lines painted that `before` does not have. */
export function markAdded(before: string, after: string, paint: Paint): string {
  const [old, lines] = [before.split('\n'), after.split('\n')];
  if (old.length > mostLines || lines.length > mostLines) return after;
  const kept = commonLines(old, lines);
  return lines.map((line, index) => (kept.has(index) ? line : paint(line))).join('\n');
}

/** Which lines of `b` are in the longest list of lines that both have in this order. */
function commonLines(a: readonly string[], b: readonly string[]): ReadonlySet<number> {
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
  const kept = new Set<number>();
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      kept.add(j);
      i++;
      j++;
    } else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) i++;
    else j++;
  }
  return kept;
}
