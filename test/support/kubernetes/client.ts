import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { json } from 'node:stream/consumers';

/** The API server as tests talk to it: not through anything that they test. */
export interface TestClient {
  get<T = KubeObject>(path: string): Promise<T>;
  post<T = KubeObject>(path: string, body: object): Promise<T>;
  put<T = KubeObject>(path: string, body: object): Promise<T>;
  /** A merge patch; of a status too, at its own path. */
  patch<T = KubeObject>(path: string, body: object): Promise<T>;
  delete(path: string, options?: object): Promise<void>;
}

export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** What the server answered instead. */
export class Refused extends Error {
  readonly status: number;
  /** Its own `Status` object. */
  readonly body: { readonly reason?: string; readonly message?: string };

  constructor(status: number, body: Refused['body'], what: string) {
    super(`${what}: ${status} ${body.message ?? ''}`);
    this.name = 'Refused';
    this.status = status;
    this.body = body;
  }
}

export interface Access {
  readonly server: string;
  readonly ca: Buffer;
  readonly token: string;
  readonly connections?: number;
}

export function testClient({ server, ca, token, connections = 16 }: Access): TestClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca });
  const call = async (method: string, path: string, body?: object, type = 'application/json') => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(new URL(path, server), {
        agent,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          // Node does not write the length of a DELETE's body by itself.
          ...(text === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
        },
        timeout: 30_000,
      });
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer`)));
      sent.on('error', reject).on('response', resolve);
      sent.end(text);
    });
    const answer = await json(response);
    const status = response.statusCode ?? 0;
    if (status >= 300) throw new Refused(status, answer as Refused['body'], `${method} ${path}`);
    return answer;
  };
  return {
    get: async <T>(path: string) => (await call('GET', path)) as T,
    post: async <T>(path: string, body: object) => (await call('POST', path, body)) as T,
    put: async <T>(path: string, body: object) => (await call('PUT', path, body)) as T,
    patch: async <T>(path: string, body: object) =>
      (await call('PATCH', path, body, 'application/merge-patch+json')) as T,
    delete: async (path, options) => void (await call('DELETE', path, options)),
  };
}

/** Each of these, as many at once as the client has connections. */
export async function forEach<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  atOnce = 16,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
