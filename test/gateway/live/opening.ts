import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { LoaderOptions } from '../../../src/gateway/live/loader.ts';
import { type LiveOptions, LivePolicies } from '../../../src/gateway/live/policies.ts';
import type { Reloaded } from '../../../src/gateway/service.ts';

const thread = new URL('../../../src/cli/serve/thread.ts', import.meta.url);

export interface Opened {
  readonly live: LivePolicies;
  readonly lines: string[];
  /** The threads that were started. */
  readonly threads: Worker[];
  /** What the next reload comes to. */
  reload(): Promise<Reloaded>;
}

export interface Folder {
  readonly path: string;
  /** In one step, as those write who know that somebody reads. */
  put(name: string, text: string): void;
  remove(): void;
}

export function temporary(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'placet-live-'));
  return {
    path,
    put(name, text) {
      writeFileSync(join(path, '.new'), text);
      renameSync(join(path, '.new'), join(path, name));
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The policies of a folder, read by a real thread. */
export async function open(
  path: string,
  options: LoaderOptions = {},
  more: Partial<LiveOptions> = {},
): Promise<Opened> {
  const lines: string[] = [];
  const threads: Worker[] = [];
  let heard = Promise.withResolvers<Reloaded>();
  const live = new LivePolicies({
    thread() {
      const worker = new Worker(thread, { workerData: { policies: [path], options } });
      threads.push(worker);
      return worker;
    },
    maxStaleness: 60_000,
    log: (line) => lines.push(line),
    reloaded: (event) => heard.resolve(event),
    ...more,
  });
  await live.open();
  heard = Promise.withResolvers();
  return {
    live,
    lines,
    threads,
    async reload() {
      const event = await heard.promise;
      heard = Promise.withResolvers();
      return event;
    },
  };
}
