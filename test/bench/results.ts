import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** When, on what, and by which command of `npm run bench`. */
export function measuredNow(): string {
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${process.platform}, `,
    `${availableParallelism()} CPUs, by \`${command}\`.`,
  ].join('');
}

/** Rewrites what stands between the marks of a part that is measured by a command of its own. */
export function writePart(name: string, made: string, lines: readonly string[]): void {
  const file = join(import.meta.dirname, 'RESULTS.md');
  const marks = [`<!-- ${name} -->`, `<!-- end of ${name} -->`] as const;
  const [before, rest = ''] = readFileSync(file, 'utf8').split(marks[0]);
  const after = rest.split(marks[1])[1];
  if (before === undefined || after === undefined) throw new Error(`${file} has no ${marks.join(' and ')}`);
  writeFileSync(file, `${before}${marks[0]}\n${made}\n\n${lines.join('\n')}\n${marks[1]}${after}`);
}
