import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { run } from '../cli/world.ts';
import { policy } from '../gateway/live/documents.ts';
import { type Folder, temporary } from '../gateway/live/opening.ts';
import { totalIn } from '../live/service/metrics.ts';
import { main, type Running, start } from '../live/service/process.ts';
import type { Got, Load } from './client.ts';
import { type Held, heldBy } from './processes.ts';
import { type World, workload } from './requests.ts';

export interface Plan {
  readonly milliseconds: number;
  readonly workers: number;
  /** Processes that ask. */
  readonly clients: number;
  /** Bytes after which a file of the log is put aside. */
  readonly fileBytes: number;
}

export interface Soaked {
  readonly got: Got;
  readonly reloads: number;
  /** Of the service with all its workers, once a second. */
  readonly held: readonly Held[];
  /** What the service says that it decided, and could not write down. */
  readonly decided: number;
  readonly dropped: number;
  readonly files: number;
  /** What `placet replay` says of the log. */
  readonly replayed: Readonly<Record<string, number>>;
}

const rules = 1_000;
const connections = 8;
/** Files of policies that change, in turns: each makes a set of its own. */
const versions = ['shop', 'web'].flatMap((namespace) =>
  ['allow', 'deny'].map((action) => policy('soak', action, namespace)),
);
const changing = 'soak.yaml';

/** A service at full load while its policies change; then every decision that it made is made again. */
export async function soak(plan: Plan): Promise<Soaked> {
  const folder = mkdtempSync(join(tmpdir(), 'placet-soak-'));
  const sets = versions.map(setWith);
  const live = setWith(versions[0]!);
  try {
    const certificates = await certificatesIn(folder);
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    writeFileSync(join(folder, 'placet.yaml'), JSON.stringify(config(plan, live.path, logs)));
    const running = await start('--config', join(folder, 'placet.yaml'));
    const clients = Array.from({ length: plan.clients }, (_, i) =>
      client({ port: running.port, seed: 7_000 + i, connections, rules, certificates }),
    );
    const { held, reloads } = await under(running, live, plan.milliseconds);
    const got = sum(await Promise.all(clients.map(stopped)));
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    running.process.kill('SIGTERM');
    const code = await running.ended();
    if (code !== 0) throw new Error(`the service ended with ${code}:\n${running.lines.join('\n')}`);
    const files = readdirSync(logs).map((name) => join(logs, name));
    return {
      got,
      reloads,
      held,
      decided: totalIn(metrics, 'placet_decisions_total'),
      dropped: totalIn(metrics, 'placet_log_dropped_total'),
      files: files.length,
      replayed: await replayed(files, sets),
    };
  } finally {
    for (const set of [...sets, live]) set.remove();
    rmSync(folder, { recursive: true });
  }
}

function setWith(version: string): Folder {
  const set = temporary();
  cpSync('policies', set.path, { recursive: true });
  for (const [i, document] of workload(rules).documents.entries())
    set.put(`a-${i}.json`, JSON.stringify(document));
  set.put(changing, version);
  return set;
}

function config({ workers, fileBytes }: Plan, policies: string, logs: string): object {
  return {
    policies: [policies],
    workers,
    bundles: { 'soak.example': 'known/soak.example.pem' },
    log: {
      to: 'file',
      file: join(logs, 'decisions.log'),
      fileBytes,
      files: 1_000,
      allows: 1,
      perSecond: 1_000_000,
      queueBytes: 67_108_864,
    },
  };
}

/** Of clients whom the service can verify, and of one whom it cannot. */
async function certificatesIn(folder: string): Promise<readonly string[]> {
  const made: string[] = [];
  for (const [place, accounts] of [
    ['known', ['web', 'shop', 'legacy']],
    ['foreign', ['web']],
  ] as const) {
    const out = join(folder, place);
    await run(['pki', 'authority', 'soak.example', '--out', out]);
    for (const account of accounts) {
      const id = `spiffe://soak.example/ns/${account}/sa/${account}`;
      await run(['pki', 'svid', id, '--authority', join(out, 'soak.example.pem'), '--out', out]);
      made.push(join(out, `ns-${account}-sa-${account}.pem`));
    }
  }
  return made;
}

function client(load: Load & World): ChildProcess {
  const child = fork(fileURLToPath(new URL('client.ts', import.meta.url)));
  child.send(load);
  return child;
}

async function stopped(child: ChildProcess): Promise<Got> {
  const said = once(child, 'message');
  child.send('stop');
  return (await said)[0] as Got;
}

async function under({ process }: Running, live: Folder, milliseconds: number) {
  const held: Held[] = [];
  let reloads = 0;
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    await pause(1_000);
    held.push(heldBy(process.pid!));
    live.put(changing, versions[++reloads % versions.length]!);
  }
  return { held, reloads };
}

function sum(all: readonly Got[]): Got {
  const add = (key: 'replies' | 'decisions' | 'shed' | 'wrong') => all.reduce((n, one) => n + one[key], 0);
  const words = all.flatMap((one) => one.words);
  return {
    replies: add('replies'),
    decisions: add('decisions'),
    shed: add('shed'),
    wrong: add('wrong'),
    words,
  };
}

async function replayed(files: readonly string[], sets: readonly Folder[]) {
  const [first, ...others] = sets.map(({ path }) => path);
  const args = [main, 'replay', ...files, '--json', '--policies', first!, '--older', ...others];
  const ended = promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 30 });
  const { stdout } = await ended.catch((error: { stdout: string }) => error);
  const counts = stdout.trimEnd().split('\n').at(-1)!;
  return JSON.parse(counts) as Readonly<Record<string, number>>;
}
