import { entries, field, items, textOf, typeOf } from './json.ts';
import { unknownFields } from './known-fields.ts';
import type { Resources } from './resources.ts';

/** A route that requests take, with what it has instead of HTTP filters' own configuration, by their names. */
export interface RoutePath {
  /** What people call it; undefined where there are no routes to tell apart. */
  readonly at: string;
  readonly name: string | undefined;
  /** The most specific that is given: a cluster's before a route's before a virtual host's before the table's. */
  readonly overrides: ReadonlyMap<string, unknown>;
}

export interface Routes {
  readonly routes: readonly RoutePath[];
  /** Route tables that are named and nobody has delivered. */
  readonly missing: readonly string[];
  /** What is not known how to follow, with its place. */
  readonly unknown: readonly string[];
}

const routeType = 'envoy.config.route.v3.Route';
const routesType = 'envoy.config.route.v3.RouteList';

/** All routes of a connection manager. */
export function routesOf(manager: unknown, resources: Resources): Routes {
  const found = new Finder(resources);
  found.table(field(manager, 'route_config'));
  found.named(field(manager, 'rds', 'route_config_name'));
  const scoped = field(manager, 'scoped_routes');
  found.note('scoped_routes', scoped, 'scoped_routes');
  const scopes = field(scoped, 'scoped_route_configurations_list', 'scoped_route_configurations');
  for (const scope of items(scopes)) {
    found.table(field(scope, 'route_configuration'));
    found.named(field(scope, 'route_configuration_name'));
  }
  return found;
}

class Finder implements Routes {
  readonly routes: RoutePath[] = [];
  readonly missing: string[] = [];
  readonly unknown: string[] = [];
  readonly #resources: Resources;

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  note(message: Parameters<typeof unknownFields>[0], value: unknown, place: string): void {
    for (const name of unknownFields(message, value)) this.unknown.push(`${place} has ${name}`);
  }

  named(given: unknown): void {
    const name = textOf(given);
    if (name === undefined || name === '') return;
    const delivered = this.#resources.routes.get(name);
    if (delivered === undefined) this.missing.push(name);
    else this.table(delivered);
  }

  table(table: unknown): void {
    if (table === undefined) return;
    this.note('the route table', table, `the route table ${textOf(field(table, 'name')) ?? ''}`.trimEnd());
    const ofTable = new Map(entries(field(table, 'typed_per_filter_config')));
    for (const host of items(field(table, 'virtual_hosts'))) {
      const name = textOf(field(host, 'name')) ?? '';
      this.note('the virtual host', host, `the virtual host ${name}`);
      const ofHost = refined(ofTable, host);
      for (const [index, route] of [...items(field(host, 'routes')), ...this.#matched(host, name)].entries())
        this.#route(route, `${name}[${index}]`, ofHost);
    }
  }

  #route(route: unknown, place: string, ofHost: ReadonlyMap<string, unknown>): void {
    const name = textOf(field(route, 'name')) || undefined;
    const at = `route ${name ?? place}`;
    this.note('the route', route, at);
    const ofRoute = refined(ofHost, route);
    this.routes.push({ at, name, overrides: ofRoute });
    for (const cluster of items(field(route, 'route', 'weighted_clusters', 'clusters'))) {
      if (field(cluster, 'typed_per_filter_config') === undefined) continue;
      const label = `${at}, cluster ${textOf(field(cluster, 'name')) ?? ''}`;
      this.routes.push({ at: label, name, overrides: refined(ofRoute, cluster) });
    }
  }

  /** Routes are what a tree of matchers comes to, however it comes to them. */
  #matched(host: unknown, name: string): readonly unknown[] {
    const found: unknown[] = [];
    for (const action of actionsIn(field(host, 'matcher'))) {
      const type = typeOf(action);
      if (type === routeType) found.push(action);
      else if (type === routesType) found.push(...items(field(action, 'routes')));
      else
        this.unknown.push(
          `the matcher of the virtual host ${name} has an action of type ${type || '(none)'}`,
        );
    }
    return found;
  }
}

function* actionsIn(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) for (const one of value) yield* actionsIn(one);
  else
    for (const [key, one] of entries(value)) {
      if (key === 'action') yield field(one, 'typed_config');
      else yield* actionsIn(one);
    }
}

function refined(outer: ReadonlyMap<string, unknown>, owner: unknown): ReadonlyMap<string, unknown> {
  const own = entries(field(owner, 'typed_per_filter_config'));
  return own.length === 0 ? outer : new Map([...outer, ...own]);
}
