import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { env } from './compiled.ts';
import type { Effort, Figures } from './one.ts';
import type { WorkloadName } from './workloads/types.ts';

const distinct = 20_000;

function effort(size: number, quick: boolean): Effort {
  if (quick) return { requests: distinct, rounds: 7, opens: 2, checks: 200 };
  return {
    requests: distinct,
    rounds: 9,
    opens: size >= 100_000 ? 2 : 5,
    checks: size >= 100_000 ? 60 : 300,
  };
}

export async function runOne(name: WorkloadName, size: number, quick: boolean): Promise<Figures> {
  await compiled();
  process.stderr.write(`${name} at ${size} rules\n`);
  return await run(name, size, effort(size, quick));
}

let before: Promise<unknown> | undefined;

/** So that there is something that was compiled before. */
function compiled(): Promise<unknown> {
  before ??= run('S', 100, { requests: 10, rounds: 1, opens: 1, checks: 1 });
  return before;
}

async function run(name: WorkloadName, size: number, how: Effort): Promise<Figures> {
  const script = join(import.meta.dirname, 'one.ts');
  const flags = ['--expose-gc', '--max-old-space-size=8192'];
  const child = spawn(process.execPath, [...flags, script, name, String(size), JSON.stringify(how)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const piece of child.stdout) output += String(piece);
  const code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)));
  if (code !== 0) throw new Error(`${name} at ${size} rules failed`);
  return JSON.parse(output) as Figures;
}
