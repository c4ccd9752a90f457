import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Api } from '../../../src/attributes/kubernetes/client.ts';
import { findKinds } from '../../../src/attributes/kubernetes/discovery.ts';

/** What a server says while it starts, or is of another time than we are; a running one is asked by live tests. */

const site = { apiVersion: 'placet.dev/v1alpha1', kind: 'Site', plural: 'sites', namespaced: false };
const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const group = '/apis/placet.dev/v1alpha1';
const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/sites.placet.dev';

let server: Server;
let api: Api;
let asked: string[];
let answers: Record<string, { readonly status: number; readonly body?: object }>;
beforeEach(async () => {
  asked = [];
  server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const { status, body = { message: `no ${url}` } } = answers[url] ?? { status: 404 };
    response.writeHead(status).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  api = {
    server: 'test',
    send: async (path) =>
      ((await once(get({ port, host: '127.0.0.1', path }), 'response')) as [IncomingMessage])[0],
  };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const served = { status: 200, body: { resources: [{ name: 'sites' }, { name: 'sites/status' }] } };
const versions = (...all: readonly object[]) => ({ status: 200, body: { spec: { versions: all } } });
const find = async () => (await findKinds(api, [site])).get(site);

it('[KRES2] a kind that the server has is served', async () => {
  answers = { [group]: served, '/api/v1': { status: 200, body: { resources: [{ name: 'pods' }] } } };
  const found = await findKinds(api, [site, pods]);
  expect([found.get(site), found.get(pods)]).toEqual([{ is: 'served' }, { is: 'served' }]);
  expect(asked.sort()).toEqual(['/api/v1', group]);
});

it('[KRES2] one that has no definition either is missing', async () => {
  answers = { [group]: { status: 200, body: { resources: [{ name: 'sites/status' }] } } };
  expect(await find()).toEqual({
    is: 'missing',
    why: 'the API server has no sites.placet.dev, want its definition (deploy/crds)',
  });
});

it('[KRES2] one that has a definition and is not listed is not known to be missing', async () => {
  answers = { [definition]: versions({ name: 'v1alpha1', served: true }) };
  expect(await find()).toEqual({ is: 'unknown', why: 'sites.placet.dev is not served yet' });
});

it('[KRES2] one of another version is not missing: its objects may be there, and its version is named', async () => {
  answers = { [definition]: versions({ name: 'v2', served: true }, { name: 'v1alpha1', served: false }) };
  expect(await find()).toEqual({
    is: 'unknown',
    why: 'the API server has sites.placet.dev in placet.dev/v2, want placet.dev/v1alpha1',
    versions: ['placet.dev/v2'],
  });
});

it.each([
  ['its group', { [group]: { status: 503, body: { message: 'not yet' } } }, 'not yet'],
  ['its definition', { [definition]: { status: 403, body: { message: 'not you' } } }, 'not you'],
  ['its definition', { [definition]: { status: 500, body: {} } }, 'the API server answered 500'],
])('[KRES2] where the server does not say anything of %s nothing is known', async (_, all, why) => {
  answers = all as typeof answers;
  expect(await find()).toEqual({ is: 'unknown', why });
});
