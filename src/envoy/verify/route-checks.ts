import { type Chain, isRbac } from './chains.ts';
import { type Check, fails, holds, notShown } from './check.ts';
import { typeOf } from './json.ts';
import type { Way } from './ways.ts';

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
  for (const { at, overrides } of chain.routes) {
    for (const [filter, config] of overrides) {
      const meant = typeOf(config).endsWith('.http.rbac.v3.RBACPerRoute');
      if (!meant || rbac.some(({ name }) => name === filter)) continue;
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
    const counting = filters.filter(({ enforces, hasShadow }) => enforces || hasShadow);
    const shadows = counting.filter(({ hasShadow }) => hasShadow);
    if (shadows.length > 1) {
      checks.push(
        fails(
          'stat-prefix',
          'several filters count a shadow, each a part of the verdict',
          'put the whole shadow on the first filter',
        ),
      );
    } else if (counting.length > 1 && shadows[0]?.shadowStatPrefix === '') {
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
