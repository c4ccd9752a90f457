import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Api } from '../../../src/attributes/kubernetes/client.ts';

/** A server of things, over HTTP: lists in pages, watches, and misbehaves as it is told. */
export class Store {
  version = 10;
  readonly things = new Map<string, number>();
  readonly watches = new Set<{ response: ServerResponse; from: number }>();
  readonly asked: string[] = [];
  /** Answers with this instead, once. */
  refuse: { status: number; body: object } | undefined;
  /** Answers to lists of one wait for this. */
  late: Promise<void> | undefined;
  /** Watches end as soon as they begin. */
  short = false;
  /** Each thing is larger by so much. */
  padding = '';
  /** Watches from before this are gone. */
  oldest = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) =>
      this.#answer(new URL(request.url ?? '', 'http://a'), response),
    );
  }

  async start(): Promise<Api> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return {
      server: 'test',
      send: async (path, { signal } = {}) => {
        const request = get({ port, host: '127.0.0.1', path, ...(signal === undefined ? {} : { signal }) });
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        request.on('error', () => undefined);
        return response;
      },
    };
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  set(name: string): void {
    this.things.set(name, ++this.version);
    this.#tell('MODIFIED', name, this.version);
  }

  remove(name: string): void {
    this.things.delete(name);
    this.#tell('DELETED', name, ++this.version);
  }

  bookmark(): void {
    for (const { response } of this.watches)
      response.write(
        `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.version) } } })}\n`,
      );
  }

  cut(): void {
    for (const { response } of this.watches) response.destroy();
    this.watches.clear();
  }

  #tell(type: string, name: string, version: number): void {
    for (const { response } of this.watches)
      response.write(`${JSON.stringify({ type, object: object(name, version) })}\n`);
  }

  #answer(url: URL, response: ServerResponse): void {
    const watch = url.searchParams.get('watch') !== null;
    this.asked.push(
      watch ? `watch ${url.searchParams.get('resourceVersion')}` : `list ${url.searchParams.get('limit')}`,
    );
    if (this.refuse !== undefined) {
      const { status, body } = this.refuse;
      this.refuse = undefined;
      response.writeHead(status).end(JSON.stringify(body));
      return;
    }
    if (watch) {
      const from = Number(url.searchParams.get('resourceVersion'));
      response.writeHead(200);
      response.flushHeaders();
      if (from < this.oldest) {
        response.end(`${JSON.stringify({ type: 'ERROR', object: { code: 410, message: 'too old' } })}\n`);
        return;
      }
      for (const [name, version] of this.things)
        if (version > from)
          response.write(`${JSON.stringify({ type: 'MODIFIED', object: object(name, version) })}\n`);
      if (this.short) response.end();
      else this.watches.add({ response, from });
      return;
    }
    const limit = Number(url.searchParams.get('limit'));
    const start = Number(url.searchParams.get('continue') ?? 0);
    const all = [...this.things].map(([name, version]) => ({
      ...object(name, version),
      padding: this.padding,
    }));
    const next = start + limit < all.length ? String(start + limit) : '';
    const metadata = { resourceVersion: String(this.version), ...(next === '' ? {} : { continue: next }) };
    const body = JSON.stringify({ items: all.slice(start, start + limit), metadata });
    if (limit === 1 && this.late !== undefined) void this.late.then(() => response.end(body));
    else response.end(body);
  }
}

function object(name: string, version: number) {
  return { metadata: { name, resourceVersion: String(version) } };
}
