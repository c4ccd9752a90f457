import { afterAll, describe, expect } from 'vitest';
import { live } from '../../../live.ts';
import { extensionsOf } from '../../../support/envoy/extensions.ts';
import { type Lab, openLab } from '../../../support/envoy/lab.ts';
import { type Filter, grpcCluster, type ListenerSpec } from '../../../support/envoy/listeners.ts';
import { envoyMissing } from '../../../support/envoy/program.ts';
import { spiffeBundles } from '../../../support/envoy/trust.ts';
import { asking, certificateFor, friend, saying, serveShop, stranger, td, web } from './world.ts';

/** All ways in which a real Envoy may say what is asked for, one listener for each, and those that only look so. */

type Json = Readonly<Record<string, unknown>>;
const type = (name: string) => ({ '@type': `type.googleapis.com/envoy.extensions.filters.http.${name}` });

/** Another one, which nobody knows. */
const other = { ...web, dataplane: 'nobody-1' };

/** Asks without a word of what for, but for what is given here. */
function filter(fields: Json = {}, call?: typeof web | typeof other, cluster = 'placet'): Filter {
  const grpc_service = {
    envoy_grpc: { cluster_name: cluster },
    timeout: '10s',
    ...(call === undefined ? {} : { initial_metadata: saying(call) }),
  };
  return { ...asking({ ...fields, grpc_service }), name: 'envoy.filters.http.ext_authz' };
}

const route = (more: Json) => [
  { match: { prefix: '' }, direct_response: { status: 200, body: { inline_string: 'ok' } }, ...more },
];

const extensions = (destination: Readonly<Record<string, string>>) => ({
  typed_per_filter_config: {
    'envoy.filters.http.ext_authz': {
      ...type('ext_authz.v3.ExtAuthzPerRoute'),
      check_settings: { context_extensions: extensionsOf(destination) },
    },
  },
});

const leaving = (namespace: string): Filter => ({
  name: 'envoy.filters.http.set_metadata',
  typed_config: {
    ...type('set_metadata.v3.Config'),
    metadata: [{ metadata_namespace: namespace, value: web }],
  },
});

const labels = { bootstrap_metadata_labels_key: 'labels of placet' };
const metadata = { metadata_context_namespaces: ['placet'] };
const ofRoute = { route_metadata_context_namespaces: ['placet'] };

/** `placet` hears all that a proxy says in words; `by-name` its headers, then the name in its certificate. */
type Listeners = Readonly<Record<string, Partial<ListenerSpec>>>;
const heard: Listeners = {
  'extensions of the route': { filters: [filter()], routes: route(extensions(web)) },
  'headers of its call': { filters: [filter({}, web)] },
  'labels of its node': { filters: [filter(labels)] },
  'what a filter before left': { filters: [leaving('placet'), filter(metadata)] },
  'its own certificate': { filters: [filter({}, undefined, 'by-name')] },
  'the first of the order, of two': { filters: [filter({}, other)], routes: route(extensions(web)) },
  'the last of the order, of two': { filters: [leaving('placet'), filter({ ...metadata }, web)] },
};

const unheard: Listeners = {
  'nothing, or what is not asked': { filters: [filter()] },
  'another first of two': { filters: [filter({}, web)], routes: route(extensions(other)) },
  'another before its own certificate': { filters: [filter({}, other, 'by-name')] },
  'labels that it is not told to send': { filters: [filter({ bootstrap_metadata_labels_key: 'no such' })] },
  'what a filter left and is not sent': { filters: [leaving('placet'), filter()] },
  'what a filter left elsewhere': {
    filters: [leaving('other'), filter({ metadata_context_namespaces: ['placet', 'other'] })],
  },
  // Envoy sends neither where it sends dynamic metadata: the listener's nowhere, the route's in a field of its own.
  'metadata of the listener': { filters: [filter({ ...metadata, ...ofRoute })], metadata: { placet: web } },
  'metadata of the route': {
    filters: [filter({ ...metadata, ...ofRoute })],
    routes: route({ metadata: { filter_metadata: { placet: web } } }),
  },
};

const all = { ...heard, ...unheard };

/** Of a friend who asks for /, for /metrics, and of a stranger. */
const decided = ['allow rule', 'deny rule', 'deny default'];
const unknown = decided.map(() => 'deny unknown-destination');
const each = (some: Listeners, said: readonly string[]) => Object.keys(some).map((name) => [name, said]);

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(): Promise<Lab> {
  // Whose certificate each Envoy of these tests has.
  const destinations = { 'spiffe://server.example/envoy': web };
  const [placet, byName] = await Promise.all([
    serveShop({ destinations }),
    serveShop({ destination: ['call', 'principal'], destinations }),
  ]);
  closing.push(
    () => placet.close(),
    () => byName.close(),
  );
  const trust = spiffeBundles(await td());
  const specs = Object.entries(all).map(
    ([name, fields]): ListenerSpec => ({ name, kind: 'http', filters: [], trust, ...fields }),
  );
  const lab = await openLab(specs, {
    clusters: [grpcCluster('placet', placet.port), grpcCluster('by-name', byName.port)],
    metadata: { [labels.bootstrap_metadata_labels_key]: extensionsOf(web) },
  });
  closing.push(() => lab.stop());
  return lab;
}

describe('what an Envoy says that is asked for', () => {
  live(
    envoyMissing,
    '[AUTHZ4] each way in which an Envoy may say it counts, in their order, and no other does',
    async () => {
      const lab = await open();
      const [good, bad] = [await certificateFor(friend), await certificateFor(stranger)];
      const found: (readonly [string, readonly string[]])[] = [];
      for (const name of Object.keys(all)) {
        const said = [
          ...(await lab.ask(name, { certificate: good }, [{}, { path: '/metrics' }])),
          ...(await lab.ask(name, { certificate: bad }, [{}])),
        ];
        const words = said.map(({ verdict, metadata: left }) => {
          const { reason } = (left?.['envoy.filters.http.ext_authz'] ?? {}) as Json;
          return `${verdict} ${reason}`;
        });
        found.push([name, words]);
      }
      expect(found).toEqual([...each(heard, decided), ...each(unheard, unknown)]);
    },
  );
});
