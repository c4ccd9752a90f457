import { describe, expect, test } from 'vitest';
import type { CheckId } from '../../../src/envoy/verify/check.ts';
import { chooseChains } from '../../../src/envoy/verify/choose.ts';
import type { Destination } from '../../../src/envoy/verify/evidence.ts';
import { resourcesOf } from '../../../src/envoy/verify/resources.ts';
import { type ChainReport, isSound, verifyChain } from '../../../src/envoy/verify/verify.ts';
import { createEngine } from '../../../src/pdp/engine.ts';
import { loadValues } from '../../policy/loading.ts';
import * as b from '../interpreter/build.ts';
import * as config from './config.ts';
import * as spiffe from './spiffe-world.ts';
import * as tags from './tag-world.ts';

interface World {
  readonly documents: readonly object[];
  readonly destination: Destination;
}

function reports(
  world: World,
  documents: readonly unknown[],
  wanted?: string,
  comparisons = 1e9,
): ChainReport[] {
  const loaded = loadValues(...world.documents);
  const engine = createEngine(loaded.rules, loaded.inventory, loaded.snapshot);
  const resources = resourcesOf(documents);
  const choice = chooseChains(resources, wanted, [8080, 9000]);
  if (choice.chains === undefined) throw new Error(choice.message);
  const decide: typeof engine.decide = (request, channel) => engine.decide(request, channel);
  return choice.chains.map((chain) =>
    verifyChain(chain, resources, {
      ...loaded,
      decide,
      destination: world.destination,
      shadow: true,
      most: 4_000,
      comparisons,
    }),
  );
}

const inBootstrap = (listener: object) => ({ static_resources: { listeners: [listener] } });
const filters = [{ ...spiffe.list, name: 'envoy.filters.http.rbac' }];

function failing(listener: object, world: World = spiffe): string[] {
  return reports(world, [inBootstrap(listener)]).flatMap(({ checks }) =>
    checks.filter(({ state }) => state !== 'holds').map(({ id, state }) => `${id} ${state}`),
  );
}

describe('what is relied on', () => {
  test('[VER12] all of it there: nothing fails, nothing differs', () => {
    const [report] = reports(spiffe, [inBootstrap(config.http({ filters }))]);
    expect(report?.checks.filter(({ state }) => state !== 'holds')).toEqual([]);
    expect(isSound(report!)).toBe(true);
    const [tcp] = reports(tags, [
      inBootstrap(
        config.tcp({ port: 9000, filters: tags.filters, validation: config.bundles('tags', 'elsewhere') }),
      ),
    ]);
    expect(tcp?.checks.flatMap(({ id, state }) => (state === 'holds' ? [] : [`${id} ${state}`]))).toEqual([
      'tag-certificates not shown',
    ]);
    expect(isSound(tcp!)).toBe(true);
  });

  const lua = b.extension('envoy.extensions.filters.http.lua.v3.Lua');
  const jwt = b.extension('envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication');
  const off = { '@type': 'x/envoy.extensions.filters.http.rbac.v3.RBACPerRoute' };
  const route = (more: object) => [{ name: 'r', match: { prefix: '/' }, ...more }];
  const perRoute = (one: object) => ({ typed_per_filter_config: { 'envoy.filters.http.rbac': one } });
  const discovered = {
    name: 'envoy.filters.http.rbac',
    config_discovery: { type_urls: ['x/envoy.extensions.filters.http.rbac.v3.RBAC'] },
  };
  const faults: readonly [CheckId, string, Partial<config.Parts>][] = [
    ['client-certificate', 'certificates are optional', { tls: { require_client_certificate: false } }],
    [
      'certificate-verification',
      'any CA will do',
      { validation: { ...config.bundles('td', 'partner'), trust_chain_verification: 'ACCEPT_UNTRUSTED' } },
    ],
    ['trust-bundles', 'one CA for all', { validation: { trusted_ca: { filename: 'ca.pem' } } }],
    ['trust-bundles', 'a trust domain without a bundle', { validation: config.bundles('td') }],
    ['filter-order', 'a filter before it', { before: [lua] }],
    ['rbac', 'disabled', { filters: [{ ...filters[0]!, disabled: true }] }],
    ['rbac', 'none', { filters: [] }],
    ['delivered', 'from elsewhere', { filters: [discovered] }],
    ['normalize-path', 'not set', { manager: { normalize_path: false } }],
    ['merge-slashes', 'not set', { manager: { merge_slashes: false } }],
    [
      'escaped-slashes',
      'unescaped',
      { manager: { path_with_escaped_slashes_action: 'UNESCAPE_AND_FORWARD' } },
    ],
    ['tls-inspector', 'not there', { listener: { listener_filters: [] } }],
    ['route-overrides', 'a route without RBAC', { routes: route(perRoute(off)) }],
    ['route-overrides', 'a host without RBAC', { host: perRoute(off) }],
    [
      'route-overrides',
      'a cluster without RBAC',
      { routes: route({ route: { weighted_clusters: { clusters: [{ name: 'c', ...perRoute(off) }] } } }) },
    ],
    [
      'route-overrides',
      'switched off in the wrapper',
      { routes: route(perRoute({ '@type': 'x/envoy.config.route.v3.FilterConfig', disabled: true })) },
    ],
    [
      'route-overrides',
      'for a filter that is not there',
      { routes: route({ typed_per_filter_config: { rbac: off } }) },
    ],
  ];
  test.each(faults)('[VER12] %s fails: %s', (id, _, parts) => {
    const found = failing(config.http({ filters, ...parts }));
    expect(found).toContain(`${id} fails`);
    expect(new Set(found).size).toBe(1);
  });

  test('[VER12] jwt_authn may come first; without TLS there is nothing to compare', () => {
    expect(failing(config.http({ filters, before: [jwt] }))).toEqual([]);
    const [report] = reports(spiffe, [inBootstrap(config.http({ filters, tls: null }))]);
    expect(report?.compared).toEqual([]);
    expect(isSound(report!)).toBe(false);
  });

  test('[VER12] the layer of the inbound, counters that run together', () => {
    const plain = b.network({ matcher: { on_no_match: b.action('default', 'DENY') } });
    expect(failing(config.tcp({ filters: [plain] }))).toContain('layer fails');
    const one = b.network({ stat_prefix: 'inbound', rules: {} });
    expect(
      failing(
        config.tcp({ port: 9000, filters: [one], validation: config.bundles('tags', 'elsewhere') }),
        tags,
      ),
    ).toEqual(['tag-certificates not shown', 'stat-prefix fails']);
    const twice = tags.filters.map((filter) => ({
      ...filter,
      typed_config: { ...(filter['typed_config'] as object), shadow_rules: {} },
    }));
    expect(
      failing(
        config.tcp({ port: 9000, filters: twice, validation: config.bundles('tags', 'elsewhere') }),
        tags,
      ),
    ).toEqual(['tag-certificates not shown', 'stat-prefix fails']);
  });

  test('[VER12] resumed sessions, where filters ask for a certificate that was verified', () => {
    const parts = { port: 9000, filters: tags.filters, validation: config.bundles('tags', 'elsewhere') };
    const resumes = { ...parts, tls: { disable_stateless_session_resumption: false } };
    expect(failing(config.tcp(resumes), tags)).toContain('session-resumption fails');
    expect(failing(config.http({ filters, tls: { disable_stateless_session_resumption: false } }))).toEqual(
      [],
    );
  });

  test('[VER12] what filters read and requests are not tried with is said', () => {
    const others = b.either(
      b.single(b.header('x-team'), { exact: 'a' }),
      b.metadataMatch(b.metadata('ns'), { string_match: { exact: 'a' } }),
    );
    const [report] = reports(spiffe, [b.http({ matcher: b.list([[others, b.action('a')]]) })]);
    expect(report?.checks.find(({ id }) => id === 'other-inputs')).toEqual({
      id: 'other-inputs',
      state: 'not shown',
      message: 'filters read dynamic metadata, the header x-team, and requests are tried without',
    });
  });

  test('[VER12] certless clients count where they get in', () => {
    const open = b.http({
      matcher: b.list([[b.not(b.single(b.uri, { prefix: 'spiffe://x' })), b.action('negated')]]),
    });
    const shut = { filters: [{ ...open, name: 'r' }] };
    const certless = (parts: Partial<config.Parts>) =>
      reports(spiffe, [inBootstrap(config.http({ ...shut, ...parts }))])[0]!.compared[0]!.differences.some(
        ({ peer }) => !peer.presented,
      );
    expect(certless({})).toBe(false);
    expect(certless({ tls: { require_client_certificate: false } })).toBe(true);
  });
});

describe('what is read', () => {
  const good = config.http({ filters });
  const dump = (...configs: object[]) => ({ configs });

  test('[VER13] a dump of the admin interface, with what was discovered', () => {
    const found = {
      name: 'envoy.filters.http.rbac',
      config_discovery: { type_urls: ['x/envoy.extensions.filters.http.rbac.v3.RBAC'] },
    };
    const listener = config.http({
      filters: [found],
      manager: { route_config: null, rds: { route_config_name: 'r' } },
      common: {
        validation_context: null,
        combined_validation_context: {
          default_validation_context: {},
          validation_context_sds_secret_config: { name: 'ca' },
        },
      },
    });
    const parts = [
      { dynamic_listeners: [{ name: 'inbound', active_state: { listener } }] },
      {
        ecds_filters: [
          { ecds_filter: { '@type': 'x/envoy.config.core.v3.TypedExtensionConfig', ...filters[0] } },
        ],
      },
      { dynamic_route_configs: [{ route_config: { name: 'r', virtual_hosts: [] } }] },
      {
        dynamic_active_secrets: [
          { secret: { name: 'ca', validation_context: config.bundles('td', 'partner') } },
        ],
      },
    ];
    const states = (documents: object) =>
      reports(spiffe, [documents])[0]!.checks.flatMap(({ id, state }) =>
        state === 'holds' ? [] : [`${id} ${state}`],
      );
    expect(states(dump(...parts))).toEqual([]);
    expect(states(dump(...parts.slice(0, 2)))).toEqual([
      'certificate-verification not shown',
      'trust-bundles not shown',
      'route-overrides not shown',
    ]);
    expect(states(dump(parts[0]!))).toContain('delivered fails');
  });

  test('[VER13] a listener alone, a discovery file, filters alone, several files together', () => {
    const typed = (type: string, resource: object) => ({
      version_info: '1',
      resources: [{ '@type': `x/${type}`, ...resource }],
    });
    for (const documents of [
      [good],
      [typed('envoy.config.listener.v3.Listener', good)],
      filters,
      [typed('envoy.config.core.v3.TypedExtensionConfig', filters[0]!)],
      [{ filters }],
    ]) {
      const [report] = reports(spiffe, documents);
      expect(report?.compared.map(({ differing }) => differing)).toEqual([0]);
      expect(isSound(report!)).toBe(true);
    }
  });

  test('[VER13] the listener that is named, else the one at the port; each of its chains', () => {
    const other = config.http({ name: 'other', port: 1, filters: [] });
    const both = { static_resources: { listeners: [other, good] } };
    expect(reports(spiffe, [both]).map(({ chain }) => chain)).toEqual(['inbound']);
    expect(reports(spiffe, [both], 'other').map(isSound)).toEqual([false]);
    const chains = (good as { filter_chains: object[] }).filter_chains;
    const bare = { filters: [] };
    const two = { ...good, filter_chains: [...chains], default_filter_chain: bare };
    expect(reports(spiffe, [two]).map(({ chain }) => chain)).toEqual(['inbound/0', 'inbound/default']);
    expect(reports(spiffe, [two]).map(isSound)).toEqual([true, false]);
    const far = { static_resources: { listeners: [other, { ...other, name: 'x' }] } };
    expect(() => reports(spiffe, [far])).toThrow('no listener is at the inbound');
    expect(() => reports(spiffe, [{}])).toThrow('there is neither a listener nor an RBAC filter');
  });

  test('[VER13] each route with RBAC of its own is compared with what its filter says', () => {
    const { '@type': _, ...open } = (
      b.http({ matcher: { on_no_match: b.action('all') } }) as { typed_config: Record<string, unknown> }
    ).typed_config;
    const own = { '@type': 'x/envoy.extensions.filters.http.rbac.v3.RBACPerRoute', rbac: open };
    const routes = [
      { name: 'open', match: { prefix: '/' }, typed_per_filter_config: { 'envoy.filters.http.rbac': own } },
    ];
    const [report] = reports(spiffe, [config.http({ filters, routes })]);
    expect(report?.compared.map(({ at, differing }) => [at, differing > 0])).toEqual([
      [undefined, false],
      ['route open', true],
    ]);
  });
});

describe('how much is tried', () => {
  test('[VER14] the bound holds, what is left is said, and the same is tried each time', () => {
    const run = () => reports(spiffe, filters)[0]!.compared[0]!;
    expect(run().tried).toBe(4_000);
    expect(run().possible).toBeGreaterThan(100_000);
    expect(run()).toEqual(run());
  });

  test('[VER14] so does the bound of comparisons: long lists are tried on fewer requests', () => {
    const bounded = (comparisons: number) =>
      reports(spiffe, filters, undefined, comparisons)[0]!.compared[0]!.tried;
    expect(bounded(0)).toBe(0);
    expect(bounded(1)).toBe(1);
    expect(bounded(1_000)).toBeLessThan(bounded(2_000));
    expect(bounded(2_000)).toBeLessThan(1_000);
  });

  test('[VER15] what cannot be evaluated is not sound, whatever else holds', () => {
    const source = { source_ip: { address_prefix: '10.0.0.0', prefix_len: 8 } };
    const [report] = reports(spiffe, [b.http({ rules: b.rules({ p: [b.any, source] }) })]);
    expect(report?.violations.map(({ message }) => message)).toEqual([
      'the principal source_ip is not evaluated here',
    ]);
    expect(isSound(report!)).toBe(false);
  });
});
