import { field, items, textOf, typeOf } from './json.ts';

/** What configuration files and dumps hold, whatever form they come in. */
export interface Resources {
  readonly listeners: readonly unknown[];
  /** Filters that stand by themselves, not in a listener and under no name that one asks for. */
  readonly filters: readonly unknown[];
  /** What goes with such filters for routes, as an exporter prints it. */
  readonly exportedRoutes: readonly unknown[];
  /** What discovery services have delivered, by name. */
  readonly extensions: ReadonlyMap<string, unknown>;
  readonly routes: ReadonlyMap<string, unknown>;
  readonly secrets: ReadonlyMap<string, unknown>;
  /** Layers of the runtime, which settings that are left to it come from. */
  readonly runtime: readonly unknown[];
}

const listener = 'envoy.config.listener.v3.Listener';
const route = 'envoy.config.route.v3.RouteConfiguration';
const secret = 'envoy.extensions.transport_sockets.tls.v3.Secret';
const extension = 'envoy.config.core.v3.TypedExtensionConfig';
/** With what an export puts in front of RBAC. */
const filter =
  /^envoy\.extensions\.filters\.(?:(?:http|network)\.rbac\.v3\.RBAC|http\.jwt_authn\.v3\.JwtAuthentication|http\.lua\.v3\.Lua)$/;
const rbac = /^envoy\.extensions\.filters\.(http|network)\.rbac\.v3\.RBAC$/;

export function resourcesOf(documents: readonly unknown[]): Resources {
  const collector = new Collector();
  for (const document of documents) collector.document(document);
  return collector.finish();
}

class Collector {
  readonly #listeners: unknown[] = [];
  readonly #named = new Map<string, unknown>();
  readonly #filters: unknown[] = [];
  readonly #exportedRoutes: unknown[] = [];
  readonly #routes = new Map<string, unknown>();
  readonly #secrets = new Map<string, unknown>();
  readonly #runtime: unknown[] = [];

  finish(): Resources {
    return {
      listeners: this.#listeners,
      filters: this.#filters,
      exportedRoutes: this.#exportedRoutes,
      extensions: this.#named,
      routes: this.#routes,
      secrets: this.#secrets,
      runtime: this.#runtime,
    };
  }

  document(value: unknown): void {
    for (const config of items(field(value, 'configs'))) this.#dump(config);
    for (const resource of items(field(value, 'resources'))) this.#resource(resource);
    this.#bootstrap(value);
    this.#list(items(field(value, 'filters')));
    // What an exporter prints beside a filter's list.
    this.#exportedRoutes.push(...items(field(value, 'routes')));
    if (field(value, 'filter_chains') !== undefined) this.#listeners.push(value);
    if (field(value, 'virtual_hosts') !== undefined) this.#route(value);
    this.#filter(value);
  }

  #bootstrap(value: unknown): void {
    this.#static(field(value, 'static_resources'));
    this.#runtime.push(...items(field(value, 'layered_runtime', 'layers')));
  }

  #static(resources: unknown): void {
    this.#listeners.push(...items(field(resources, 'listeners')));
    for (const one of items(field(resources, 'secrets'))) this.#secret(one);
  }

  /** One resource of a discovery response or file. */
  #resource(resource: unknown): void {
    const type = typeOf(resource);
    if (type === 'envoy.service.discovery.v3.Resource') return this.#resource(field(resource, 'resource'));
    if (type === listener) this.#listeners.push(resource);
    if (type === route) this.#route(resource);
    if (type === secret) this.#secret(resource);
    if (type === extension) this.#extension(resource);
  }

  /** One part of what the admin interface dumps. */
  #dump(config: unknown): void {
    this.#bootstrap(field(config, 'bootstrap'));
    // The bootstrap of a dump repeats its listeners; what is active stands in the listeners' own part.
    for (const one of items(field(config, 'static_listeners'))) this.#once(field(one, 'listener'));
    for (const one of items(field(config, 'dynamic_listeners'))) {
      this.#once(field(one, 'active_state', 'listener'));
    }
    for (const part of ['static_route_configs', 'dynamic_route_configs']) {
      for (const one of items(field(config, part))) this.#route(field(one, 'route_config'));
    }
    for (const part of ['static_secrets', 'dynamic_active_secrets']) {
      for (const one of items(field(config, part))) this.#secret(field(one, 'secret'));
    }
    for (const one of items(field(config, 'ecds_filters'))) this.#extension(field(one, 'ecds_filter'));
  }

  #once(one: unknown): void {
    const name = field(one, 'name');
    const at = this.#listeners.findIndex((other) => name !== undefined && field(other, 'name') === name);
    if (one === undefined) return;
    if (at < 0) this.#listeners.push(one);
    else this.#listeners[at] = one;
  }

  #route(config: unknown): void {
    const name = textOf(field(config, 'name'));
    if (name !== undefined) this.#routes.set(name, config);
  }

  #secret(one: unknown): void {
    const name = textOf(field(one, 'name'));
    if (name !== undefined) this.#secrets.set(name, one);
  }

  #extension(one: unknown): void {
    const name = textOf(field(one, 'name'));
    if (name === undefined) return;
    this.#named.set(name, { name, typed_config: field(one, 'typed_config') });
  }

  /** Filters in their order: where one is known, what stands beside it counts too. */
  #list(filters: readonly unknown[]): void {
    if (filters.some((one) => filter.test(typeOf(field(one, 'typed_config')))))
      this.#filters.push(...filters);
  }

  #filter(value: unknown): void {
    if (filter.test(typeOf(field(value, 'typed_config')))) this.#filters.push(value);
    else if (rbac.test(typeOf(value))) this.#filters.push({ name: 'rbac', typed_config: value });
  }
}

/** Ports at which a listener listens, its additional addresses included. */
export function portsOf(listener: unknown): readonly number[] {
  const addresses = [
    field(listener, 'address'),
    ...items(field(listener, 'additional_addresses')).map((one) => field(one, 'address')),
  ];
  return addresses.flatMap((address) => {
    const port = field(address, 'socket_address', 'port_value');
    return typeof port === 'number' ? [port] : [];
  });
}
