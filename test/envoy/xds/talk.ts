import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach } from 'vitest';
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
import type { NodeStatus } from '../../../src/envoy/xds/status.ts';
import { openGrpc } from '../grpc/open.ts';

export const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Resources whose versions a test sets. */
export class Shelf implements Catalogue {
  rendered = 0;
  fails = false;
  denies: string | undefined;
  outdated: string | undefined;
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
    return names
      .filter((name) => !name.startsWith('foreign'))
      .map((name) => {
        const version = `${this.#versions.get(name) ?? 0}`;
        const bytes = Buffer.from(`${name}@${version}`);
        return { name, version, bytes, ...this.#marks };
      });
  }

  get #marks(): Pick<Resource, 'denies' | 'outdated'> {
    return {
      ...(this.denies === undefined ? {} : { denies: this.denies }),
      ...(this.outdated === undefined ? {} : { outdated: this.outdated }),
    };
  }

  onChange(changed: () => void): () => void {
    this.#changed = changed;
    return () => undefined;
  }
}

export interface Refusal {
  readonly id: string;
  readonly names: readonly string[];
  readonly words: string;
}

export async function start() {
  const shelf = new Shelf();
  const refusals: Refusal[] = [];
  const failures: string[] = [];
  const made = discovery({
    catalogue: shelf,
    onRefused: ({ id }, names, words) => refusals.push({ id, names, words }),
    onFailed: (_, error) => failures.push((error as Error).message),
  });
  const server = openGrpc({ methods: made.methods });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  closing.push(
    () => client.close(),
    () => server.close(),
  );
  return { ...made, shelf, refusals, failures, client };
}

export const service = '/envoy.service.discovery.v3.AggregatedDiscoveryService';

export class Talk<Request, Response> {
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

  end(): void {
    this.#stream.cancel();
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

export type World = MessageInitShape<typeof DiscoveryRequestSchema>;
export type Delta = MessageInitShape<typeof DeltaDiscoveryRequestSchema>;

export function world(client: Client): Talk<World, DiscoveryResponse> {
  return new Talk(
    client.makeBidiStreamRequest(
      `${service}/StreamAggregatedResources`,
      (request: World) =>
        Buffer.from(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, request))),
      (bytes: Buffer) => fromBinary(DiscoveryResponseSchema, bytes),
    ),
  );
}

export function delta(client: Client): Talk<Delta, DeltaDiscoveryResponse> {
  return new Talk(
    client.makeBidiStreamRequest(
      `${service}/DeltaAggregatedResources`,
      (request: Delta) =>
        Buffer.from(toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, request))),
      (bytes: Buffer) => fromBinary(DeltaDiscoveryResponseSchema, bytes),
    ),
  );
}

export const node = { id: 'default/web-1', cluster: 'web' };
export const typeUrl = extensionType;
export const contents = ({ resources }: DiscoveryResponse) =>
  resources.map(({ typeUrl: type, value }) => [type, Buffer.from(value).toString()]);
export const entries = ({ resources }: DeltaDiscoveryResponse) =>
  resources.map(({ name, version, resource }) => [
    name,
    version,
    Buffer.from(resource?.value ?? []).toString(),
  ]);
/** Everything that was on its way has come. */
export const quiet = () => new Promise((resolve) => setTimeout(resolve, 60));

/** By name: the versions that a node has said it uses. */
export function usesOf(node: NodeStatus | undefined): ReadonlyMap<string, string> {
  return new Map(
    node?.resources.flatMap(({ name, taken }) =>
      taken === undefined ? [] : [[name, taken.version] as const],
    ),
  );
}
