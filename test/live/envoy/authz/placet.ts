import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Bundles, readBundle, X509Verifier } from '../../../../src/attributes/index.ts';
import { answererOf } from '../../../../src/cli/serve/envoy.ts';
import { evidenceReader } from '../../../../src/cli/serve/evidence.ts';
import type { Answerer } from '../../../../src/envoy/authz/ask.ts';
import { authorizationMethods } from '../../../../src/envoy/authz/service.ts';
import { createGrpcServer } from '../../../../src/envoy/grpc/server.ts';
import type { Caller, Service, Snapshot } from '../../../../src/gateway/service.ts';
import type { Both } from '../../../envoy/export/world.ts';
import type { Authority } from '../../../support/certificates/index.ts';

/** The service as Envoys ask it, for many sets of policies at once: a call says in a header which it is about. */

export interface Placet {
  readonly port: number;
  close(): Promise<void>;
}

export const relay: Caller = { name: 'envoy', roles: new Set(['decide', 'relay']) };

export async function servePlacet(
  worlds: ReadonlyMap<string, Both>,
  authorities: readonly Authority[],
): Promise<Placet> {
  const known = authoritiesOf(authorities);
  const answerers = new Map([...worlds].map(([name, world]) => [name, answererFor(world, known, relay)]));
  const server = createGrpcServer({
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

type Authorities = Parameters<typeof evidenceReader>[0]['authorities'];

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
export function answererFor(
  { engine, loaded: { inventory } }: Both,
  authorities: Authorities,
  caller: Caller,
  tokens = false,
): Answerer {
  const snapshot: Snapshot = {
    name: engine.snapshot,
    since: 0,
    inventory,
    decide: engine.decide,
    named: () => [],
    placeOf: () => undefined,
  };
  const service: Service = {
    live: {
      current: () => snapshot,
      explain: () => Promise.reject(new Error('nobody asks why')),
      readiness: () => ({ ready: true, sources: [] }),
    },
    identify: evidenceReader({ authorities, inventory: () => inventory, xfcc: 'last', here: false }),
    callers: { caller: () => caller },
    observer: { decided() {}, shed() {} },
    settings: { ttl: 0, bodyBytes: 1_048_576 },
  };
  return answererOf(service, () => caller, tokens);
}
