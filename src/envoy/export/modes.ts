import { type Asked, Governor } from '../../pdp/governing.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import type { Rule } from '../../pdp/model/rule.ts';
import { extensionName, positions } from '../xds/names.ts';
import { bootstrapAround } from './documents.ts';
import { type JsonObject, typed } from './json.ts';
import { type Inside, insideOf } from './listener.ts';
import { calling, clusterOf, type Placet, streaming } from './modes-placet.ts';
import { refused } from './refused.ts';
import { trustDomainsOf } from './reliances.ts';
import { destinationName, filterFor, find, protocolOf, type Target } from './target.ts';
import type { Exported, FilterKind } from './types.ts';
import type { Wiring } from './wiring.ts';

/**
 * Who decides in a listener: the RBAC that is written into it (`native`), Placet, asked for each request or connection
 * (`ext_authz`), or RBAC that Placet gives out and changes (`xds`). All else of the listener is the same.
 */
export const modes = ['native', 'ext_authz', 'xds'] as const;
export type Mode = (typeof modes)[number];

/** Who asks Placet needs nothing of the policies but whose clients may connect: what Envoy could not enforce is fine. */
export class Askers {
  readonly #inventory: Inventory;
  readonly #governor: Governor;

  constructor(rules: readonly Rule[], inventory: Inventory) {
    this.#inventory = inventory;
    this.#governor = new Governor(rules, inventory);
  }

  bootstrap(asked: Asked, wanted: FilterKind | undefined, wiring: Wiring, placet: Placet): JsonObject {
    const target = find(asked, this.#inventory);
    const filter = filterFor(target, wanted);
    if (filter === 'network' && protocolOf(target) === 'http')
      throw refused(
        'protocol',
        `got connections of ${destinationName(target)}, which is declared http: without their requests all are denied`,
        'give --filter http, or leave it out',
      );
    const mesh = 'mesh' in target ? target.mesh : undefined;
    const tags = mesh !== undefined && this.#inventory.meshes.get(mesh)?.certificates === 'tags';
    const governing = this.#governor.of(asked);
    const inside: Inside = {
      filter,
      filters: [authorization(target, filter)],
      verdict: verdictOfAnswers(filter),
      trustDomains: trustDomainsOf(this.#inventory, mesh, governing === undefined ? [] : [governing], tags),
    };
    return bootstrapAround(inside, wiring, { clusters: [clusterOf(placet, wiring)] });
  }
}

/** Long for a decision, short for a client that waits; what is later is denied. */
const answerWithin = '1s';

function authorization(target: Target, filter: FilterKind): JsonObject {
  const said = Object.entries(saidOf(target));
  return {
    name: `envoy.filters.${filter}.ext_authz`,
    typed_config: typed(`envoy.extensions.filters.${filter}.ext_authz.v3.ExtAuthz`, {
      stat_prefix: 'placet',
      transport_api_version: 'V3',
      // Everything that the verdict goes by; Envoy's own word for who the peer is would be ambiguous.
      include_peer_certificate: true,
      include_tls_session: true,
      ...(filter === 'http' ? { status_on_error: { code: 'Forbidden' } } : {}),
      grpc_service: calling({
        timeout: answerWithin,
        initial_metadata: said.map(([key, value]) => ({ key: `x-placet-${key}`, value })),
      }),
    }),
  };
}

function saidOf(target: Target): Readonly<Record<string, string>> {
  if ('service' in target) return { service: target.service };
  return { mesh: target.mesh, dataplane: target.dataplane, inbound: inboundOf(target) };
}

function inboundOf({ inbound: { name, port } }: Exclude<Target, { service: string }>): string {
  return name ?? String(port);
}

/** What Placet's answers leave of both verdicts, and by which its own log is searched. */
function verdictOfAnswers(filter: FilterKind): JsonObject {
  const of = (key: string) => `%DYNAMIC_METADATA(envoy.filters.${filter}.ext_authz:${key})%`;
  return {
    enforced: of('decision'),
    policy: of('policy'),
    shadow: of('shadow'),
    shadow_policy: of('shadow_policy'),
    reason: of('reason'),
    decision_id: of('decision_id'),
  };
}

/** A node that gets the filters of this one inbound: both, whatever certificates its mesh has today. */
export function discoveringBootstrap(
  exported: Exported,
  asked: Asked,
  inventory: Inventory,
  wiring: Wiring,
  placet: Placet,
): JsonObject {
  const target = find(asked, inventory);
  if ('service' in target)
    throw refused(
      'unknown-destination',
      `got ${destinationName(target)}, want an inbound of a dataplane: a node of xDS is one`,
      'give --mode ext_authz or native',
    );
  const { mesh, dataplane } = target;
  const { filter } = exported.report;
  const inside: Inside = {
    ...insideOf(exported),
    filters: positions.map((position) =>
      discovered(extensionName({ filter, inbound: inboundOf(target), position }), filter),
    ),
  };
  return bootstrapAround(inside, wiring, {
    clusters: [clusterOf(placet, wiring)],
    discovery: {
      node: { id: `${mesh}/${dataplane}`, cluster: mesh },
      dynamic_resources: {
        ads_config: {
          api_type: 'DELTA_GRPC',
          transport_api_version: 'V3',
          set_node_on_first_message_only: true,
          grpc_services: [streaming()],
        },
      },
    },
  });
}

/** Nothing is served before the first policies are there, however long that takes. */
function discovered(name: string, filter: FilterKind): JsonObject {
  return {
    name,
    config_discovery: {
      config_source: { ads: {}, resource_api_version: 'V3', initial_fetch_timeout: '0s' },
      type_urls: [`type.googleapis.com/envoy.extensions.filters.${filter}.rbac.v3.RBAC`],
    },
  };
}
