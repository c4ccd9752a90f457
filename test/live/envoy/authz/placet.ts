import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { readBundle } from '../../../../src/attributes/bundles/document.ts';
import { Bundles } from '../../../../src/attributes/bundles/store.ts';
import { X509Verifier } from '../../../../src/attributes/x509/verifier.ts';
import { answererOf } from '../../../../src/cli/serve/envoy.ts';
import { evidenceReader } from '../../../../src/cli/serve/evidence.ts';
import type { Answerer } from '../../../../src/envoy/authz/ask.ts';
import { authorizationMethods } from '../../../../src/envoy/authz/service.ts';
import { createServer } from '../../../../src/gateway/listen.ts';
import type { Caller, Service, Snapshot } from '../../../../src/gateway/service.ts';
import type { Decision } from '../../../../src/pdp/model/decision.ts';
import type { Both } from '../../../envoy/export/world.ts';
import { openGrpc } from '../../../envoy/grpc/open.ts';
import { bounds, settings } from '../../../gateway/given.ts';
import type { Authority } from '../../../support/certificates/index.ts';

/** The service as Envoys ask it, for many sets of policies at once: a call says in a header which it is about. */

export interface Placet {
  readonly port: number;
  close(): Promise<void>;
}

export const relay: Caller = { name: 'envoy', roles: new Set(['decide', 'relay']) };

export async function servePlacet(
  worlds: ReadonlyMap<string, Both>,
  authorities: Authorities,
): Promise<Placet> {
  const answerers = new Map(
    [...worlds].map(([name, world]) => [name, answererFor(world, authorities, relay)]),
  );
  const server = openGrpc({
    methods: authorizationMethods({
      reading: {
        destinations: { order: ['call'], ofPrincipal: () => undefined },
        principals: 'certificate-only',
        addresses: false,
      },
      denial: { status: 403, body: 'denied' },
      tellUpstream: false,
      answer: (asked, call) => (answerers.get(String(call.headers['x-world'])) as Answerer)(asked, call),
    }),
    onError: (error) => console.error(error),
  });
  return await listening(server);
}

async function listening(server: Server | Http2Server): Promise<Placet> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

export interface HttpPlacet extends Placet {
  /** Whatever it decided, by the id that it gave: an answer by HTTP has no more of a decision than that. */
  readonly decided: ReadonlyMap<string, Decision>;
}

/** The API of one set, for Envoys that ask it by HTTP. */
export async function serveByHttp(
  world: Both,
  authorities: Authorities,
  xfcc: 'only' | 'last',
): Promise<HttpPlacet> {
  const decided = new Map<string, Decision>();
  const service = serviceOf(world, authorities, relay, {
    xfcc,
    observer: { decided: ({ id, decision }) => decided.set(id, decision), shed() {} },
  });
  // The test itself takes turns that a service would not.
  const server = createServer(service, { bounds: { ...bounds, turn: 60_000 } });
  return { ...(await listening(server)), decided };
}

export type Authorities = Parameters<typeof evidenceReader>[0]['authorities'];

export function authoritiesOf(authorities: readonly Authority[]): Authorities {
  const bundles = new Bundles();
  for (const { trustDomain, bundle } of authorities) {
    const read = readBundle(trustDomain, bundle);
    if (!read.ok) throw new Error(read.refusal.message);
    bundles.load(trustDomain, read.value, Date.now());
  }
  return { bundles, verifier: new X509Verifier(bundles), audiences: [] };
}

/** Answers as the service does, by one set; `tokens`: claims count too. */
export function answererFor(world: Both, authorities: Authorities, caller: Caller, tokens = false): Answerer {
  return answererOf(serviceOf(world, authorities, caller), () => caller, tokens);
}

interface Otherwise {
  readonly xfcc?: Parameters<typeof evidenceReader>[0]['xfcc'];
  readonly observer?: Service['observer'];
}

function serviceOf(
  { engine, loaded: { inventory } }: Both,
  authorities: Authorities,
  caller: Caller,
  { xfcc = 'last', observer = { decided() {}, shed() {} } }: Otherwise = {},
): Service {
  const snapshot: Snapshot = {
    name: engine.snapshot,
    since: 0,
    inventory,
    decide: engine.decide,
    named: () => [],
    placeOf: () => undefined,
  };
  return {
    live: {
      current: () => snapshot,
      explain: () => Promise.reject(new Error('nobody asks why')),
      readiness: () => ({ ready: true, sources: [] }),
    },
    identify: evidenceReader({ authorities, inventory: () => inventory, xfcc }),
    callers: { caller: () => caller },
    observer,
    settings: { ...settings, ttl: 0 },
  };
}
