import type { Violation } from '../../pdp/model/violation.ts';
import type { HttpRequest, Peer, Result, Verdict } from '../interpreter/evidence.ts';
import type { RbacFilter } from '../interpreter/filter.ts';
import { readPerRoute, readRbac } from '../interpreter/interpret.ts';
import { type Chain, type FoundFilter, isRbac, type Override } from './chains.ts';
import { field, typeOf } from './json.ts';

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

export function waysOf(chain: Chain): Ways {
  const violations: Violation[] = [];
  const before = [...chain.filters, ...chain.httpFilters].filter((one) => isRbac(one) && !one.disabled);
  const found: Way[] = [];
  const own = readAll(before, undefined, violations, chain.name);
  if (own !== undefined) found.push({ at: undefined, route: undefined, ...own });
  for (const override of chain.overrides) {
    if (!before.some(({ name, type }) => name === override.filter && type.includes('.http.'))) continue;
    const all = readAll(before, override, violations, chain.name);
    if (all !== undefined) found.push({ at: override.at, route: override.route, ...all });
  }
  return { ways: found, violations };
}

type Pieces = Pick<Way, 'filters' | 'sources'>;

function readAll(
  filters: readonly FoundFilter[],
  override: Override | undefined,
  violations: Violation[],
  chain: string,
): Pieces | undefined {
  const read: RbacFilter[] = [];
  const sources: unknown[] = [];
  let whole = true;
  for (const { name, type, json } of filters) {
    // What was not delivered is on the list of what is relied on.
    if (json === undefined) {
      whole = false;
      continue;
    }
    const replaced = override?.filter === name && type.includes('.http.');
    const config = replaced ? perRoute(override.config) : json;
    if (config === undefined) continue;
    const result = replaced ? readPerRoute(config) : readRbac(config);
    sources.push(config);
    if (result.filter !== undefined) {
      read.push(result.filter);
      continue;
    }
    whole = false;
    const place = [chain, ...(replaced ? [override.at] : []), name];
    for (const one of result.violations) violations.push({ ...one, path: [...place, ...one.path] });
  }
  return whole ? { filters: read, sources } : undefined;
}

/** The RBAC of a route's own configuration; none where it switches the filter off. */
function perRoute(config: unknown): unknown {
  const wrapped = typeOf(config) === 'envoy.config.route.v3.FilterConfig';
  if (wrapped && field(config, 'disabled') === true) return undefined;
  return field(wrapped ? field(config, 'config') : config, 'rbac');
}

/** All filters in turn: the first that denies decides. The shadow is that of the filters which have one. */
export function decideWay(way: Way, peer: Peer, request: HttpRequest | undefined): Verdict {
  const verdicts = way.filters.map((filter) =>
    filter.decide({ peer, ...(filter.kind === 'http' && request !== undefined ? { request } : {}) }),
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
