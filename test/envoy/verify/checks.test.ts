import { describe, expect, test } from 'vitest';
import type { CheckId } from '../../../src/envoy/verify/check.ts';
import { isSound } from '../../../src/envoy/verify/verify.ts';
import * as b from '../interpreter/build.ts';
import * as config from './config.ts';
import { filters, inBootstrap, reports, type World } from './configurations.ts';
import * as spiffe from './spiffe-world.ts';
import * as tags from './tag-world.ts';

function failing(listener: object, world: World = spiffe): string[] {
  return reports(world, [inBootstrap(listener)]).flatMap(({ checks }) =>
    checks.filter(({ state }) => state !== 'holds').map(({ id, state }) => `${id} ${state}`),
  );
}

describe('what is relied on', () => {
  test('[VER12] all of it there: nothing fails, nothing differs', () => {
    const [report] = reports(spiffe, [inBootstrap(config.http({ filters }))]);
    expect(report?.checks.filter(({ state }) => state !== 'holds')).toEqual([]);
    expect(isSound(report!)).toBe(true);
    const [tcp] = reports(tags, [
      inBootstrap(
        config.tcp({ port: 9000, filters: tags.filters, validation: config.bundles('tags', 'elsewhere') }),
      ),
    ]);
    expect(tcp?.checks.flatMap(({ id, state }) => (state === 'holds' ? [] : [`${id} ${state}`]))).toEqual([
      'tag-certificates not shown',
    ]);
    expect(isSound(tcp!)).toBe(true);
  });

  const lua = b.extension('envoy.extensions.filters.http.lua.v3.Lua');
  const jwt = b.extension('envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication');
  const off = { '@type': 'x/envoy.extensions.filters.http.rbac.v3.RBACPerRoute' };
  const route = (more: object) => [{ name: 'r', match: { prefix: '/' }, ...more }];
  const perRoute = (one: object) => ({ typed_per_filter_config: { 'envoy.filters.http.rbac': one } });
  const discovered = {
    name: 'envoy.filters.http.rbac',
    config_discovery: { type_urls: ['x/envoy.extensions.filters.http.rbac.v3.RBAC'] },
  };
  const faults: readonly [CheckId, string, Partial<config.Parts>][] = [
    ['client-certificate', 'certificates are optional', { tls: { require_client_certificate: false } }],
    [
      'certificate-verification',
      'any CA will do',
      { validation: { ...config.bundles('td', 'partner'), trust_chain_verification: 'ACCEPT_UNTRUSTED' } },
    ],
    [
      'certificate-verification',
      'any CA will do, by its number',
      { validation: { ...config.bundles('td', 'partner'), trust_chain_verification: 1 } },
    ],
    [
      'certificate-verification',
      'certificates count whose time is over',
      { validation: { ...config.bundles('td', 'partner'), allow_expired_certificate: true } },
    ],
    ['trust-bundles', 'one CA for all', { validation: { trusted_ca: { filename: 'ca.pem' } } }],
    ['trust-bundles', 'a trust domain without a bundle', { validation: config.bundles('td') }],
    ['filter-order', 'a filter before it', { before: [lua] }],
    ['rbac', 'disabled', { filters: [{ ...filters[0]!, disabled: true }] }],
    ['rbac', 'none', { filters: [] }],
    ['delivered', 'from elsewhere', { filters: [discovered] }],
    ['normalize-path', 'not set', { manager: { normalize_path: false } }],
    ['merge-slashes', 'not set', { manager: { merge_slashes: false } }],
    [
      'escaped-slashes',
      'unescaped',
      { manager: { path_with_escaped_slashes_action: 'UNESCAPE_AND_FORWARD' } },
    ],
    ['tls-inspector', 'not there', { listener: { listener_filters: [] } }],
    ['route-overrides', 'a route without RBAC', { routes: route(perRoute(off)) }],
    ['route-overrides', 'a host without RBAC', { host: perRoute(off) }],
    [
      'route-overrides',
      'a cluster without RBAC',
      { routes: route({ route: { weighted_clusters: { clusters: [{ name: 'c', ...perRoute(off) }] } } }) },
    ],
    [
      'route-overrides',
      'switched off in the wrapper',
      { routes: route(perRoute({ '@type': 'x/envoy.config.route.v3.FilterConfig', disabled: true })) },
    ],
    [
      'route-overrides',
      'for a filter that is not there',
      { routes: route({ typed_per_filter_config: { rbac: off } }) },
    ],
  ];
  test.each(faults)('[VER12] %s fails: %s', (id, _, parts) => {
    const found = failing(config.http({ filters, ...parts }));
    expect(found).toContain(`${id} fails`);
    expect(new Set(found).size).toBe(1);
  });

  test('[VER12] jwt_authn may come first; without TLS there is nothing to compare', () => {
    expect(failing(config.http({ filters, before: [jwt] }))).toEqual([]);
    const [report] = reports(spiffe, [inBootstrap(config.http({ filters, tls: null }))]);
    expect(report?.compared).toEqual([]);
    expect(isSound(report!)).toBe(false);
  });

  test('[VER12] the layer of the inbound, counters that run together', () => {
    const plain = b.network({ matcher: { on_no_match: b.action('default', 'DENY') } });
    expect(failing(config.tcp({ filters: [plain] }))).toContain('layer fails');
    const one = b.network({ stat_prefix: 'inbound', rules: {} });
    expect(
      failing(
        config.tcp({ port: 9000, filters: [one], validation: config.bundles('tags', 'elsewhere') }),
        tags,
      ),
    ).toEqual(['tag-certificates not shown', 'stat-prefix fails']);
    const twice = tags.filters.map((filter) => ({
      ...filter,
      typed_config: { ...(filter['typed_config'] as object), shadow_rules: {} },
    }));
    expect(
      failing(
        config.tcp({ port: 9000, filters: twice, validation: config.bundles('tags', 'elsewhere') }),
        tags,
      ),
    ).toEqual(['tag-certificates not shown', 'stat-prefix fails']);
  });

  test('[VER12] beside a filter without rules, which counts nothing, a shadow needs no prefix', () => {
    const only = filters[0] as unknown as { typed_config: { matcher: unknown } };
    const { matcher } = only.typed_config;
    const shadowed = { ...only, typed_config: { ...only.typed_config, shadow_matcher: matcher } };
    const passing = { ...b.http({}), name: 'second' };
    expect(failing(config.http({ filters: [shadowed, passing] }))).toEqual([]);
    const counts = { ...b.http({ rules: { action: 'DENY' } }), name: 'second' };
    expect(failing(config.http({ filters: [shadowed, counts] }))).toEqual(['stat-prefix fails']);
  });

  test('[VER12] resumed sessions, whatever filters ask for', () => {
    const parts = { port: 9000, filters: tags.filters, validation: config.bundles('tags', 'elsewhere') };
    for (const one of ['stateless', 'stateful']) {
      const resumes = { ...parts, tls: { [`disable_${one}_session_resumption`]: false } };
      expect(failing(config.tcp(resumes), tags)).toContain('session-resumption fails');
    }
    expect(failing(config.http({ filters, tls: { disable_stateless_session_resumption: false } }))).toEqual([
      'session-resumption fails',
    ]);
  });

  test('[VER12] what filters read and requests are not tried with is said', () => {
    const others = b.either(
      b.single(b.header('x-team'), { exact: 'a' }),
      b.metadataMatch(b.metadata('ns'), { string_match: { exact: 'a' } }),
    );
    const [report] = reports(spiffe, [b.http({ matcher: b.list([[others, b.action('a')]]) })]);
    expect(report?.checks.find(({ id }) => id === 'other-inputs')).toEqual({
      id: 'other-inputs',
      state: 'not shown',
      message: 'filters read dynamic metadata, the header x-team, and requests are tried without',
    });
  });

  test('[VER12] certless clients count where they get in', () => {
    const open = b.http({
      matcher: b.list([[b.not(b.single(b.uri, { prefix: 'spiffe://x' })), b.action('negated')]]),
    });
    const shut = { filters: [{ ...open, name: 'r' }] };
    const certless = (parts: Partial<config.Parts>) =>
      reports(spiffe, [inBootstrap(config.http({ ...shut, ...parts }))])[0]!.compared[0]!.differences.some(
        ({ peer }) => !peer.presented,
      );
    expect(certless({})).toBe(false);
    expect(certless({ tls: { require_client_certificate: false } })).toBe(true);
  });
});
