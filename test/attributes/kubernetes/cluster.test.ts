import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ClusterSource } from '../../../src/attributes/kubernetes/cluster.ts';

let source: ClusterSource;
const server = createServer();
afterEach(() => {
  source.close();
  server.closeAllConnections();
  server.close();
});

it('[K5] says why there is no view: never seen, or too old', async () => {
  let refuse = true;
  server.on('request', (request, response) => {
    if (refuse) response.writeHead(403).end('{"message":"not you"}');
    else if (request.url?.includes('watch') === true) response.flushHeaders();
    else response.end('{"items":[],"metadata":{"resourceVersion":"1"}}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const send = async (path: string, { signal }: { signal?: AbortSignal } = {}) => {
    const request = get({ port, host: '127.0.0.1', path, ...(signal === undefined ? {} : { signal }) });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    request.on('error', () => undefined);
    return response;
  };
  source = new ClusterSource({ server: 'test', send }, { maxStaleness: 1_000, probe: 60_000 });
  void source.run();
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
