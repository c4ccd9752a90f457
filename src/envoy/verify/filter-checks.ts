import { askingIn, type Chain, type FoundFilter, isRbac, manager } from './chains.ts';
import { type Check, fails, holds, notShown } from './check.ts';
import { field, mayBeTrue } from './json.ts';
import type { Tls } from './tls.ts';
import { isTokenScript } from './tokens/checks.ts';
import { readsOf, writesOf } from './writes.ts';

const jwtAuthn = 'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication';

/** HTTP filters that neither answer requests nor change what RBAC reads. */
const harmless = new Set([
  jwtAuthn,
  'envoy.extensions.filters.http.set_filter_state.v3.Config',
  'envoy.extensions.filters.http.set_metadata.v3.Config',
]);

const mostNamed = 10;

export function filterChecks(chain: Chain, tls: Tls | undefined): Check[] {
  return [...ownChecks(chain), ...fallbacks(chain), ...followed([...chain.unknown, ...(tls?.unknown ?? [])])];
}

/** What is read of a configuration is not all that there may be in it. */
function followed(unknown: readonly string[]): Check[] {
  const found = [...new Set(unknown)];
  if (found.length === 0) return [];
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : '';
  return [
    fails(
      'not-followed',
      `${found.slice(0, mostNamed).join('; ')}${more}: what comes of it is not known here`,
      'leave it out',
    ),
  ];
}

function ownChecks(chain: Chain): Check[] {
  const all = [...chain.filters, ...chain.httpFilters];
  const found = all.filter(isRbac);
  const off = found.filter(({ disabled }) => disabled);
  const waiting = found.filter(({ json }) => json === undefined);
  const checks: Check[] = [];
  const asking = askingIn(chain);
  if (found.length === 0 && asking.length > 0) {
    const open = asking.filter(({ json }) => mayBeTrue(field(json, 'typed_config', 'failure_mode_allow')));
    checks.push(
      open.length > 0
        ? fails(
            'rbac',
            `${names(open)}: allows everything while nobody answers`,
            'leave out "failure_mode_allow"',
          )
        : notShown(
            'rbac',
            `the chain has no RBAC filter but asks by ext_authz (${names(asking)}); what it is answered, and overrides on routes, are not checked here`,
          ),
    );
    return checks;
  }
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

/** Another configuration of a filter that decides, or that comes before one. */
function fallbacks(chain: Chain): Check[] {
  const deciding = [...chain.filters, ...chain.httpFilters].filter(isRbac);
  const found = [...deciding, ...askingIn(chain), ...early(chain)].filter(({ fallsBack }) => fallsBack);
  if (found.length === 0) return [];
  const message = `${names(found)}: default_config is in force while its configuration is not there`;
  return [fails('delivered', message, 'leave out "default_config"')];
}

function order(chain: Chain): Check {
  const reads = readsOf(chain);
  const faults = early(chain).flatMap((one) => {
    const written = writesOf(one).find((what) => reads.has(what));
    if (written !== undefined) return [`${names([one])}: writes ${written}, which RBAC reads`];
    const asItIs = harmless.has(one.type) || isTokenScript(one);
    if (asItIs && (one.type === jwtAuthn || !isOverridden(one, chain))) return [];
    return [`${names([one])}: before RBAC${asItIs ? ', and a route has it otherwise' : ''}`];
  });
  if (faults.length === 0)
    return holds('filter-order', 'nothing comes before RBAC that answers or changes requests');
  const hint = 'put RBAC first, with nothing but jwt_authn, set_filter_state or set_metadata before it';
  return fails('filter-order', faults.join('; '), hint);
}

/** What comes before RBAC; of HTTP filters all of the connection's do. */
function early(chain: Chain): readonly FoundFilter[] {
  const { filters, httpFilters } = chain;
  const http = httpFilters.findLastIndex(isRbac);
  const last = http < 0 ? filters.findLastIndex(isRbac) : filters.findIndex(({ type }) => type === manager);
  return [...filters.slice(0, Math.max(0, last)), ...httpFilters.slice(0, Math.max(0, http))].filter(
    (one) => !isRbac(one) && (!one.disabled || isOverridden(one, chain)),
  );
}

/** What is switched off may be switched on by a route. */
function isOverridden({ name }: FoundFilter, { routes }: Chain): boolean {
  return routes.some(({ overrides }) => overrides.has(name));
}

function names(filters: readonly FoundFilter[]): string {
  return filters.map(({ name, type }) => name || type).join(', ');
}
