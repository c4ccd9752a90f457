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
