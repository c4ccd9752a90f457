import { createHash } from 'node:crypto';
import type { Governing } from '../../pdp/governing.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import { limits } from '../../pdp/model/limits.ts';
import { effectOf, keys } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import { luaFilter } from './exchange/filters.ts';
import { script } from './exchange/script.ts';
import { type Exchange, tokenHeader } from './exchange/token.ts';
import type { FilterKind, Reliance } from './types.ts';

/** What must hold around the filters. */

export interface Around {
  readonly filter: FilterKind;
  readonly filters: readonly string[];
  readonly routes: readonly string[];
  readonly tags: boolean;
  readonly trustDomains: readonly string[];
  readonly resolved: readonly string[];
  readonly snapshot: string;
  readonly since: string;
  readonly exchange?: Exchange;
}

export function reliances(everywhere: readonly Governing[], around: Around): readonly Reliance[] {
  const entries = everywhere.flatMap((governing) => governing.entries);
  const reads = (key: string) => entries.some(({ when }) => when.some((one) => one.key === key));
  const found: Reliance[] = [
    { on: 'envoy-version', at_least: around.since },
    { on: 'client-certificate', require_client_certificate: true },
    {
      on: 'trust-bundles',
      validator: 'envoy.tls.cert_validator.spiffe',
      trust_domains: around.trustDomains,
    },
    {
      on: 'x509-svids',
      id: 'of a workload, with a path',
      key_usage: 'critical, with digitalSignature, without keyCertSign and cRLSign',
      extended_key_usage: 'none, or serverAuth and clientAuth',
      extended_key_usage_of_signers: 'none, any, or serverAuth and clientAuth',

      algorithms: 'RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519; SHA-256, SHA-384 or SHA-512',
      name_constraints: 'none on any signer',
      at_most_bytes: limits.certificateBytes,
      signers: 'in the bundle, where ext_authz asks by gRPC',
    },
    {
      on: 'no-session-resumption',
      disable_stateless_session_resumption: true,
      disable_stateful_session_resumption: true,
    },
    { on: 'open-connections', certificate: 'as it was when the connection began' },
    lengths(around.filter),
    { on: 'filter-order', first: around.filters },
  ];
  if (around.filter === 'http') {
    found.push({ on: 'no-per-route-override', filters: around.filters, except: around.routes });
    if (everywhere.some(({ readsPaths }) => readsPaths.length > 0))
      found.push({ on: 'path-normalisation', normalize_path: true, merge_slashes: true });
  }
  if (reads(keys.sni))
    found.push({ on: 'server-name', listener_filter: 'envoy.filters.listener.tls_inspector' });
  if (around.tags) found.push({ on: 'tag-certificates', meshes: around.trustDomains });
  if (around.exchange !== undefined) found.push(...ofTokens(around.exchange));
  if (around.resolved.length > 0)
    found.push({ on: 'inventory', snapshot: around.snapshot, attributes: around.resolved });
  return found;
}

function lengths(filter: FilterKind): Reliance {
  const { pathBytes: path, methodBytes: method, sniBytes: server_name } = limits;
  return { on: 'lengths', ...(filter === 'http' ? { path, method } : {}), server_name };
}

function ofTokens({ peers, audience, service }: Exchange): readonly Reliance[] {
  return [
    {
      on: 'exchange-tokens',
      header: tokenHeader,
      audience,
      export: service,
      peers: peers.map(({ name, gateway, keys: all }) => ({
        name,
        gateway,
        keys: all.map(({ kid }) => kid),
      })),
    },
    { on: 'token-checks', filter: luaFilter, sha256: createHash('sha256').update(script).digest('hex') },
    { on: 'clock', within_seconds: limits.tokenSkewSeconds },
  ];
}

/** With tokens nobody connects but the gateways of peers. */
export function trustDomainsOfPeers(peers: Exchange['peers']): readonly string[] {
  return [...new Set(peers.map(({ gateway }) => domainIn(gateway, 'exact')))].sort(byText);
}

/**
 * Whose certificates are believed: trust domains of the mesh, of the site, and those that rules
 * allow; of a mesh with certificates of tags, the
 * meshes that its items name, which stand where a trust domain would.
 */
export function trustDomainsOf(
  { meshes, site }: Inventory,
  mesh: string | undefined,
  everywhere: readonly Governing[],
  tags: boolean,
): readonly string[] {
  const found = new Set<string>();
  const entries = everywhere.flatMap((governing) => governing.entries);
  if (tags) {
    if (mesh !== undefined) found.add(mesh);
    for (const { when } of entries)
      for (const { side, key, values } of when) {
        if (side !== 'source' || key !== keys.mesh) continue;
        for (const { match, value } of values) if (match === 'exact') found.add(value);
      }
    return [...found].sort(byText);
  }
  for (const name of mesh === undefined ? [] : (meshes.get(mesh)?.trustDomains ?? [])) found.add(name);
  for (const { name } of site.trustDomains) found.add(name);
  for (const { when, tier } of entries)
    for (const { side, key, values, op } of when) {
      if (side !== 'source' || op !== 'in' || effectOf(tier) === 'deny') continue;
      for (const { match, value } of values) {
        const name = key === keys.spiffeId ? domainIn(value, match) : key === keys.trustDomain ? value : '';
        if (name !== '') found.add(name);
      }
    }
  return [...found].sort(byText);
}

/** A prefix names a trust domain only once a slash ends it. */
function domainIn(id: string, match: string): string {
  const start = 'spiffe://'.length;
  const slash = id.indexOf('/', start);
  if (slash >= 0) return id.slice(start, slash);
  return match === 'prefix' ? '' : id.slice(start);
}
