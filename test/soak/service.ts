import { once } from 'node:events';
import {
  cpSync,
  createReadStream,
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  type WriteStream,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readSet } from '../../src/cli/set.ts';
import type { Inventory } from '../../src/pdp/model/inventory.ts';
import type { Request } from '../../src/pdp/model/request.ts';
import { run } from '../cli/world.ts';
import { policy } from '../gateway/live/documents.ts';
import { temporary } from '../gateway/live/opening.ts';
import { ask } from '../live/service/clients.ts';
import { start } from '../live/service/process.ts';
import { slopeOf } from './reload.ts';

export interface Soaked {
  /** Decisions, and requests that were turned away. */
  readonly replies: number;
  readonly shed: number;
  readonly lost: readonly string[];
  /** Statuses that are neither. */
  readonly others: readonly number[];
  readonly reloads: number;
  /** Bytes, every `sample` milliseconds. */
  readonly rss: readonly number[];
  /** Of its last half, by how much it would grow in as long again, as a share of what it is. */
  readonly growth: number;
  /** Lines of its decision log, those that came out the same by one of the sets, and all others. */
  readonly lines: number;
  readonly same: number;
  readonly wrong: number;
}

const versions = ['allow', 'deny'] as const;

/** A service at full load while its policies change, and then every decision that it wrote down, decided again. */
export async function soak(milliseconds: number, logged: number): Promise<Soaked> {
  const folder = temporary();
  const logs = mkdtempSync(join(tmpdir(), 'placet-soak-'));
  const sets = versions.map((action) => {
    const set = temporary();
    cpSync('policies', set.path, { recursive: true });
    set.put('soak.yaml', policy('soak', action));
    return set;
  });
  try {
    cpSync(sets[0]!.path, folder.path, { recursive: true });
    const settings = {
      to: 'file',
      file: join(logs, 'decisions.log'),
      files: 1_000,
      allows: logged,
      denies: logged,
      perSecond: 1_000_000,
    };
    const flags = Object.entries(settings).flatMap(([key, value]) => ['--set', `log.${key}=${value}`]);
    const running = await start('--policies', folder.path, ...flags);
    const { inventory } = readSet([folder.path]).loaded;
    const clients = requestsOf(inventory).map((request) => ask(running.port, request, 1));
    const rss: number[] = [];
    let reloads = 0;
    const end = performance.now() + milliseconds;
    const sample = Math.min(1_000, milliseconds / 20);
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, sample));
      rss.push(residentOf(running.process.pid!));
      folder.put('soak.yaml', policy('soak', versions[++reloads % versions.length]));
    }
    // That an end loses nothing is another test's business.
    await Promise.all(clients.map((client) => client.stop()));
    running.process.kill('SIGTERM');
    const code = await running.ended();
    if (code !== 0) throw new Error(`the service ended with ${code}:\n${running.lines.join('\n')}`);
    const seen = clients.map((client) => client.seen);
    const count = (status: number) =>
      seen.reduce((sum, { statuses }) => sum + (statuses.get(status) ?? 0), 0);
    const half = rss.slice(rss.length / 2);
    const mean = half.reduce((sum, value) => sum + value, 0) / half.length;
    return {
      replies: count(200),
      shed: count(503),
      lost: seen.flatMap(({ lost }) => lost),
      others: seen
        .flatMap(({ statuses }) => [...statuses.keys()])
        .filter((one) => one !== 200 && one !== 503),
      reloads,
      rss,
      growth: (slopeOf(half) * half.length) / mean,
      ...(await again(
        logs,
        sets.map(({ path }) => path),
      )),
    };
  } finally {
    for (const set of sets) set.remove();
    folder.remove();
    rmSync(logs, { recursive: true });
  }
}

/** Each line by the set that it says decided. */
async function again(
  folder: string,
  sets: readonly string[],
): Promise<Pick<Soaked, 'lines' | 'same' | 'wrong'>> {
  const bySnapshot = new Map<string, WriteStream>();
  let lines = 0;
  for (const name of readdirSync(folder)) {
    for await (const line of createInterface(createReadStream(join(folder, name)))) {
      const { snapshot } = JSON.parse(line) as { snapshot: string };
      const out = bySnapshot.get(snapshot) ?? createWriteStream(join(folder, `set-${snapshot}`));
      bySnapshot.set(snapshot, out);
      if (!out.write(`${line}\n`)) await once(out, 'drain');
      lines++;
    }
  }
  let same = 0;
  for (const set of sets) {
    const { snapshot } = readSet([set]).loaded;
    const log = bySnapshot.get(snapshot);
    if (log === undefined) continue;
    log.end();
    await once(log, 'finish');
    const { out } = await run(['replay', join(folder, `set-${snapshot}`), '--policies', set, '--json']);
    const counts = JSON.parse(out.trimEnd().split('\n').at(-1)!) as Readonly<Record<string, number>>;
    same += counts['same']!;
  }
  return { lines, same, wrong: lines - same };
}

/** A request of each of some clients to each destination that there is. */
function requestsOf({ services, dataplanes }: Inventory): readonly Request[] {
  const sources: readonly Request['source'][] = [
    { attributes: { 'k8s:ns': 'web', 'site:environment': 'production' } },
    { spiffeId: 'spiffe://mesh.example/ns/web/sa/web' },
  ];
  const destinations: readonly Request['destination'][] = [
    { namespace: 'shop', attributes: { 'k8s:ns': 'shop' } },
    ...[...services.keys()].slice(0, 6).map((service) => ({ service })),
    ...[...dataplanes.values()].slice(0, 5).map(({ mesh, name }) => ({ mesh, dataplane: name })),
  ];
  return destinations.flatMap((destination) =>
    sources.map((source) => ({ source, destination, request: { method: 'GET', path: '/' } }) as Request),
  );
}

function residentOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1_024;
}
