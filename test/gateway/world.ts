import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { engineOf } from '../../src/cli/engine.ts';
import { placeOf, readSet, ruleFinder } from '../../src/cli/set.ts';
import { createServer, type Listening } from '../../src/gateway/listen.ts';
import type { Caller, Decided, Service, Snapshot } from '../../src/gateway/service.ts';
import { asObject } from '../../src/pdp/index/written.ts';
import type { Role } from '../../src/pdp/model/request.ts';
import { bounds, settings } from './given.ts';

export interface World {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  readonly decided: Decided[];
  readonly failed: unknown[];
  shed: number;
  post(path: string, body: unknown, more?: More): Promise<Reply>;
  fetch(path: string, init?: RequestInit): Promise<Reply>;
  close(): Promise<void>;
}

export interface More {
  readonly roles?: readonly Role[];
  readonly headers?: Record<string, string>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked into as they are
  readonly json: any;
}

/** Policies of a path, as the service takes them. */
export function snapshotOf(path: string): { snapshot: Snapshot; engine: ReturnType<typeof engineOf> } {
  const set = readSet([path]);
  const engine = engineOf(set);
  const find = ruleFinder(set);
  const snapshot: Snapshot = {
    name: engine.snapshot,
    since: Date.now(),
    inventory: set.loaded.inventory,
    decide: engine.decide,
    scan: engine.scan,
    named: engine.named,
    placeOf: (by) => {
      const rule = find(by);
      return rule === undefined ? undefined : placeOf(set, rule);
    },
  };
  return { snapshot, engine };
}

/** A service on a port of its own, with all roles for whoever brings no token, else those that the token names. */
export async function openWorld(
  path: string,
  parts: Partial<Service> = {},
  listening: Partial<Listening> = {},
): Promise<World> {
  const { snapshot, engine } = snapshotOf(path);
  const decided: Decided[] = [];
  const failed: unknown[] = [];
  const world = { shed: 0 };
  const service: Service = {
    live: {
      current: () => snapshot,
      explain: async (request, channel) => engine.explain(request, channel),
      readiness: () => ({ ready: true, sources: [] }),
    },
    identify: () => ({ source: {}, conflicts: [], refused: [] }),
    callers: { caller: ({ token }) => byToken(token ?? 'decide,relay,assert,explain') },
    observer: {
      decided: (event) => void decided.push({ ...event, request: asObject(event.request) }),
      shed: () => {
        world.shed++;
      },
      failed: (error) => void failed.push(error),
    },
    settings: { ...settings, bodyBytes: 100_000, batchBytes: 1_000_000 },
    ...parts,
  };
  const server = createServer(service, { bounds, ...listening });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const ask = async (to: string, init?: RequestInit): Promise<Reply> => {
    const response = await fetch(url + to, init);
    const text = await response.text();
    const json =
      text !== '' && response.headers.get('content-type')?.includes('json') === true
        ? JSON.parse(text)
        : undefined;
    return { status: response.status, headers: response.headers, text, json };
  };
  return Object.assign(world, {
    server,
    port,
    url,
    decided,
    failed,
    fetch: ask,
    post: (to: string, body: unknown, { roles, headers }: More = {}) =>
      ask(to, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(roles === undefined ? {} : { authorization: `Bearer ${roles.join(',') || '-'}` }),
          ...headers,
        },
        body:
          typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function byToken(token: string): Caller {
  return { name: 'test', roles: new Set(token.split(',').filter((role) => role !== '-') as Role[]) };
}

/** What a server answers to bytes as they are, until it ends the connection or has said all of a reply. */
export async function raw(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
    const end = text.indexOf('\r\n\r\n');
    const length = /content-length: (\d+)/i.exec(text)?.[1];
    if (end >= 0 && length !== undefined && text.length >= end + 4 + Number(length)) socket.destroy();
  });
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return text;
}
