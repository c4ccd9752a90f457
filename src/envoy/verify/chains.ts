import { entries, field, items, textOf, typeOf } from './json.ts';
import type { Resources } from './resources.ts';

/** One way in: the filters of a chain of a listener in their order, as they are once discovery has delivered them. */
export interface Chain {
  /** `listener/chain`, as people look for it. */
  readonly name: string;
  /** Undefined where filters stand by themselves, without a listener around them. */
  readonly listener: unknown;
  readonly transportSocket: unknown;
  readonly filters: readonly FoundFilter[];
  /** The connection manager, if there is one. */
  readonly manager: unknown;
  readonly httpFilters: readonly FoundFilter[];
  readonly routes: readonly RoutePath[];
  /** Route tables that it names and nobody has delivered. */
  readonly missingRoutes: readonly string[];
}

export interface FoundFilter {
  readonly name: string;
  readonly type: string;
  /** `{name, typed_config}`; undefined where it was not delivered. */
  readonly json: unknown;
  readonly discovered: boolean;
  readonly disabled: boolean;
}

/** A route that requests take, with what it has instead of HTTP filters' own configuration, by their names. */
export interface RoutePath {
  /** What people call it; undefined where there are no routes to tell apart. */
  readonly at: string;
  readonly name: string | undefined;
  /** The most specific that is given: a cluster's before a route's before a virtual host's before the table's. */
  readonly overrides: ReadonlyMap<string, unknown>;
}

const manager = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const rbacType = /^envoy\.extensions\.filters\.(http|network)\.rbac\.v3\.RBAC$/;

const askingType = /^envoy\.extensions\.filters\.(http|network)\.ext_authz\.v3\.ExtAuthz$/;

export function isRbac({ type }: Pick<FoundFilter, 'type'>): boolean {
  return rbacType.test(type);
}

/** Filters that ask somebody else, who is not in the configuration. */
export function askingIn({ filters, httpFilters }: Pick<Chain, 'filters' | 'httpFilters'>): FoundFilter[] {
  return [...filters, ...httpFilters].filter(({ type, disabled }) => askingType.test(type) && !disabled);
}

export function chainsOf(listener: unknown, resources: Resources): Chain[] {
  const name = textOf(field(listener, 'name')) ?? '(listener)';
  const last = field(listener, 'default_filter_chain');
  const chains = [...items(field(listener, 'filter_chains')), ...(last === undefined ? [] : [last])];
  return chains.map((chain, index) => {
    const called = textOf(field(chain, 'name')) ?? (chain === last ? 'default' : String(index));
    const label = chains.length === 1 ? name : `${name}/${called}`;
    return readChain(label, listener, chain, resources);
  });
}

/** Filters by themselves are taken as one chain, in the order in which they were given. */
export function looseChain(filters: readonly unknown[], exported: readonly unknown[] = []): Chain {
  const routes = exported.map((one): RoutePath => {
    const name = textOf(field(one, 'route'));
    const overrides = new Map(entries(field(one, 'typed_per_filter_config')));
    return { at: `route ${name ?? ''}`, name, overrides };
  });
  const found = filters.map((json) => readFilter(json, undefined));
  return {
    name: '(filters alone)',
    listener: undefined,
    transportSocket: undefined,
    filters: found.filter(({ type }) => type.includes('.network.')),
    manager: undefined,
    httpFilters: found.filter(({ type }) => type.includes('.http.')),
    routes,
    missingRoutes: [],
  };
}

function readChain(name: string, listener: unknown, chain: unknown, resources: Resources): Chain {
  const filters = items(field(chain, 'filters')).map((one) => readFilter(one, resources));
  const found = filters.find(({ type }) => type === manager);
  const config = field(found?.json, 'typed_config');
  const routes = routesOf(config, resources);
  return {
    name,
    listener,
    transportSocket: field(chain, 'transport_socket'),
    filters,
    manager: config,
    httpFilters: items(field(config, 'http_filters')).map((one) => readFilter(one, resources)),
    routes: routes.tables.flatMap(pathsOf),
    missingRoutes: routes.missing,
  };
}

function readFilter(given: unknown, resources: Resources | undefined): FoundFilter {
  const name = textOf(field(given, 'name')) ?? '';
  const disabled = field(given, 'disabled') === true;
  const discovery = field(given, 'config_discovery');
  if (discovery === undefined) {
    return { name, type: typeOf(field(given, 'typed_config')), json: given, discovered: false, disabled };
  }
  const delivered = resources?.extensions.get(name);
  const [promised] = items(field(discovery, 'type_urls'));
  const type = typeOf(field(delivered, 'typed_config')) || typeOf({ '@type': promised });
  return { name, type, json: delivered, discovered: true, disabled };
}

function routesOf(config: unknown, resources: Resources): { tables: unknown[]; missing: string[] } {
  const own = field(config, 'route_config');
  const named = textOf(field(config, 'rds', 'route_config_name'));
  if (named === undefined) {
    const scoped = field(config, 'scoped_routes') === undefined ? [] : ['(scoped routes)'];
    return { tables: own === undefined ? [] : [own], missing: scoped };
  }
  const delivered = resources.routes.get(named);
  return delivered === undefined ? { tables: [], missing: [named] } : { tables: [delivered], missing: [] };
}

function pathsOf(table: unknown): RoutePath[] {
  const found: RoutePath[] = [];
  const ofTable = new Map(entries(field(table, 'typed_per_filter_config')));
  for (const host of items(field(table, 'virtual_hosts'))) {
    const hostName = textOf(field(host, 'name')) ?? '';
    const ofHost = refined(ofTable, host);
    for (const [index, route] of items(field(host, 'routes')).entries()) {
      const name = textOf(field(route, 'name'));
      const at = `route ${name ?? `${hostName}[${index}]`}`;
      const ofRoute = refined(ofHost, route);
      found.push({ at, name, overrides: ofRoute });
      for (const cluster of items(field(route, 'route', 'weighted_clusters', 'clusters'))) {
        if (field(cluster, 'typed_per_filter_config') === undefined) continue;
        const label = `${at}, cluster ${textOf(field(cluster, 'name')) ?? ''}`;
        found.push({ at: label, name, overrides: refined(ofRoute, cluster) });
      }
    }
  }
  return found;
}

function refined(outer: ReadonlyMap<string, unknown>, owner: unknown): ReadonlyMap<string, unknown> {
  const own = entries(field(owner, 'typed_per_filter_config'));
  return own.length === 0 ? outer : new Map([...outer, ...own]);
}
