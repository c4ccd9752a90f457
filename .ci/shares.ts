// Prints, for each sort of tests in vitest's report, a line `<name>\t<seconds>\t<aim>`: its share of how long all took.
// Files run side by side, so what each took alone is scaled to the whole.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

const sorts = [
  { name: 'Envoy', aim: 300, under: ['test/live/envoy/'] },
  { name: 'clusters', aim: 360, under: ['test/live/kubernetes/', 'test/live/spire/'] },
  { name: 'service', aim: 240, under: ['test/live/service/', 'test/cli/serve/'] },
  { name: 'the rest', aim: 240, under: ['test/'] },
] as const;

const [, , file = '', all = '0'] = process.argv;

function shares(): string[] {
  const report: Report = JSON.parse(readFileSync(file, 'utf8'));
  const took = new Map<string, number>(sorts.map(({ name }) => [name, 0]));
  let sum = 0;
  for (const { name, startTime, endTime } of report.testResults) {
    const path = relative('.', name);
    const sort = sorts.find(({ under }) => under.some((folder) => path.startsWith(folder)));
    if (sort === undefined) throw new Error(`${path} is of no sort of tests`);
    took.set(sort.name, (took.get(sort.name) ?? 0) + endTime - startTime);
    sum += endTime - startTime;
  }
  return sorts.map(({ name, aim }) => {
    const seconds = sum === 0 ? 0 : ((took.get(name) ?? 0) / sum) * Number(all);
    return `${name}\t${Math.round(seconds)}\t${aim}`;
  });
}

try {
  for (const line of shares()) console.log(line);
} catch (error) {
  console.error(`no shares of the tests: ${error instanceof Error ? error.message : error}`);
}
