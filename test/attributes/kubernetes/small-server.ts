import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Api, Sending } from '../../../src/attributes/kubernetes/client.ts';
import {
  pathOf,
  type ResourceKind,
  resourceName,
  versionPath,
} from '../../../src/attributes/kubernetes/resource-kind.ts';

/** As much of an API server as following several kinds takes; it may be away, or keep one of them back. */
export class SmallServer implements Api {
  readonly server = 'test';
  isAway = false;
  /** What it has, each with its objects. */
  readonly served = new Map<ResourceKind, object[]>();
  /** Definitions of what it does not have, by their versions. */
  readonly elsewhere = new Map<ResourceKind, readonly string[]>();
  /** Lists of these wait. */
  readonly held = new Map<ResourceKind, Promise<void>>();
  readonly #watches = new Map<ResourceKind, Set<PassThrough>>();
  #version = 1;

  async send(path: string, { signal }: Sending = {}): Promise<IncomingMessage> {
    if (this.isAway) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const url = new URL(path, 'http://a');
    for (const [kind, objects] of this.served) {
      if (url.pathname !== pathOf(kind)) continue;
      if (url.searchParams.has('watch')) return this.#watch(kind, signal);
      await this.held.get(kind);
      return answer(200, { items: objects, metadata: { resourceVersion: String(this.#version) } });
    }
    const own = [...this.served.keys()].filter((kind) => url.pathname === versionPath(kind));
    if (own.length > 0) return answer(200, { resources: own.map(({ plural }) => ({ name: plural })) });
    for (const [kind, versions] of this.elsewhere)
      if (url.pathname.endsWith(`/customresourcedefinitions/${resourceName(kind)}`))
        return answer(200, { spec: { versions: versions.map((name) => ({ name, served: true })) } });
    return answer(404, { message: `no ${url.pathname}` });
  }

  get watching(): number {
    return [...this.#watches.values()].reduce((sum, { size }) => sum + size, 0);
  }

  put(kind: ResourceKind, object: object): void {
    this.#tell(kind, 'MODIFIED', object);
  }

  remove(kind: ResourceKind, object: object): void {
    this.#tell(kind, 'DELETED', object);
  }

  leave(): void {
    this.isAway = true;
    for (const watches of this.#watches.values())
      for (const one of watches)
        one.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    this.#watches.clear();
  }

  #tell(kind: ResourceKind, type: string, object: object): void {
    const { metadata } = object as { metadata: object };
    const told = { ...object, metadata: { ...metadata, resourceVersion: String(++this.#version) } };
    const bookmark = { metadata: { resourceVersion: String(this.#version) } };
    for (const [other, watches] of this.#watches)
      for (const one of watches) {
        if (other === kind) one.write(`${JSON.stringify({ type, object: told })}\n`);
        else one.write(`${JSON.stringify({ type: 'BOOKMARK', object: bookmark })}\n`);
      }
  }

  #watch(kind: ResourceKind, signal: AbortSignal | undefined): IncomingMessage {
    const stream = new PassThrough();
    const all = this.#watches.get(kind) ?? new Set();
    this.#watches.set(kind, all.add(stream));
    signal?.addEventListener('abort', () => stream.destroy());
    return Object.assign(stream, { statusCode: 200, headers: {} }) as unknown as IncomingMessage;
  }
}

function answer(statusCode: number, body: object): IncomingMessage {
  const stream = new PassThrough();
  stream.end(JSON.stringify(body));
  return Object.assign(stream, { statusCode, headers: {} }) as unknown as IncomingMessage;
}
