import { once } from 'node:events';
import type { Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { Renderer } from '../../../src/envoy/xds/render.ts';
import type { Catalogue, Node, Resource } from '../../../src/envoy/xds/resource.ts';
import { type Discovery, discovery } from '../../../src/envoy/xds/service.ts';
import { type Both, both } from '../../envoy/export/world.ts';
import { openGrpc } from '../../envoy/grpc/open.ts';
import type { Random } from '../../oracle/random.ts';
import { type Authority, authority, svid } from '../../support/certificates/index.ts';
import { askHttp } from '../../support/envoy/http-client.ts';
import { type Lab, openLab } from '../../support/envoy/lab.ts';
import { type Filter, grpcCluster, type Surroundings, socketOf } from '../../support/envoy/listeners.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';
import { idOf } from './changing/sets.ts';

/** A real Envoy that gets its filters over xDS, from a service whose policies a test sets. */

export const names = ['always', 'never', 'a', 'b', 'c', 'd'] as const;
const asked = { mesh: 'default', dataplane: 'web-1', inbound: 'http' };
export const name = 'placet/http/http/0';
const rbacType = 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC';
const discovered: Filter = {
  name,
  config_discovery: { config_source: { ads: {}, resource_api_version: 'V3' }, type_urls: [rbacType] },
} as unknown as Filter;

/** `always` is let in and `never` kept out; others as they come. */
export function policies(random: Random): Both {
  const matcher = (one: string) => ({ spiffeID: { type: 'Exact', value: idOf(one) } });
  const some = names.slice(2).filter(() => random.chance(0.5));
  const lists = { deny: [matcher('never')], allow: ['always', ...some].map(matcher) };
  return both(
    { type: 'Dataplane', name: 'web-1', inbounds: [{ name: 'http', port: 80, protocol: 'http' }] },
    { type: 'MeshTrafficPermission', name: 'web', spec: { rules: [{ default: lists }] } },
  );
}

export function allowed(set: Both): ReadonlyMap<string, boolean> {
  return new Map(
    names.map((one) => {
      const source = { spiffeId: idOf(one) };
      const request = { method: 'GET', path: '/' };
      return [one, set.engine.decide({ source, destination: asked, request }).decision === 'allow'];
    }),
  );
}

/** No message at all. */
export const unreadable = Buffer.from([0x0a, 0x02, 0xff]);

/** Policies that a test sets, or bytes in the place of what is made of them. */
export class Desk implements Catalogue {
  #spoilt: Pick<Resource, 'version' | 'bytes'> | undefined;
  readonly #renderer: Renderer;
  #changed: () => void = () => undefined;

  constructor(set: Both) {
    this.#renderer = new Renderer(set.exporter);
  }

  use(set: Both): void {
    this.#renderer.use(set.exporter);
    this.#changed();
  }

  spoil(bytes: Uint8Array = unreadable, version = 'spoilt'): void {
    this.#spoilt = { version, bytes };
    this.#changed();
  }

  mend(): void {
    this.#spoilt = undefined;
    this.#changed();
  }

  async render(node: Node, wanted: readonly string[]): Promise<readonly Resource[]> {
    const { resources } = this.#renderer.render(node.proxy, wanted);
    return resources.map((one) => ({ ...one, ...this.#spoilt }));
  }

  onChange(changed: () => void): () => void {
    this.#changed = changed;
    return () => undefined;
  }
}

export interface Serving extends Discovery {
  readonly refused: string[];
  readonly port: number;
  readonly server: Http2Server;
}

export const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

export async function serve(catalogue: Catalogue, port = 0): Promise<Serving> {
  const refused: string[] = [];
  const made = discovery({
    catalogue,
    onRefused: (_, which, words) => refused.push(`${which}: ${words}`),
    onFailed: (_, error) => {
      throw error;
    },
  });
  const server = openGrpc({ methods: made.methods });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    for (const session of sessions) session.destroy();
    server.close();
  };
  closing.push(stop);
  return Object.assign(made, { refused, port: (server.address() as AddressInfo).port, server, stop });
}

let shared: Promise<Authority> | undefined;
/** Whose clients are let in at all. */
export function homeOf(): Promise<Authority> {
  shared ??= authority('td.example');
  return shared;
}

/** Who an Envoy says it is: its id, or more. */
type Called = string | Pick<Surroundings, 'node' | 'cluster' | 'metadata'>;

export async function envoy(
  port: number,
  form: 'GRPC' | 'DELTA_GRPC',
  called: Called = 'default/web-1',
): Promise<Lab> {
  const home = await homeOf();
  const lab = await openLab(
    [{ name: 'web', kind: 'http', filters: [discovered], trust: spiffeBundles(home) }],
    {
      ...(typeof called === 'string' ? { node: called } : called),
      clusters: [grpcCluster('placet', port)],
      discovery: { cluster: 'placet', form },
    },
  );
  closing.push(() => lab.stop());
  return lab;
}

export async function codes(lab: Lab, who: string, count: number): Promise<readonly number[] | undefined> {
  const certificate = await svid(await homeOf(), idOf(who));
  const path = socketOf(lab.envoy.folder, 0);
  return await askHttp(
    { path },
    { certificate },
    Array.from({ length: count }, () => ({ id: '', path: '/' })),
  );
}
