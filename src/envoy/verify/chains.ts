import { entries, field, isSame, items, mayBeTrue, textOf, typeOf } from './json.ts';
import { unknownFields } from './known-fields.ts';
import type { Resources } from './resources.ts';
import { type RoutePath, routesOf } from './routes.ts';
import { featuresSet } from './runtime.ts';

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
  /** What is not known how to follow, with its place. */
  readonly unknown: readonly string[];
}

export interface FoundFilter {
  readonly name: string;
  readonly type: string;
  /** `{name, typed_config}`; undefined where it was not delivered. */
  readonly json: unknown;
  readonly discovered: boolean;
  readonly disabled: boolean;
  /** Another configuration is in force while this one is not there. */
  readonly fallsBack: boolean;
}

export const manager = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
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
  return chains.flatMap((chain, index) => {
    const called = textOf(field(chain, 'name')) ?? (chain === last ? 'default' : String(index));
    const label = chains.length === 1 ? name : `${name}/${called}`;
    return readChains(label, listener, chain, resources);
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
    unknown: [],
  };
}

/** A chain, and for each upgrade with HTTP filters of its own one that has these instead. */
function readChains(name: string, listener: unknown, chain: unknown, resources: Resources): Chain[] {
  const filters = items(field(chain, 'filters')).map((one) => readFilter(one, resources));
  const found = filters.find(({ type }) => type === manager);
  const config = field(found?.json, 'typed_config');
  const { routes, missing, unknown } = routesOf(config, resources);
  const read = (label: string, httpFilters: unknown): Chain => ({
    name: label,
    listener,
    transportSocket: field(chain, 'transport_socket'),
    filters,
    manager: config,
    httpFilters: items(httpFilters).map((one) => readFilter(one, resources)),
    routes,
    missingRoutes: missing,
    unknown: [
      ...unknownFields('the listener', listener).map((one) => `the listener has ${one}`),
      ...unknownFields('the filter chain', chain).map((one) => `the filter chain has ${one}`),
      ...unknownFields('the connection manager', config).map((one) => `the connection manager has ${one}`),
      ...unknown,
      ...featuresSet(resources.runtime).map((one) => `the runtime has ${one}`),
    ],
  });
  const upgrades = items(field(config, 'upgrade_configs')).flatMap((upgrade) => {
    const own = field(upgrade, 'filters');
    const type = textOf(field(upgrade, 'upgrade_type')) ?? '';
    return items(own).length === 0 ? [] : [read(`${name}, upgrade ${type}`, own)];
  });
  return [read(name, field(config, 'http_filters')), ...upgrades];
}

function readFilter(given: unknown, resources: Resources | undefined): FoundFilter {
  const name = textOf(field(given, 'name')) ?? '';
  const disabled = mayBeTrue(field(given, 'disabled'));
  const discovery = field(given, 'config_discovery');
  if (discovery === undefined) {
    const type = typeOf(field(given, 'typed_config'));
    return { name, type, json: given, discovered: false, disabled, fallsBack: false };
  }
  const delivered = resources?.extensions.get(name);
  const [promised] = items(field(discovery, 'type_urls'));
  const type = typeOf(field(delivered, 'typed_config')) || typeOf({ '@type': promised });
  const fallback = field(discovery, 'default_config');
  const fallsBack = fallback !== undefined && !isSame(fallback, field(delivered, 'typed_config'));
  return { name, type, json: delivered, discovered: true, disabled, fallsBack };
}
