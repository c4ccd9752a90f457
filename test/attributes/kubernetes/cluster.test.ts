import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { identify } from '../../../src/attributes/identify.ts';
import { ClusterSource } from '../../../src/attributes/kubernetes/cluster.ts';
import { Templates } from '../../../src/pdp/model/facts.ts';

let source: ClusterSource;
let server: Server;
afterEach(() => {
  source.close();
  server.closeAllConnections();
  server.close();
});

/** A source of a server that answers so. */
async function follow(answer: RequestListener, maxStaleness = 60_000): Promise<ClusterSource> {
  server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const send = async (path: string, { signal }: { signal?: AbortSignal } = {}) => {
    const request = get({ port, host: '127.0.0.1', path, ...(signal === undefined ? {} : { signal }) });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    request.on('error', () => undefined);
    return response;
  };
  source = new ClusterSource({ server: 'test', send }, { maxStaleness, probe: 60_000 });
  void source.run();
  return source;
}
const listOf = (...items: object[]) => JSON.stringify({ items, metadata: { resourceVersion: '1' } });

it('[K5] says why there is no view: never seen, or too old', async () => {
  let refuse = true;
  await follow((request, response) => {
    if (refuse) response.writeHead(403).end('{"message":"not you"}');
    else if (request.url?.includes('watch') === true) response.flushHeaders();
    else response.end(listOf());
  }, 1_000);
  await expect
    .poll(() => source.unready())
    .toBe('the cluster has not been seen yet (/api/v1/pods: not you; /apis/apps/v1/replicasets: not you)');
  expect(source.view()).toBeUndefined();
  refuse = false;
  await expect.poll(() => source.view(), { timeout: 10_000 }).toBeDefined();
  expect(source.unready()).toBeUndefined();
  await expect.poll(() => source.view(), { timeout: 10_000 }).toBeUndefined();
  expect(source.unready()).toMatch(/^what is known of the cluster is 1\.\d s old, want at most 1\.0 s$/);
});

it('[K5] what was found of an account does not outlast what is known of its pods and of what owns them', async () => {
  const references = (kind: string, name: string) => [{ kind, name, controller: true }];
  const pod = (version: string, app: string) => ({
    metadata: {
      uid: 'u',
      namespace: 'shop',
      name: 'web-1',
      resourceVersion: version,
      labels: { app },
      ownerReferences: references('ReplicaSet', 'web-5d4f'),
    },
    spec: { serviceAccountName: 'web' },
    status: { phase: 'Running' },
  });
  const replicaSet = (version: string, deployment: string) => ({
    metadata: {
      uid: 'r',
      namespace: 'shop',
      name: 'web-5d4f',
      resourceVersion: version,
      ownerReferences: references('Deployment', deployment),
    },
  });
  const tell = new Map<string, (object: object) => void>();
  await follow(({ url = '' }, response) => {
    if (!url.includes('watch')) {
      response.end(url.includes('/pods') ? listOf(pod('1', 'a')) : listOf());
      return;
    }
    response.flushHeaders();
    tell.set(url.includes('/pods') ? 'pods' : 'owners', (object) =>
      response.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`),
    );
  });
  const said = (key: string) => {
    const cluster = source.view();
    if (cluster === undefined) return undefined;
    const account = { namespace: 'shop', name: 'web', validUntil: 0 };
    const known = {
      templates: new Templates({ trustDomains: [] } as never, new Map()),
      own: new Set<string>(),
      isHere: () => false,
    };
    const { values } = identify({ account }, { ...known, site: new Map(), cluster });
    return values.find((one) => one.key === key)?.value ?? 'unknown';
  };
  await expect.poll(() => said('k8s:label:app')).toBe('a');
  expect(said('k8s:owner')).toBe('unknown');
  await expect.poll(() => tell.size).toBe(2);
  tell.get('owners')?.(replicaSet('2', 'web'));
  await expect.poll(() => said('k8s:owner')).toBe('Deployment/web');
  tell.get('owners')?.(replicaSet('3', 'shop'));
  await expect.poll(() => said('k8s:owner')).toBe('Deployment/shop');
  tell.get('pods')?.(pod('4', 'b'));
  await expect.poll(() => said('k8s:label:app')).toBe('b');
});
