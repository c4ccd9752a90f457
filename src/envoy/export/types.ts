import type { SharedIdentity } from './identities.ts';
import type { JsonObject } from './json.ts';

export type FilterKind = 'http' | 'network';
export type Form = 'tree' | 'list' | 'table';
export type ShadowForm = 'corrected' | 'paper';

/** Where attributes come from that Envoy cannot see: the inventory, now, or the claims of a verified token. */
export type AttributeSource = 'inventory' | 'jwt';

export interface ExportOptions {
  /** Not given: `http` on an inbound declared so and at services, else `network`. */
  readonly filter?: FilterKind;
  /** Not given: `tree`, or `list` for an Envoy whose trees do not backtrack. */
  readonly form?: Form;
  readonly shadow?: ShadowForm;
  /** Not given: the one that everything here was proved on. */
  readonly targetVersion?: string;
  readonly attributes?: AttributeSource;
  readonly minimise?: boolean;
  readonly maxBytes?: number;
  /** Also export what lets in less than the PDP would. */
  readonly allowNarrower?: boolean;
  /** Also export the literal table, which lets in more. */
  readonly paperAsWritten?: boolean;
}

/** `narrower` lets in less than the PDP, `wider (paper)` more: the tag paper's table, to the letter. */
export type ExportClass = 'exact' | 'narrower' | 'wider (paper)' | 'not exportable';

export interface PolicyReport {
  /** The KRI, which Envoy reports. */
  readonly name: string;
  readonly class: ExportClass;
  /** Why it is not exact, or what to know of it. */
  readonly notes: readonly string[];
}

/** What must hold around the filters for their verdicts to be the PDP's; `placet verify envoy` checks each. */
export type Reliance =
  | { readonly on: 'client-certificate'; readonly require_client_certificate: true }
  | {
      readonly on: 'trust-bundles';
      readonly validator: 'envoy.tls.cert_validator.spiffe';
      readonly trust_domains: readonly string[];
    }
  /**
   * How certificates are issued, which Envoy does not see to: what is otherwise the PDP refuses. To it a proxy's filter sends
   * the leaf alone by gRPC, so that whoever signed it is to be in the bundle.
   */
  | {
      readonly on: 'x509-svids';
      readonly id: 'of a workload, with a path';
      readonly key_usage: 'critical, with digitalSignature, without keyCertSign and cRLSign';
      readonly extended_key_usage: 'none, or serverAuth and clientAuth';
      readonly extended_key_usage_of_signers: 'none, any, or serverAuth and clientAuth';

      readonly algorithms: 'RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519; SHA-256, SHA-384 or SHA-512';
      readonly name_constraints: 'none on any signer';
      readonly at_most_bytes: number;
      readonly signers: 'in the bundle, where ext_authz asks by gRPC';
    }
  /** What the PDP refuses is longer, and the filters do not measure it. */
  | {
      readonly on: 'lengths';
      readonly path?: number;
      readonly method?: number;
      readonly server_name: number;
    }
  | { readonly on: 'path-normalisation'; readonly normalize_path: true; readonly merge_slashes: true }
  | { readonly on: 'server-name'; readonly listener_filter: 'envoy.filters.listener.tls_inspector' }
  /** They come before every other filter, in this order. */
  | { readonly on: 'filter-order'; readonly first: readonly string[] }
  /** Nothing overrides them on a route, but what is exported for that route. */
  | {
      readonly on: 'no-per-route-override';
      readonly filters: readonly string[];
      readonly except: readonly string[];
    }
  /**
   * Envoy looks at no certificate when a session is resumed: one whose time is over goes on, and to principals it is one
   * that was not validated.
   */
  | {
      readonly on: 'no-session-resumption';
      readonly disable_stateless_session_resumption: true;
      readonly disable_stateful_session_resumption: true;
    }
  /** A connection that stays open outlives the certificate that it began with. */
  | { readonly on: 'open-connections'; readonly certificate: 'as it was when the connection began' }
  /** The mesh's own authority issues certificates of tags as they are to be. */
  | { readonly on: 'tag-certificates'; readonly meshes: readonly string[] }
  /** Attributes that the inventory answered for, as it was. */
  | { readonly on: 'inventory'; readonly snapshot: string; readonly attributes: readonly string[] }
  /** Who makes tokens, by keys of which names, and whom and what they are for. */
  | {
      readonly on: 'exchange-tokens';
      readonly header: string;
      readonly audience: string;
      readonly export: string;
      readonly peers: readonly {
        readonly name: string;
        readonly gateway: string;
        readonly keys: readonly string[];
      }[];
    }
  /** A filter in Lua says what a token comes to, by a script that is known by its hash. */
  | { readonly on: 'token-checks'; readonly filter: string; readonly sha256: string }
  /** The proxy's clock is right. */
  | { readonly on: 'clock'; readonly within_seconds: number }
  | { readonly on: 'envoy-version'; readonly at_least: string };

export interface SizeReport {
  /** Of the filters as JSON. */
  readonly bytes: number;
  /** Predicates, keys of trees and principals. */
  readonly matchers: number;
  readonly depth: number;
}

export interface ExportReport {
  /** `mesh/name/inbound`, or `service namespace/name`. */
  readonly destination: string;
  readonly snapshot: string;
  readonly filter: FilterKind;
  readonly form: Form;
  readonly shadow: ShadowForm;
  readonly target_version: string;
  readonly policies: readonly PolicyReport[];
  readonly relies_on: readonly Reliance[];
  /** SPIFFE IDs whose workloads differ in what a policy reads: no rule that needs it holds for them. */
  readonly shared_identities: readonly SharedIdentity[];
  readonly size: SizeReport;
  /** The shadow verdict is the enforced one, and no shadow matcher is there. */
  readonly shadow_equals_enforced: boolean;
  readonly warnings: readonly string[];
}

export interface Filter {
  readonly name: string;
  readonly typed_config: JsonObject;
}

/** What stands on a route instead, by the filters' names. */
export interface RouteConfig {
  readonly route: string;
  readonly typed_per_filter_config: { readonly [filter: string]: JsonObject };
}

export interface Exported {
  /** In the order in which they stand, before every other filter. */
  readonly filters: readonly Filter[];
  readonly routes: readonly RouteConfig[];
  readonly report: ExportReport;
}
