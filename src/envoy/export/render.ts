import type { Governing } from '../../pdp/governing.ts';
import type { Meaning } from './clauses.ts';
import { tokenFilters } from './exchange/filters.ts';
import type { Exchange } from './exchange/token.ts';
import { type JsonObject, typed } from './json.ts';
import { action } from './matcher.ts';
import { refused } from './refused.ts';
import { spiffeMatchers } from './spiffe-filter.ts';
import { tagRules } from './tag-filters.ts';
import { tableOf } from './tag-table.ts';
import type { Filter, FilterKind, Form, RouteConfig, ShadowForm } from './types.ts';

/** Rules as the filters that stand in a listener. */

export interface Around {
  readonly filter: FilterKind;
  readonly form: Form;
  readonly shadow: ShadowForm;
  readonly minimise: boolean;
  readonly mesh?: string;
  /** The certificates carry tags. */
  readonly tags: boolean;
  readonly meaning: Meaning;
  /** The first filter decides all, whatever stands behind it. */
  readonly alone: boolean;
  /** Clients come with a token of this exchange. */
  readonly exchange?: Exchange;
}

const filterNames = {
  http: 'envoy.filters.http.rbac',
  network: 'envoy.filters.network.rbac',
} as const;

/** Of two filters in a row, the names differ, so that a route can override each. */
export const tagFilterNames = ['placet.rbac.deny', 'placet.rbac.allow'] as const;

/** The filter's statistics; Envoy puts no dot behind it. */
const statPrefix = 'placet.';
/** The shadow of filters by principals, which is of both and stands in the first. */
export const tagShadowPrefix = 'placet.';
const denyPrefix = 'deny.';

export function filtersOf(governing: Governing, around: Around): readonly Filter[] {
  const { filter, form, shadow, minimise, meaning, tags, mesh, alone, exchange } = around;
  const http = filter === 'http';
  if (form === 'table') return [filterOf(filter, filterNames[filter], table(governing, tags, mesh, shadow))];
  if (!tags) {
    const more = exchange === undefined ? {} : { exchange };
    const matchers = spiffeMatchers(governing, meaning, { form, shadow, minimise, http, ...more });
    const rbac = filterOf(filter, filterNames[filter], { ...matchers });
    return exchange === undefined ? [rbac] : [...tokenFilters(exchange), rbac];
  }
  const { deny, allow, shadow: would } = tagRules(governing, meaning, { shadow, http, alone });
  const [first, second] = tagFilterNames;
  const prefix = http ? { rules_stat_prefix: denyPrefix } : {};
  return [
    filterOf(filter, first, {
      rules: deny,
      ...prefix,
      ...(would === undefined ? {} : { shadow_rules: would, shadow_rules_stat_prefix: tagShadowPrefix }),
    }),
    filterOf(filter, second, { rules: allow }),
  ];
}

function table(
  governing: Governing,
  tags: boolean,
  mesh: string | undefined,
  shadow: ShadowForm,
): JsonObject {
  if (!tags || mesh === undefined)
    throw refused(
      'form',
      'got the form table for clients with SPIFFE IDs, want it for a mesh with certificates of tags',
      'the forms tree and list are for SPIFFE IDs',
    );
  if (shadow !== 'paper')
    throw refused(
      'form',
      "got the form table without the shadow form paper, want both: the table is the tag paper's own",
      'the form list has one principal for each item, and a whole shadow verdict',
    );
  const { rules, shadow: would } = tableOf(governing, mesh);
  return { rules, shadow_rules: would };
}

function filterOf(filter: FilterKind, name: string, fields: JsonObject): Filter {
  return { name, typed_config: rbacOf(filter, fields) };
}

export function rbacOf(filter: FilterKind, fields: JsonObject): JsonObject {
  const prefix = filter === 'network' ? { stat_prefix: statPrefix } : {};
  return typed(`envoy.extensions.filters.${filter}.rbac.v3.RBAC`, { ...prefix, ...fields });
}

/** Lets nobody in, and says why in the name of its policy. */
export function denyingRbac(filter: FilterKind, why: string): JsonObject {
  return rbacOf(filter, { matcher: { on_no_match: action(why, 'deny') } });
}

/** Envoy puts the configuration of a route in the place of the listener's: it has both. */
export function routeConfig(route: string, filters: readonly Filter[]): RouteConfig {
  const configs = filters.map(({ name, typed_config }) => {
    const { '@type': _, ...rbac } = typed_config;
    return [name, typed('envoy.extensions.filters.http.rbac.v3.RBACPerRoute', { rbac })] as const;
  });
  return { route, typed_per_filter_config: Object.fromEntries(configs) };
}

export function hasShadow(filters: readonly Filter[]): boolean {
  return filters.some(
    ({ typed_config }) => 'shadow_matcher' in typed_config || 'shadow_rules' in typed_config,
  );
}
