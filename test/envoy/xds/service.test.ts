import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';
import { createGrpcServer } from '../../../src/envoy/grpc/server.ts';
import {
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from '../../../src/envoy/proto/generated/envoy/service/discovery/v3/discovery_pb.js';
import { type Catalogue, extensionType, type Node, type Resource } from '../../../src/envoy/xds/resource.ts';
import { discovery } from '../../../src/envoy/xds/service.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Resources whose versions a test sets. */
class Shelf implements Catalogue {
  rendered = 0;
  fails = false;
  readonly #versions = new Map<string, number>();
  #changed: () => void = () => undefined;

  set(versions: Readonly<Record<string, number>>): void {
    for (const [name, version] of Object.entries(versions)) this.#versions.set(name, version);
    this.#changed();
  }

  async render(_: Node, names: readonly string[]): Promise<readonly Resource[]> {
    this.rendered++;
    await new Promise(setImmediate);
    if (this.fails) throw new Error('broken');
    return names.map((name) => {
      const version = `${this.#versions.get(name) ?? 0}`;
      return { name, version, bytes: Buffer.from(`${name}@${version}`) };
    });
  }

  onChange(changed: () => void): () => void {
    this.#changed = changed;
    return () => undefined;
  }
}

interface Refusal {
  readonly id: string;
  readonly names: readonly string[];
  readonly words: string;
}

async function start() {
  const shelf = new Shelf();
  const refusals: Refusal[] = [];
  const failures: string[] = [];
  const { methods, nodes } = discovery({
    catalogue: shelf,
    onRefused: ({ id }, names, words) => refusals.push({ id, names, words }),
    onFailed: (_, error) => failures.push((error as Error).message),
  });
  const server = createGrpcServer({ methods });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  closing.push(
    () => client.close(),
    () => server.close(),
  );
  return { shelf, refusals, failures, nodes, client };
}

const service = '/envoy.service.discovery.v3.AggregatedDiscoveryService';

class Talk<Request, Response> {
  readonly #stream: ClientDuplexStream<Request, Response>;
  readonly #got: Response[] = [];
  #came: () => void = () => undefined;
  readonly status: Promise<{ code: number; details: string }>;

  constructor(stream: ClientDuplexStream<Request, Response>) {
    this.#stream = stream;
    stream.on('error', () => undefined);
    stream.on('data', (response: Response) => {
      this.#got.push(response);
      this.#came();
    });
    this.status = new Promise((resolve) => stream.on('status', resolve));
    closing.push(() => stream.cancel());
  }

  say(request: Request): void {
    this.#stream.write(request);
  }

  get waiting(): number {
    return this.#got.length;
  }

  async next(): Promise<Response> {
    while (this.#got.length === 0)
      await new Promise<void>((resolve) => {
        this.#came = resolve;
      });
    return this.#got.shift() as Response;
  }
}

type World = MessageInitShape<typeof DiscoveryRequestSchema>;
type Delta = MessageInitShape<typeof DeltaDiscoveryRequestSchema>;

function world(client: Client): Talk<World, DiscoveryResponse> {
  return new Talk(
    client.makeBidiStreamRequest(
      `${service}/StreamAggregatedResources`,
      (request: World) =>
        Buffer.from(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, request))),
      (bytes: Buffer) => fromBinary(DiscoveryResponseSchema, bytes),
    ),
  );
}

function delta(client: Client): Talk<Delta, DeltaDiscoveryResponse> {
  return new Talk(
    client.makeBidiStreamRequest(
      `${service}/DeltaAggregatedResources`,
      (request: Delta) =>
        Buffer.from(toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, request))),
      (bytes: Buffer) => fromBinary(DeltaDiscoveryResponseSchema, bytes),
    ),
  );
}

const node = { id: 'default/web-1', cluster: 'web' };
const typeUrl = extensionType;
const contents = ({ resources }: DiscoveryResponse) =>
  resources.map(({ typeUrl: type, value }) => [type, Buffer.from(value).toString()]);
const entries = ({ resources }: DeltaDiscoveryResponse) =>
  resources.map(({ name, version, resource }) => [
    name,
    version,
    Buffer.from(resource?.value ?? []).toString(),
  ]);
/** Everything that was on its way has come. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 60));

describe('xDS', () => {
  test('[XDS4] the state of the world: what is wanted, then what changed, once each', async () => {
    const { shelf, nodes, client } = await start();
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a', 'b'] });
    const first = await talk.next();
    expect(first.typeUrl).toBe(typeUrl);
    expect(contents(first)).toEqual([
      [typeUrl, 'a@0'],
      [typeUrl, 'b@0'],
    ]);
    talk.say({
      typeUrl,
      resourceNames: ['a', 'b'],
      responseNonce: first.nonce,
      versionInfo: first.versionInfo,
    });
    await expect
      .poll(() => [...(nodes()[0]?.uses ?? [])])
      .toEqual([
        ['a', '0'],
        ['b', '0'],
      ]);
    shelf.set({ b: 1 });
    const second = await talk.next();
    expect(contents(second)).toEqual([[typeUrl, 'b@1']]);
    expect(second.nonce).not.toBe(first.nonce);
    // More is wanted, in the words that also say that the second was taken.
    talk.say({ typeUrl, resourceNames: ['b', 'c'], responseNonce: second.nonce });
    expect(contents(await talk.next())).toEqual([[typeUrl, 'c@0']]);
    await quiet();
    expect(talk.waiting).toBe(0);
  });

  test('[XDS4] changes while a node has not answered come together, and only the last of them', async () => {
    const { shelf, client } = await start();
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a', 'b'] });
    const first = await talk.next();
    for (let n = 1; n <= 50; n++) shelf.set({ a: n, b: n });
    await quiet();
    expect(talk.waiting).toBe(0);
    talk.say({ typeUrl, resourceNames: ['a', 'b'], responseNonce: first.nonce });
    expect(contents(await talk.next()).map(([, text]) => text)).toEqual(['a@50', 'b@50']);
  });

  test('[XDS5] a refusal is told in the node’s own words, and is not sent again until something else is', async () => {
    const { shelf, refusals, nodes, client } = await start();
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a'] });
    const first = await talk.next();
    talk.say({ typeUrl, resourceNames: ['a'], responseNonce: first.nonce });
    shelf.set({ a: 1 });
    const bad = await talk.next();
    talk.say({
      typeUrl,
      resourceNames: ['a'],
      responseNonce: bad.nonce,
      errorDetail: { code: 13, message: 'no such matcher' },
    });
    await expect.poll(() => refusals).toEqual([{ id: node.id, names: ['a'], words: 'no such matcher' }]);
    shelf.set({ other: 1 });
    await quiet();
    expect(talk.waiting).toBe(0);
    expect(nodes()[0]).toMatchObject({ refused: { names: ['a'], words: 'no such matcher' } });
    expect(nodes()[0]?.uses.get('a')).toBe('0');
    shelf.set({ a: 2 });
    const good = await talk.next();
    expect(contents(good)[0]?.[1]).toBe('a@2');
    talk.say({ typeUrl, resourceNames: ['a'], responseNonce: good.nonce });
    await expect.poll(() => nodes()[0]?.refused).toBeUndefined();
  });

  test('[XDS5] what is said of an older response, or of one that never was, is overtaken', async () => {
    const { refusals, nodes, client } = await start();
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a'] });
    const first = await talk.next();
    for (const responseNonce of ['999', '-1', 'x'])
      talk.say({ typeUrl, resourceNames: ['z'], responseNonce, errorDetail: { message: 'nonsense' } });
    await quiet();
    expect(refusals).toEqual([]);
    expect(talk.waiting).toBe(0);
    expect(nodes()[0]?.uses.size).toBe(0);
    talk.say({ typeUrl, resourceNames: ['a'], responseNonce: first.nonce });
    await expect.poll(() => nodes()[0]?.uses.get('a')).toBe('0');
  });

  test('[XDS6] the delta form: what is added and dropped, with the version of each', async () => {
    const { shelf, client } = await start();
    const talk = delta(client);
    talk.say({ node, typeUrl, resourceNamesSubscribe: ['a', 'b'] });
    const first = await talk.next();
    expect(entries(first)).toEqual([
      ['a', '0', 'a@0'],
      ['b', '0', 'b@0'],
    ]);
    talk.say({ typeUrl, responseNonce: first.nonce });
    talk.say({ typeUrl, resourceNamesUnsubscribe: ['a'], resourceNamesSubscribe: ['c'] });
    expect(entries(await talk.next())).toEqual([['c', '0', 'c@0']]);
    shelf.set({ a: 1 });
    await quiet();
    expect(talk.waiting).toBe(0);
  });

  test('[XDS6] a node that comes back gets what is otherwise than what it has', async () => {
    const { shelf, client } = await start();
    shelf.set({ a: 3, b: 4 });
    const talk = delta(client);
    talk.say({
      node,
      typeUrl,
      resourceNamesSubscribe: ['a', 'b'],
      initialResourceVersions: { a: '3', b: '3' },
    });
    expect(entries(await talk.next())).toEqual([['b', '4', 'b@4']]);
  });

  test('[XDS7] other types are nobody’s concern, and a node that does not say who it is is told so', async () => {
    const { client, nodes } = await start();
    const talk = world(client);
    talk.say({ node, typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster' });
    talk.say({ node, typeUrl, resourceNames: ['a'] });
    expect(contents(await talk.next())).toHaveLength(1);
    const nobody = world(client);
    nobody.say({ typeUrl, resourceNames: ['a'] });
    expect(await nobody.status).toMatchObject({
      code: 3,
      details: 'got a first request without the id of its node',
    });
    const greedy = world(client);
    greedy.say({ node, typeUrl, resourceNames: Array.from({ length: 1_001 }, (_, n) => `n${n}`) });
    expect(await greedy.status).toMatchObject({ code: 3, details: 'got 1001 names, want at most 1000' });
    expect(nodes()).toHaveLength(1);
  });

  test('[XDS7] names that come one request after another are bounded all the same, and so is each', async () => {
    const { client, nodes } = await start();
    const greedy = delta(client);
    const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `n${from + n}`);
    greedy.say({ node, typeUrl, resourceNamesSubscribe: names(0, 600) });
    greedy.say({
      typeUrl,
      resourceNamesUnsubscribe: names(0, 300),
      resourceNamesSubscribe: names(600, 1_300),
    });
    expect((await greedy.next()).resources.length).toBeGreaterThan(0);
    greedy.say({ typeUrl, resourceNamesSubscribe: ['one-more'] });
    expect(await greedy.status).toMatchObject({
      code: 3,
      details: 'got 1001 names in all, want at most 1000',
    });
    const known = delta(client);
    const versions = (from: number, to: number) =>
      Object.fromEntries(names(from, to).map((name) => [name, '1']));
    known.say({ node, typeUrl, initialResourceVersions: versions(0, 600) });
    known.say({ typeUrl, initialResourceVersions: versions(600, 1_200) });
    expect(await known.status).toMatchObject({ code: 3, details: expect.stringContaining('in all') });
    const long = world(client);
    long.say({ node, typeUrl, resourceNames: ['n'.repeat(513)] });
    expect(await long.status).toMatchObject({
      code: 3,
      details: 'got a name of 513 characters, want at most 512',
    });
    expect(nodes()).toHaveLength(0);
  });

  test('[XDS7] what cannot be made is said, and made when something changes', async () => {
    const { shelf, failures, client } = await start();
    shelf.fails = true;
    const talk = world(client);
    talk.say({ node, typeUrl, resourceNames: ['a'] });
    await expect.poll(() => failures).toEqual(['broken']);
    shelf.fails = false;
    shelf.set({ a: 1 });
    expect(contents(await talk.next())[0]?.[1]).toBe('a@1');
  });
});
