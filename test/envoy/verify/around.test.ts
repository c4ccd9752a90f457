import { describe, expect, test } from 'vitest';
import { chooseChains } from '../../../src/envoy/verify/choose.ts';
import { resourcesOf } from '../../../src/envoy/verify/resources.ts';
import { isSound } from '../../../src/envoy/verify/verify.ts';
import * as b from '../interpreter/build.ts';
import * as config from './config.ts';
import { filters, inBootstrap, reports } from './configurations.ts';
import * as spiffe from './spiffe-world.ts';

/** What stands around RBAC and takes requests past it, or is not known here. */

type Json = Readonly<Record<string, unknown>>;

const off = { '@type': 'x/envoy.extensions.filters.http.rbac.v3.RBACPerRoute' };
const perRoute = { typed_per_filter_config: { 'envoy.filters.http.rbac': off } };

function failing(parts: Partial<config.Parts>, bootstrap: Json = {}): string[] {
  const document = { ...inBootstrap(config.http({ filters, ...parts })), ...bootstrap };
  const found = reports(spiffe, [document]);
  const fails = found.flatMap(({ chain, checks }) =>
    checks.flatMap(({ state, id, message }) => (state === 'fails' ? [`${chain}: ${id}: ${message}`] : [])),
  );
  expect(found.every(isSound)).toBe(fails.length === 0);
  return fails;
}

describe('what goes around RBAC', () => {
  test('[VER13] an upgrade with filters of its own is a chain of its own', () => {
    const upgrade = (own?: readonly Json[]) => ({
      manager: { upgrade_configs: [{ upgrade_type: 'websocket', ...(own && { filters: own }) }] },
    });
    expect(failing(upgrade())).toEqual([]);
    expect(failing(upgrade([...filters, config.router]))).toEqual([]);
    expect(failing(upgrade([config.router]))).toContain(
      'inbound, upgrade websocket: rbac: the chain has no RBAC filter, so that everything is allowed',
    );
  });

  test('[VER13] routes that a matcher comes to are routes', () => {
    const routeAction = (config: Json) => ({ action: { name: 'route', typed_config: config } });
    const matcher = (action: Json) => ({
      routes: [],
      host: {
        matcher: {
          matcher_tree: {
            input: b.header(':path'),
            prefix_match_map: {
              map: { '/a': { matcher: { matcher_list: { matchers: [{ on_match: routeAction(action) }] } } } },
            },
          },
        },
      },
    });
    const route = { '@type': 'x/envoy.config.route.v3.Route', match: { prefix: '/' } };
    expect(failing(matcher(route))).toEqual([]);
    const found = 'inbound: route-overrides: route all[0]: switches RBAC off';
    expect(failing(matcher({ ...route, ...perRoute }))).toContain(found);
    const list = { '@type': 'x/envoy.config.route.v3.RouteList', routes: [{ name: '', ...perRoute }] };
    expect(failing(matcher(list))).toContain(found);
    expect(failing(matcher({ '@type': 'x/xds.type.v3.TypedStruct', value: route }))).toEqual([
      'inbound: not-followed: the matcher of the virtual host all has an action of type xds.type.v3.TypedStruct: what comes of it is not known here',
    ]);
  });

  test('[VER13] scoped routes that stand in the listener are routes; those that come later are not known', () => {
    const scoped = (more: Json) => ({
      manager: { route_config: null, scoped_routes: { name: 's', ...more } },
    });
    const list = (...scopes: Json[]) =>
      scoped({ scoped_route_configurations_list: { scoped_route_configurations: scopes } });
    const table = { name: 't', virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ ...perRoute }] }] };
    expect(failing(list({ name: 'a', route_configuration: { name: 't' } }))).toEqual([]);
    expect(failing(list({ name: 'a', route_configuration: table }))).toContain(
      'inbound: route-overrides: route all[0]: switches RBAC off',
    );
    const [named] = reports(spiffe, [
      inBootstrap(config.http({ filters, ...list({ name: 'a', route_configuration_name: 'far' }) })),
    ]);
    expect(named?.checks.find(({ id }) => id === 'route-overrides')?.state).toBe('not shown');
    expect(failing(scoped({ scoped_rds: {} }))).toEqual([
      'inbound: not-followed: scoped_routes has scoped_rds: what comes of it is not known here',
    ]);
  });

  test('[VER13] a listener none of whose chains are there is no listener that could be verified', () => {
    const { filter_chains: _, ...bare } = config.http({ filters });
    expect(chooseChains(resourcesOf([inBootstrap(bare)]), undefined, [])).toMatchObject({
      chains: undefined,
      message: 'inbound: no filter chain of it is in the configuration',
    });
  });
});

describe('what is not known', () => {
  const route = { match: { prefix: '/' }, direct_response: { status: 200 } };
  const unknown: readonly [string, Partial<config.Parts>][] = [
    [
      'the connection manager has early_header_mutation_extensions',
      { manager: { early_header_mutation_extensions: [{}] } },
    ],
    [
      'the connection manager has typed_header_validation_config',
      { manager: { typedHeaderValidationConfig: {} } },
    ],
    ['the connection manager has normalize_path in two spellings', { manager: { normalizePath: true } }],
    ['the listener has use_original_dst', { listener: { use_original_dst: true } }],
    ['the listener has fcds_config', { listener: { fcds_config: {} } }],
    ['the route table has vhds', { manager: { route_config: { vhds: {} } } }],
    ['the virtual host all has route_specifiers', { host: { route_specifiers: [{}] } }],
    ['route all[0] has of_later', { routes: [{ ...route, of_later: {} }] }],
  ];
  test.each(unknown)('[VER17] fails: %s', (words, parts) => {
    expect(failing(parts)).toEqual([`inbound: not-followed: ${words}: what comes of it is not known here`]);
  });

  test('[VER17] what is not there, or switched off, is nothing', () => {
    expect(failing({ listener: { use_original_dst: false, fcds_config: null } })).toEqual([]);
    expect(failing({ manager: { early_header_mutation_extensions: [] } })).toEqual([]);
  });

  test('[VER17] many are named, and the rest counted', () => {
    const later = Array.from({ length: 12 }, (_, i) => [`f${i}`, {}]);
    expect(failing({ manager: Object.fromEntries(later) })[0]).toContain(
      'has f9 and 2 more: what comes of it',
    );
  });
});

describe('settings that are taken otherwise than they look', () => {
  const slashes = (action: unknown, layer?: Json) =>
    failing(
      action === undefined ? {} : { manager: { path_with_escaped_slashes_action: action } },
      layer && {
        layered_runtime: {
          layers: [
            { name: 'one', admin_layer: {} },
            { name: 'two', ...layer },
          ],
        },
      },
    );
  const key = 'http_connection_manager.path_with_escaped_slashes_action';

  test('[VER17] escaped slashes: numbers, any case, values that are not known', () => {
    for (const fine of [undefined, 0, 1, '1', 2, 3, 'KEEP_UNCHANGED', 'reject_request'])
      expect(slashes(fine), String(fine)).toEqual([]);
    for (const unescaped of [4, '4', 'unescape_and_forward', 'UNESCAPE_AND_FORWARD'])
      expect(slashes(unescaped)[0], String(unescaped)).toContain('are unescaped before RBAC');
    for (const other of [5, 'KEEP', true, {}])
      expect(slashes(other)[0], String(other)).toContain('which is not known here');
  });

  test('[VER12] escaped slashes that are left to the runtime', () => {
    const [http, ...rest] = key.split('.');
    for (const layer of [
      { static_layer: { [key]: 4 } },
      { static_layer: { [http!]: { [rest.join('.')]: 4 } } },
      { rtds_layer: { name: 'far' } },
      { disk_layer: { symlink_root: '/runtime' } },
    ]) {
      expect(slashes(undefined, layer)).toEqual([
        'inbound: escaped-slashes: path_with_escaped_slashes_action is left to the runtime, whose layer two may set it',
      ]);
      expect(slashes('KEEP_UNCHANGED', layer)).toEqual([]);
    }
    expect(slashes(undefined, { static_layer: { 'other.key': 4 } })).toEqual([]);
    const dump = {
      configs: [{ bootstrap: { layered_runtime: { layers: [{ static_layer: { [key]: 4 } }] } } }],
    };
    expect(failing({}, dump)).toHaveLength(1);
  });

  test('[VER17] features of the runtime that change what RBAC sees', () => {
    const feature = 'envoy.reloadable_features.enable_universal_header_validator';
    expect(slashes(1, { static_layer: { [feature]: true } })).toEqual([
      `inbound: not-followed: the runtime has ${feature}: what comes of it is not known here`,
    ]);
  });

  test('[VER12] a TLS inspector that does not look at every connection', () => {
    const { typed_config } = config.inspector as { typed_config: Json };
    const inspected = (filter: Json, more: Json = {}) =>
      failing({ listener: { listener_filters: [{ ...config.inspector, ...filter }], ...more } }).map((one) =>
        one.slice(one.lastIndexOf(': ') + 2),
      );
    expect(inspected({ typed_config: { ...typed_config, enable_ja3_fingerprinting: true } })).toEqual([]);
    expect(inspected({ filter_disabled: { any_match: true } })).toEqual(['filter_disabled switches it off']);
    expect(inspected({ typed_config: { ...typed_config, max_client_hello_size: 256 } })).toEqual([
      'what comes of max_client_hello_size is not known here',
    ]);
    for (const yes of [true, 'yes'])
      expect(inspected({}, { continue_on_listener_filters_timeout: yes })).toEqual([
        'continue_on_listener_filters_timeout goes on without it',
      ]);
  });
});

describe('whom TLS believes', () => {
  const pem = (...bodies: string[]) =>
    bodies.map((body) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`).join('');
  const validation = (td: Json, partner: Json, more: Json = {}): Json => ({
    custom_validator_config: b.extension(
      'envoy.extensions.transport_sockets.tls.v3.SPIFFECertValidatorConfig',
      {
        trust_domains: [
          { name: 'td', trust_bundle: td },
          { name: 'partner', trust_bundle: partner },
        ],
        ...more,
      },
    ),
  });
  const found = (td: Json, partner: Json) => failing({ validation: validation(td, partner) });

  test('[VER12] a bundle that trust domains share is none of their own', () => {
    const shared = ['inbound: trust-bundles: td and partner: one CA vouches for the identities of each'];
    expect(found({ filename: '/tls/a.pem' }, { filename: '/tls/b.pem' })).toEqual([]);
    expect(found({ filename: '/tls/a.pem' }, { filename: '/tls/x/..//./a.pem' })).toEqual(shared);
    expect(found({ filename: 'a.pem' }, { filename: './a.pem' })).toEqual(shared);
    expect(found({ filename: 'a.pem' }, { filename: '/a.pem' })).toEqual([]);
    expect(found({ environment_variable: 'A' }, { environment_variable: 'B' })).toEqual([]);
    expect(found({ environment_variable: 'A' }, { environment_variable: 'A' })).toEqual(shared);
    const bytes = Buffer.from(pem('Cg==', 'Yg\n==')).toString('base64');
    expect(found({ inline_string: pem('YQ==') }, { inline_bytes: bytes })).toEqual([]);
    expect(found({ inline_string: pem('YQ==', 'Yg==') }, { inlineBytes: bytes })).toEqual(shared);
  });

  test('[VER17] bundles that come otherwise, and what else decides who is believed', () => {
    const a = { filename: 'a.pem' };
    const b = { filename: 'b.pem' };
    const later = failing({ validation: validation(a, b, { trust_bundles: { filename: 'all.json' } }) });
    expect(later).toEqual([
      'inbound: not-followed: the SPIFFE validator has trust_bundles: what comes of it is not known here',
    ]);
    expect(failing({ common: { custom_handshaker: {} } })[0]).toContain(
      'common_tls_context has custom_handshaker',
    );
    const names = {
      match_typed_subject_alt_names: [{ san_type: 'URI', matcher: { prefix: 'spiffe://td/' } }],
    };
    expect(failing({ validation: { ...validation(a, b), ...names } })[0]).toContain(
      'match_typed_subject_alt_names',
    );
  });

  test('[VER12] what a secret cannot undo fails without it, what it may replace is not shown', () => {
    const states = (context: Json) =>
      reports(spiffe, [
        inBootstrap(
          config.http({
            filters,
            common: {
              validation_context: null,
              combined_validation_context: {
                default_validation_context: context,
                validation_context_sds_secret_config: { name: 'ca' },
              },
            },
          }),
        ),
      ])[0]!.checks.flatMap(({ id, state }) => (state === 'holds' ? [] : [`${id} ${state}`]));
    const good = config.bundles('td', 'partner');
    expect(states(good)).toEqual(['certificate-verification not shown', 'trust-bundles not shown']);
    for (const worse of [{ trust_chain_verification: 1 }, { allow_expired_certificate: 'yes' }])
      expect(states({ ...good, ...worse })).toContain('certificate-verification fails');
    expect(states(config.bundles('td'))).toContain('trust-bundles fails');
  });
});
