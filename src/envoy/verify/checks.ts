import { type Chain, type FoundFilter, isRbac } from './chains.ts';
import { field, items, typeOf } from './json.ts';
import type { Tls } from './tls.ts';
import type { Way } from './ways.ts';

/** Something that verdicts rely on outside the RBAC filters themselves. */
export interface Check {
  readonly id: CheckId;
  readonly state: 'holds' | 'fails' | 'not shown';
  readonly message: string;
  readonly hint?: string;
}

export const checkIds = [
  'rbac',
  'delivered',
  'client-certificate',
  'certificate-verification',
  'trust-bundles',
  'filter-order',
  'layer',
  'normalize-path',
  'merge-slashes',
  'escaped-slashes',
  'tls-inspector',
  'route-overrides',
  'stat-prefix',
] as const;
export type CheckId = (typeof checkIds)[number];

/** What is known of the destination, and of what its policies and filters read. */
export interface Needs {
  readonly protocol: 'http' | 'tcp' | undefined;
  readonly trustDomains: readonly string[];
  readonly readsPaths: boolean;
  readonly readsSnis: boolean;
}

export function tlsChecks(chain: Chain, tls: Tls | undefined, needs: Needs): Check[] {
  const ids = ['client-certificate', 'certificate-verification', 'trust-bundles'] as const;
  if (chain.listener === undefined)
    return ids.map((id) => notShown(id, 'the listener is not in the configuration'));
  if (tls === undefined) {
    return ids.map((id) =>
      fails(id, 'the chain is not TLS, so that clients have no identity', 'use a DownstreamTlsContext'),
    );
  }
  return [
    tls.requiresCertificate
      ? holds('client-certificate', 'clients must present a certificate')
      : fails(
          'client-certificate',
          'clients may come without a certificate',
          'set require_client_certificate: true',
        ),
    verification(tls),
    bundles(tls, needs.trustDomains),
  ];
}

function verification(tls: Tls): Check {
  if (tls.missingSecret !== undefined) {
    return notShown(
      'certificate-verification',
      `the secret ${tls.missingSecret} is not in the configuration`,
    );
  }
  if (tls.verifies) return holds('certificate-verification', 'certificates must lead to a CA that is named');
  const hint = 'name a trusted CA, and leave trust_chain_verification as it is';
  return fails('certificate-verification', 'certificates are accepted from any CA', hint);
}

function bundles({ trustDomains, missingSecret }: Tls, wanted: readonly string[]): Check {
  const hint = 'use the validator envoy.tls.cert_validator.spiffe with one bundle per trust domain';
  if (trustDomains === undefined) {
    if (missingSecret !== undefined) {
      return notShown('trust-bundles', `the secret ${missingSecret} is not in the configuration`);
    }
    return fails('trust-bundles', 'one CA vouches for the identities of every trust domain', hint);
  }
  const lacking = wanted.filter((domain) => !trustDomains.includes(domain));
  if (lacking.length > 0) return fails('trust-bundles', `no bundle for ${lacking.join(', ')}`, hint);
  return holds('trust-bundles', `one bundle for each of ${trustDomains.join(', ')}`);
}

/** HTTP filters that neither answer requests nor change what RBAC reads. */
const harmless = new Set([
  'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication',
  'envoy.extensions.filters.http.set_filter_state.v3.Config',
  'envoy.extensions.filters.http.set_metadata.v3.Config',
]);

export function filterChecks(chain: Chain): Check[] {
  const all = [...chain.filters, ...chain.httpFilters];
  const found = all.filter(isRbac);
  const off = found.filter(({ disabled }) => disabled);
  const waiting = found.filter(({ json }) => json === undefined);
  const checks: Check[] = [];
  if (found.length === 0) {
    checks.push(fails('rbac', 'the chain has no RBAC filter, so that everything is allowed'));
  } else if (off.length > 0) {
    checks.push(fails('rbac', `${names(off)}: disabled, so that it does nothing`, 'leave out "disabled"'));
  } else
    checks.push(
      holds(
        'rbac',
        `the chain has ${found.length === 1 ? 'its RBAC filter' : `${found.length} RBAC filters`}`,
      ),
    );
  if (waiting.length > 0) {
    const hint = 'give the file that its config_source names too, or ask the running Envoy with --admin';
    checks.push(
      fails('delivered', `${names(waiting)}: its configuration comes from elsewhere and is not shown`, hint),
    );
  }
  checks.push(order(chain));
  return checks;
}

function order(chain: Chain): Check {
  const early = [...before(chain.filters), ...before(chain.httpFilters)].filter(
    ({ type }) => !harmless.has(type),
  );
  if (early.length === 0)
    return holds('filter-order', 'nothing comes before RBAC that answers or changes requests');
  const hint = 'put RBAC first, with nothing but jwt_authn, set_filter_state or set_metadata before it';
  return fails('filter-order', `${names(early)}: before RBAC`, hint);
}

function before(filters: readonly FoundFilter[]): readonly FoundFilter[] {
  const last = filters.findLastIndex(isRbac);
  return filters.slice(0, Math.max(0, last)).filter((one) => !isRbac(one) && !one.disabled);
}

export function requestChecks(chain: Chain, needs: Needs): Check[] {
  const checks: Check[] = [layer(chain, needs)];
  if (needs.readsPaths && chain.httpFilters.some(isRbac)) checks.push(...pathChecks(chain.manager));
  if (needs.readsSnis) checks.push(inspector(chain));
  return checks;
}

function layer(chain: Chain, { protocol }: Needs): Check {
  const http = chain.httpFilters.some(isRbac);
  if (protocol === 'http' && !http && chain.filters.some(isRbac)) {
    return fails(
      'layer',
      'the inbound is declared http, and RBAC sees its connections only',
      'use the HTTP filter',
    );
  }
  if (protocol === 'tcp' && http) {
    return fails(
      'layer',
      'the inbound is declared tcp, and RBAC is an HTTP filter',
      'use the network filter',
    );
  }
  return holds('layer', http ? 'RBAC sees requests' : 'RBAC sees connections');
}

function pathChecks(manager: unknown): Check[] {
  if (manager === undefined) {
    return (['normalize-path', 'merge-slashes', 'escaped-slashes'] as const).map((id) =>
      notShown(id, 'the connection manager is not in the configuration'),
    );
  }
  const flag = (id: CheckId, name: string): Check =>
    field(manager, name) === true
      ? holds(id, `${name} is set`)
      : fails(id, `${name} is not set, so that a path has many spellings`, `set ${name}: true`);
  const slashes = field(manager, 'path_with_escaped_slashes_action');
  return [
    flag('normalize-path', 'normalize_path'),
    flag('merge-slashes', 'merge_slashes'),
    slashes === 'UNESCAPE_AND_FORWARD'
      ? fails(
          'escaped-slashes',
          'escaped slashes are unescaped before RBAC, which then no longer sees that the path was ambiguous',
          'leave path_with_escaped_slashes_action as it is, or set REJECT_REQUEST',
        )
      : holds('escaped-slashes', 'escaped slashes reach RBAC as they are, or not at all'),
  ];
}

function inspector({ listener }: Chain): Check {
  if (listener === undefined) return notShown('tls-inspector', 'the listener is not in the configuration');
  const there = items(field(listener, 'listener_filters')).some((one) =>
    typeOf(field(one, 'typed_config')).endsWith('.tls_inspector.v3.TlsInspector'),
  );
  if (there) return holds('tls-inspector', 'the listener has the TLS inspector');
  const hint = 'add envoy.filters.listener.tls_inspector to listener_filters';
  return fails('tls-inspector', 'server names are read, and nothing looks for them', hint);
}

export function routeChecks(chain: Chain, ways: readonly Way[]): Check[] {
  const rbac = chain.httpFilters.filter(isRbac);
  const checks: Check[] = [];
  if (rbac.length > 0 && chain.missingRoutes.length > 0) {
    const hint = 'ask the running Envoy with --admin, whose dump has them';
    const missing = `${chain.missingRoutes.join(', ')}: not in the configuration, so that its overrides are not known`;
    checks.push({ ...notShown('route-overrides', missing), hint });
  }
  for (const { at, filters } of ways) {
    const needed = [...chain.filters, ...chain.httpFilters].filter(
      (one) => isRbac(one) && !one.disabled,
    ).length;
    if (at === undefined || filters.length === needed) continue;
    checks.push(
      fails(
        'route-overrides',
        `${at}: switches RBAC off`,
        "a route replaces the whole of the listener's RBAC",
      ),
    );
  }
  for (const { filter, at, config } of chain.overrides) {
    const meant = typeOf(config).endsWith('.http.rbac.v3.RBACPerRoute');
    if (meant && !rbac.some(({ name }) => name === filter)) {
      checks.push(
        fails('route-overrides', `${at}: RBAC for ${filter}, which is no filter here, is never used`),
      );
    }
  }
  if (checks.length === 0 && rbac.length > 0) {
    const own = ways.filter(({ at }) => at !== undefined).length;
    checks.push(
      holds(
        'route-overrides',
        own === 0 ? 'no route has RBAC of its own' : `${own} routes have RBAC of their own, compared too`,
      ),
    );
  }
  return checks;
}

export function statChecks(ways: readonly Way[]): Check[] {
  const checks: Check[] = [];
  for (const { filters } of ways.slice(0, 1)) {
    for (const { kind, statPrefix } of filters) {
      if (kind === 'network' && !statPrefix.endsWith('.')) {
        checks.push(
          fails(
            'stat-prefix',
            `stat_prefix ${JSON.stringify(statPrefix)} runs into the names of the counters`,
            'end it in "."',
          ),
        );
      }
    }
    const shadows = filters.filter(({ hasShadow }) => hasShadow);
    if (shadows.length > 1) {
      checks.push(
        fails(
          'stat-prefix',
          'several filters count a shadow, each a part of the verdict',
          'put the whole shadow on the first filter',
        ),
      );
    } else if (filters.length > 1 && shadows[0]?.shadowStatPrefix === '') {
      checks.push(
        fails(
          'stat-prefix',
          'the shadow has no stat prefix of its own beside several filters',
          'set shadow_rules_stat_prefix',
        ),
      );
    }
  }
  return checks.length > 0 ? checks : [holds('stat-prefix', 'counters can be told apart')];
}

function names(filters: readonly FoundFilter[]): string {
  return filters.map(({ name, type }) => name || type).join(', ');
}

function holds(id: CheckId, message: string): Check {
  return { id, state: 'holds', message };
}

function fails(id: CheckId, message: string, hint?: string): Check {
  return { id, state: 'fails', message, ...(hint === undefined ? {} : { hint }) };
}

function notShown(id: CheckId, message: string): Check {
  return { id, state: 'not shown', message };
}
