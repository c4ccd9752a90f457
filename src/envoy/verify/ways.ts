import type { Violation } from '../../pdp/model/violation.ts';
import type { HttpRequest, Meter, Peer, Result, Verdict } from '../interpreter/evidence.ts';
import type { RbacFilter } from '../interpreter/filter.ts';
import { readPerRoute, readRbac } from '../interpreter/interpret.ts';
import { type Chain, type FoundFilter, isRbac } from './chains.ts';
import { field, mayBeTrue, typeOf } from './json.ts';

/** One way of a request through a chain: its RBAC filters, where a route has its own instead. */
export interface Way {
  /** What stands in the place of the listener's own filters, in words. */
  readonly at: string | undefined;
  readonly route: string | undefined;
  readonly filters: readonly RbacFilter[];
  /** What the filters compare with is looked for here. */
  readonly sources: readonly unknown[];
}

export interface Ways {
  readonly ways: readonly Way[];
  /** What could not be evaluated, with its place. */
  readonly violations: readonly Violation[];
}

/** Routes that rules name are told apart from all others, and others by their configuration alone. */
export function waysOf(chain: Chain, named: ReadonlySet<string>): Ways {
  const violations: Violation[] = [];
  const filters = [...chain.filters, ...chain.httpFilters].filter((one) => isRbac(one) && !one.disabled);
  const http = new Set(filters.flatMap(({ name, type }) => (type.includes('.http.') ? [name] : [])));
  const found: Way[] = [];
  for (const { at, name, overrides } of pathsOf(chain, http, named)) {
    const all = readAll(filters, overrides, violations, at === undefined ? [chain.name] : [chain.name, at]);
    if (all !== undefined) found.push({ at, route: name, ...all });
  }
  return { ways: found, violations };
}

interface Path {
  readonly at: string | undefined;
  readonly name: string | undefined;
  readonly overrides: ReadonlyMap<string, unknown>;
}

function pathsOf(chain: Chain, http: ReadonlySet<string>, named: ReadonlySet<string>): Path[] {
  const none = new Map<string, unknown>();
  const found = new Map<string, Path>();
  for (const { at, name, overrides } of chain.routes) {
    const own = new Map([...overrides].filter(([filter]) => http.has(filter)));
    const label = name !== undefined && isNamed(name, named) ? name : '';
    const key = JSON.stringify([label, name === undefined, [...own]]);
    if (!found.has(key))
      found.set(key, { at: own.size === 0 && label === '' ? undefined : at, name, overrides: own });
  }
  const own = [...found.values()].some(({ overrides }) => overrides.size === 0);
  if (own && chain.listener !== undefined) return [...found.values()];
  // For what takes no route, or one that nobody names: where all have names, it is none of the named ones.
  const told = chain.routes.length > 0 && chain.routes.every(({ name }) => name !== undefined);
  return [{ at: undefined, name: told ? unnamed(named) : undefined, overrides: none }, ...found.values()];
}

/** Rules may name a route with its namespace or without. */
function isNamed(route: string, named: ReadonlySet<string>): boolean {
  const last = route.slice(route.lastIndexOf('/') + 1);
  return [...named].some(
    (one) => one === route || one === last || one.slice(one.lastIndexOf('/') + 1) === route,
  );
}

function unnamed(named: ReadonlySet<string>): string {
  let name = 'other';
  while (isNamed(name, named)) name += '-';
  return name;
}

type Pieces = Pick<Way, 'filters' | 'sources'>;

function readAll(
  filters: readonly FoundFilter[],
  overrides: ReadonlyMap<string, unknown>,
  violations: Violation[],
  place: readonly string[],
): Pieces | undefined {
  const read: RbacFilter[] = [];
  const sources: unknown[] = [];
  let whole = true;
  for (const { name, type, json } of filters) {
    const replaced = type.includes('.http.') && overrides.has(name);
    // What was not delivered is on the list of what is relied on.
    if (json === undefined && !replaced) whole = false;
    const config = replaced ? perRoute(overrides.get(name)) : json;
    if (config === undefined) continue;
    const result = replaced ? readPerRoute(config) : readRbac(config);
    sources.push(config);
    if (result.filter !== undefined) {
      read.push(result.filter);
      continue;
    }
    whole = false;
    for (const one of result.violations) violations.push({ ...one, path: [...place, name, ...one.path] });
  }
  return whole ? { filters: read, sources } : undefined;
}

/** The RBAC of a route's own configuration; none where it switches the filter off. */
function perRoute(config: unknown): unknown {
  const wrapped = typeOf(config) === 'envoy.config.route.v3.FilterConfig';
  if (wrapped && mayBeTrue(field(config, 'disabled'))) return undefined;
  return field(wrapped ? field(config, 'config') : config, 'rbac');
}

/** All filters in turn: the first that denies decides. The shadow is that of the filters which have one. */
export function decideWay(way: Way, peer: Peer, request: HttpRequest | undefined, meter: Meter): Verdict {
  const verdicts = way.filters.map((filter) =>
    filter.decide({ peer, meter, ...(filter.kind === 'http' && request !== undefined ? { request } : {}) }),
  );
  const shadows = verdicts.flatMap(({ shadow }) => (shadow === undefined ? [] : [shadow]));
  return {
    enforced: together(verdicts.map(({ enforced }) => enforced)),
    ...(shadows.length === 0 ? {} : { shadow: together(shadows) }),
  };
}

function together(results: readonly Result[]): Result {
  const denied = results.find(({ action }) => action === 'DENY');
  return denied ?? results.findLast(({ policy }) => policy !== undefined) ?? { action: 'ALLOW' };
}
