import { type ClientHttp2Session, connect } from 'node:http2';
import { forEach } from './client.ts';
import type { TestCluster } from './cluster.ts';

/**
 * Objects put into etcd past the API server, which is too slow a way in to make thousands of changes a second on
 * small machines. It reads and tells them like any other; it has to keep them as JSON (`jsonStorage`).
 */
export const jsonStorage = '--storage-media-type=application/json';

export interface Load {
  /** Each a write of its own. Gives the writes a second. */
  write(objects: Iterable<Stored>): Promise<number>;
  /** Forgets what was before now, so that nobody can read on from there. */
  compact(revision: string): Promise<void>;
  stop(): void;
}

export interface Stored {
  /** As in etcd: `pods/shop/web-1`. */
  readonly key: string;
  /** Without one it is removed. */
  readonly body?: object;
}

const atOnce = 48;

export function openLoad({ store }: TestCluster): Load {
  let session: ClientHttp2Session | undefined;
  // Etcd may have been killed since.
  const open = () => {
    if (session === undefined || session.destroyed || session.closed)
      session = connect(store).on('error', () => undefined);
    return session;
  };
  return {
    async write(objects) {
      const start = performance.now();
      let writes = 0;
      // What is written to one key stays in its order.
      const busy = new Map<string, Promise<void>>();
      const one = async (object: Stored) => {
        writes++;
        const sent = (busy.get(object.key) ?? Promise.resolve()).then(() => send(open(), object));
        busy.set(object.key, sent);
        await sent;
        if (busy.get(object.key) === sent) busy.delete(object.key);
      };
      await forEach(objects, one, atOnce);
      return writes / ((performance.now() - start) / 1000);
    },
    // `CompactionRequest`: the revision, and that it waits until it is done.
    compact: (revision) =>
      call(open(), 'Compact', Buffer.from([1 << 3, ...varint(Number(revision)), 2 << 3, 1])),
    stop: () => session?.destroy(),
  };
}

/** Both requests of etcd's `KV` have the key first; `PutRequest` has the value second. */
function send(session: ClientHttp2Session, { key, body }: Stored): Promise<void> {
  const path = field(1, `/registry/${key}`);
  if (body === undefined) return call(session, 'DeleteRange', path);
  return call(session, 'Put', Buffer.concat([path, field(2, JSON.stringify(body))]));
}

function call(session: ClientHttp2Session, method: string, message: Buffer): Promise<void> {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/etcdserverpb.KV/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let status: unknown;
    const read = (headers: Readonly<Record<string, unknown>>) => {
      status = headers['grpc-status'] ?? status;
    };
    stream.on('response', read).on('trailers', read).on('error', reject);
    stream.on('close', () => {
      if (status === '0') resolve();
      else reject(new Error(`etcd: ${method}: status ${status}`));
    });
    stream.resume().end(Buffer.concat([head, message]));
  });
}

/** A field of protobuf that holds bytes. */
function field(number: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  return value > 127 ? [(value & 127) | 128, ...varint(value >>> 7)] : [value];
}
