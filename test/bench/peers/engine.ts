import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { env } from '../compiled.ts';
import type { Workload } from '../workloads/types.ts';
import { generatedRego } from './generated-rego.ts';
import { opaGoBinary } from './tools.ts';
import type { PeerName } from './types.ts';

export interface Loaded {
  readonly loadMs: number;
  readonly retainedMb: number;
  readonly residentMb: number;
}

/** An engine in a process of its own, asked line by line. */
export class EngineProcess {
  readonly name: PeerName;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #interface: Interface;
  readonly #folder: string;

  constructor(name: PeerName, workload: Workload) {
    this.name = name;
    this.#folder = mkdtempSync(join(tmpdir(), 'placet-bench-'));
    const [command, args] = name === 'opa-go' ? this.#go(workload) : this.#node(workload);
    this.#child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#interface = createInterface({ input: this.#child.stdout! });
    this.#lines = this.#interface[Symbol.asyncIterator]();
  }

  #go(workload: Workload): [string, string[]] {
    const policy = join(this.#folder, 'policy.rego');
    const requests = join(this.#folder, 'requests.jsonl');
    writeFileSync(policy, generatedRego(workload));
    writeFileSync(requests, workload.requests.join('\n'));
    return [opaGoBinary(), [policy, requests]];
  }

  #node({ name, size, requests }: Workload): [string, string[]] {
    const script = join(import.meta.dirname, 'worker.ts');
    const flags = ['--expose-gc', '--max-old-space-size=8192'];
    return [process.execPath, [...flags, script, this.name, name, String(size), String(requests.length)]];
  }

  async loaded(): Promise<Loaded> {
    return (await this.#answer()) as Loaded;
  }

  async check(count: number): Promise<string> {
    return ((await this.#ask(`check ${count}`)) as { verdicts: string }).verdicts;
  }

  async round(budgetMs: number): Promise<number> {
    return ((await this.#ask(`round ${budgetMs}`)) as { perSec: number }).perSec;
  }

  close(): void {
    this.#interface.close();
    this.#child.stdin!.end();
    this.#child.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #ask(command: string): Promise<unknown> {
    this.#child.stdin!.write(`${command}\n`);
    return this.#answer();
  }

  async #answer(): Promise<unknown> {
    const line = await this.#lines.next();
    if (line.done) throw new Error(`${this.name} ended before it answered`);
    return JSON.parse(line.value);
  }
}
