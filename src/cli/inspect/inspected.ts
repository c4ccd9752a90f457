import type { Layout } from '../../policy/inspect/layout.ts';
import type { InboundPolicies, ProxyPolicies } from '../../policy/inspect/policies.ts';

/** One proxy with everything the API tells of it. */
export interface Inspected {
  readonly layout: Layout;
  /** Of the proxy itself. */
  readonly policies: ProxyPolicies['policies'];
  readonly inbounds: readonly ({ readonly kri: string } & InboundPolicies)[];
  readonly outbounds: readonly ({ readonly name: string; readonly kri?: string } & ProxyPolicies)[];
}
