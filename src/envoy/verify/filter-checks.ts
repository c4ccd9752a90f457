import { askingIn, type Chain, type FoundFilter, isRbac } from './chains.ts';
import { type Check, fails, holds, notShown } from './check.ts';
import { field, mayBeTrue } from './json.ts';
import type { Tls } from './tls.ts';
import { isTokenScript } from './tokens/checks.ts';

/** HTTP filters that neither answer requests nor change what RBAC reads. */
const harmless = new Set([
  'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication',
  'envoy.extensions.filters.http.set_filter_state.v3.Config',
  'envoy.extensions.filters.http.set_metadata.v3.Config',
]);

const mostNamed = 10;

export function filterChecks(chain: Chain, tls: Tls | undefined): Check[] {
  return [...ownChecks(chain), ...followed([...chain.unknown, ...(tls?.unknown ?? [])])];
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

function order(chain: Chain): Check {
  const early = [...before(chain.filters), ...before(chain.httpFilters)].filter(
    (one) => !harmless.has(one.type) && !isTokenScript(one),
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

function names(filters: readonly FoundFilter[]): string {
  return filters.map(({ name, type }) => name || type).join(', ');
}
