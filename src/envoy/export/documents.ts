import { type JsonObject, typed } from './json.ts';
import { addressOf, type Inside, insideOf, listenerAround } from './listener.ts';
import { refused } from './refused.ts';
import { denyingRbac } from './render.ts';
import type { Exported, Filter } from './types.ts';
import type { Wiring } from './wiring.ts';

/** What is exported as documents that Envoy, or whoever configures it, takes. */

/** The filters in order, and what stands on routes instead. */
export function filterDocument({ filters, routes }: Exported): JsonObject {
  return {
    filters: filters.map(({ name, typed_config }) => ({ name, typed_config })),
    ...(routes.length === 0
      ? {}
      : {
          routes: routes.map(({ route, typed_per_filter_config }) => ({
            route,
            typed_per_filter_config: { ...typed_per_filter_config },
          })),
        }),
  };
}

/** A whole configuration that runs as it is. */
export function bootstrapDocument(exported: Exported, wiring: Wiring): JsonObject {
  if (exported.report.policies.some((one) => one.class === 'wider (paper)'))
    throw refused(
      'as-written',
      "got the tag paper's table in a bootstrap, want nothing there that lets in more than the PDP",
      'print it with --as filter',
    );
  return bootstrapAround(insideOf(exported), wiring);
}

/** What a bootstrap has besides its listener and the upstream. */
export interface Besides {
  readonly clusters?: readonly JsonObject[];
  /** Where it gets configuration from, and as whom. */
  readonly discovery?: JsonObject;
}

export function bootstrapAround(inside: Inside, wiring: Wiring, besides: Besides = {}): JsonObject {
  const { upstream, admin } = wiring;
  const { clusters = [], discovery = {} } = besides;
  return {
    ...discovery,
    ...(admin === undefined ? {} : { admin: { address: addressOf(admin) } }),
    static_resources: {
      listeners: [listenerAround(inside, wiring)],
      clusters: [
        {
          name: 'upstream',
          type: 'STRICT_DNS',
          connect_timeout: '5s',
          load_assignment: {
            cluster_name: 'upstream',
            endpoints: [{ lb_endpoints: [{ endpoint: { address: addressOf(upstream) } }] }],
          },
        },
        ...clusters,
      ],
    },
  };
}

/** The file that `config_discovery` reads by path: one resource for each filter, each in a file of its own. */
export function ecdsDocument({ filters, report }: Exported): JsonObject {
  const [only, second] = filters;
  if (only === undefined || second !== undefined)
    throw refused(
      'form',
      `got ${filters.length} filters for one ECDS file, want one`,
      'Envoy reads one extension from one file, and these belong together',
    );
  return { version_info: report.snapshot, resources: [resourceOf(only)] };
}

/** In the place of a file whose inbound is no more: it denies all, as over xDS (SPEC XDS2). */
export function denyingEcds({ filters, report }: Exported, version: string): JsonObject {
  const typed_config = denyingRbac(report.filter, 'unknown-dataplane');
  return { version_info: version, resources: filters.map(({ name }) => resourceOf({ name, typed_config })) };
}

function resourceOf({ name, typed_config }: Filter): JsonObject {
  return typed('envoy.config.core.v3.TypedExtensionConfig', { name, typed_config });
}
