import { keys, type Rule } from '../../pdp/model/rule.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { askingOf } from './asking.ts';
import { askingIn, type Chain, isRbac } from './chains.ts';
import type { Check } from './check.ts';
import { type Compared, compare, type Group } from './compare.ts';
import { hasTags, meshOf } from './evidence.ts';
import { filterChecks } from './filter-checks.ts';
import { type Mentioned, mentionedByFilter, mentionedByRules, nothingMentioned } from './mentioned.ts';
import { needsOf } from './needs.ts';
import { requestChecks } from './request-checks.ts';
import { shapesFor } from './request-shapes.ts';
import type { Resources } from './resources.ts';
import { routeChecks, statChecks } from './route-checks.ts';
import { tagMeshes } from './tag-peers.ts';
import { admits, assumedTls, type Tls, tlsOf } from './tls.ts';
import { authorityChecks, tlsChecks } from './tls-checks.ts';
import { tokenChecks } from './tokens/checks.ts';
import type { Client } from './tokens/token.ts';
import type { Verifying } from './verifying.ts';
import { waysOf } from './ways.ts';

export interface ChainReport {
  readonly chain: string;
  readonly checks: readonly Check[];
  readonly compared: readonly (Compared & { readonly at: string | undefined })[];
  /** What could not be evaluated. */
  readonly violations: readonly Violation[];
}

/** One chain against what the policies say of its destination. */
export function verifyChain(chain: Chain, resources: Resources, verifying: Verifying): ChainReport {
  const { rules, inventory, destination } = verifying;
  const mesh = meshOf(destination);
  const asking = askingOf(verifying);
  const plain = chain.listener !== undefined && tlsOf(chain.transportSocket, resources) === undefined;
  const decidedElsewhere =
    ![...chain.filters, ...chain.httpFilters].some(isRbac) && askingIn(chain).length > 0;
  // What RBAC says of clients without TLS is of no use: a check says so.
  const { ways, violations } =
    plain || decidedElsewhere ? { ways: [], violations: [] } : waysOf(chain, routesNamed(rules));
  const mentioned = nothingMentioned();
  mentionedByRules(rules, mesh, mentioned);
  for (const { sources } of ways) for (const source of sources) mentionedByFilter(source, mentioned);
  const tls = chain.listener === undefined ? assumed(verifying) : tlsOf(chain.transportSocket, resources);
  const needs = needsOf(verifying, mentioned, ways);
  const checks = [
    ...filterChecks(chain, tls),
    ...tlsChecks(chain, tls, needs),
    ...authorityChecks(needs),
    ...(decidedElsewhere ? [] : requestChecks(chain, resources, needs)),
    ...(needs.tokens ? tokenChecks(chain, inventory) : []),
    ...routeChecks(chain, ways),
    ...statChecks(ways),
  ];
  const http = chain.httpFilters.some(isRbac) || needs.protocol === 'http';
  const shapes = (about: Mentioned) => shapesFor(about, http && needs.protocol !== 'tcp');
  const admitted = (clients: readonly Client[]) =>
    clients.filter((one) => tls === undefined || admits(tls, one));
  const all = { peers: admitted(asking.clients(mentioned)), shapes: shapes(mentioned) };
  const groups = function* (): Generator<Group> {
    for (const rule of rules) {
      const own = nothingMentioned();
      mentionedByRules([rule], mesh, own);
      const peers = admitted(asking.nearest(own));
      if (peers.length > 0) yield { peers, shapes: shapes(own) };
    }
  };
  const { ask } = asking;
  const compared = ways.map((way) => ({ at: way.at, ...compare({ way, all, groups, ask, ...verifying }) }));
  return { chain: chain.name, checks, compared, violations };
}

/** All that an export relies on: of a mesh with certificates of tags, that only such meshes are trusted. */
function assumed({ inventory, destination }: Verifying): Tls {
  const tags = hasTags(destination, inventory);
  return tags ? { ...assumedTls, trustDomains: tagMeshes(inventory) } : assumedTls;
}

function routesNamed(rules: readonly Rule[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { when } of rules) {
    for (const { key, values } of when)
      if (key === keys.route) for (const { value } of values) named.add(value);
  }
  return named;
}

/** Whether all that was looked at is as it should be, and everything could be looked at. */
export function isSound({ checks, compared, violations }: ChainReport): boolean {
  return (
    violations.length === 0 &&
    compared.length > 0 &&
    checks.every(({ state }) => state !== 'fails') &&
    compared.every(({ tried, differing }) => tried > 0 && differing === 0)
  );
}
