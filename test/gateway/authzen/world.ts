import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from '../../../src/gateway/listen.ts';
import type { Decided, Service, Snapshot } from '../../../src/gateway/service.ts';
import { createEngine, type Engine } from '../../../src/pdp/engine.ts';
import { type Role, roles } from '../../../src/pdp/model/request.ts';
import { loadText, violationsIn } from '../../policy/loading.ts';

/** A service over the policies of a text, and what it was told and tells. */
export interface World {
  readonly url: string;
  readonly engine: Engine;
  readonly snapshot: Snapshot;
  readonly decided: Decided[];
  /** The roles of whoever calls. */
  roles: ReadonlySet<Role>;
  replace(text: string): void;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  close(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked into
  readonly json: any;
}

export const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8');

export function snapshotOf(text: string): { readonly engine: Engine; readonly snapshot: Snapshot } {
  const loaded = loadText(text);
  if (loaded.violations.length > 0) throw new Error(violationsIn(loaded).slice(0, 5).join('\n'));
  const engine = createEngine(loaded.rules, loaded.inventory, loaded.snapshot);
  const snapshot: Snapshot = {
    name: engine.snapshot,
    since: 0,
    inventory: loaded.inventory,
    decide: engine.decide,
    named: engine.named,
    placeOf: () => undefined,
  };
  return { engine, snapshot };
}

export async function open(text: string, more: Partial<Service> = {}): Promise<World> {
  const first = snapshotOf(text);
  let { engine, snapshot } = first;
  const decided: Decided[] = [];
  const service: Service = {
    live: {
      current: () => snapshot,
      explain: async (request, channel) => engine.explain(request, channel),
      readiness: () => ({ ready: true, sources: [] }),
    },
    identify: () => ({ source: {}, conflicts: [], refused: [] }),
    callers: { caller: () => ({ name: 'test', roles: world.roles }) },
    observer: { decided: (event) => void decided.push(event), shed() {} },
    settings: { ttl: 5, bodyBytes: 1_048_576 },
    ...more,
  };
  const server = createServer(service);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world: World = {
    url,
    engine,
    snapshot,
    decided,
    roles: new Set(roles),
    replace(other) {
      ({ engine, snapshot } = snapshotOf(other));
    },
    async post(path, body, headers = {}) {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const replied = await response.text();
      return { status: response.status, headers: response.headers, json: JSON.parse(replied) };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return world;
}
