import type { SourceStatus } from './overview.ts';

/** Says once what is new of what is wrong with sources, and when nothing is any more. */
export function sourceLog(log: (line: string) => void): (sources: readonly SourceStatus[]) => void {
  const told = new Map<string, ReadonlySet<string>>();
  return (sources) => {
    for (const { name, problems } of sources) {
      const before = told.get(name);
      for (const problem of problems) if (before?.has(problem) !== true) log(`${name}: ${problem}`);
      if (problems.length === 0 && before !== undefined && before.size > 0)
        log(`${name}: nothing is wrong any more`);
      told.set(name, new Set(problems));
    }
  };
}
