import { describe, expect, test } from 'vitest';
import { isSound } from '../../../src/envoy/verify/verify.ts';
import * as b from '../interpreter/build.ts';
import * as config from './config.ts';
import { filters, reports } from './configurations.ts';
import * as spiffe from './spiffe-world.ts';

describe('what is read', () => {
  const good = config.http({ filters });
  const dump = (...configs: object[]) => ({ configs });

  test('[VER13] a dump of the admin interface, with what was discovered', () => {
    const found = {
      name: 'envoy.filters.http.rbac',
      config_discovery: { type_urls: ['x/envoy.extensions.filters.http.rbac.v3.RBAC'] },
    };
    const listener = config.http({
      filters: [found],
      manager: { route_config: null, rds: { route_config_name: 'r' } },
      common: {
        validation_context: null,
        combined_validation_context: {
          default_validation_context: {},
          validation_context_sds_secret_config: { name: 'ca' },
        },
      },
    });
    const parts = [
      { dynamic_listeners: [{ name: 'inbound', active_state: { listener } }] },
      {
        ecds_filters: [
          { ecds_filter: { '@type': 'x/envoy.config.core.v3.TypedExtensionConfig', ...filters[0] } },
        ],
      },
      { dynamic_route_configs: [{ route_config: { name: 'r', virtual_hosts: [] } }] },
      {
        dynamic_active_secrets: [
          { secret: { name: 'ca', validation_context: config.bundles('td', 'partner') } },
        ],
      },
    ];
    const states = (documents: object) =>
      reports(spiffe, [documents])[0]!.checks.flatMap(({ id, state }) =>
        state === 'holds' ? [] : [`${id} ${state}`],
      );
    expect(states(dump(...parts))).toEqual([]);
    expect(states(dump(...parts.slice(0, 2)))).toEqual([
      'certificate-verification not shown',
      'trust-bundles not shown',
      'route-overrides not shown',
    ]);
    expect(states(dump(parts[0]!))).toContain('delivered fails');
  });

  test('[VER13] a listener alone, a discovery file, filters alone, several files together', () => {
    const typed = (type: string, resource: object) => ({
      version_info: '1',
      resources: [{ '@type': `x/${type}`, ...resource }],
    });
    for (const documents of [
      [good],
      [typed('envoy.config.listener.v3.Listener', good)],
      filters,
      [typed('envoy.config.core.v3.TypedExtensionConfig', filters[0]!)],
      [{ filters }],
    ]) {
      const [report] = reports(spiffe, documents);
      expect(report?.compared.map(({ differing }) => differing)).toEqual([0]);
      expect(isSound(report!)).toBe(true);
    }
  });

  test('[VER13] the listener that is named, else the one at the port; each of its chains', () => {
    const other = config.http({ name: 'other', port: 1, filters: [] });
    const both = { static_resources: { listeners: [other, good] } };
    expect(reports(spiffe, [both]).map(({ chain }) => chain)).toEqual(['inbound']);
    expect(reports(spiffe, [both], 'other').map(isSound)).toEqual([false]);
    const chains = (good as { filter_chains: object[] }).filter_chains;
    const bare = { filters: [] };
    const two = { ...good, filter_chains: [...chains], default_filter_chain: bare };
    expect(reports(spiffe, [two]).map(({ chain }) => chain)).toEqual(['inbound/0', 'inbound/default']);
    expect(reports(spiffe, [two]).map(isSound)).toEqual([true, false]);
    const far = { static_resources: { listeners: [other, { ...other, name: 'x' }] } };
    expect(() => reports(spiffe, [far])).toThrow('no listener is at the inbound');
    expect(() => reports(spiffe, [{}])).toThrow('there is neither a listener nor an RBAC filter');
  });

  test('[VER13] each route with RBAC of its own is compared with what its filter says', () => {
    const { '@type': _, ...open } = (
      b.http({ matcher: { on_no_match: b.action('all') } }) as { typed_config: Record<string, unknown> }
    ).typed_config;
    const own = { '@type': 'x/envoy.extensions.filters.http.rbac.v3.RBACPerRoute', rbac: open };
    const routes = [
      { name: 'open', match: { prefix: '/' }, typed_per_filter_config: { 'envoy.filters.http.rbac': own } },
    ];
    const [report] = reports(spiffe, [config.http({ filters, routes })]);
    expect(report?.compared.map(({ at, differing }) => [at, differing > 0])).toEqual([
      [undefined, false],
      ['route open', true],
    ]);
  });
});

describe('how much is tried', () => {
  test('[VER14] the bound holds, what is left is said, and the same is tried each time', () => {
    const run = () => reports(spiffe, filters)[0]!.compared[0]!;
    expect(run().tried).toBe(4_000);
    expect(run().possible).toBeGreaterThan(100_000);
    expect(run()).toEqual(run());
  });

  test('[VER14] so does the bound of comparisons: long lists are tried on fewer requests', () => {
    const bounded = (comparisons: number) =>
      reports(spiffe, filters, undefined, comparisons)[0]!.compared[0]!.tried;
    expect(bounded(0)).toBe(0);
    expect(bounded(1)).toBe(1);
    expect(bounded(1_000)).toBeLessThan(bounded(2_000));
    expect(bounded(2_000)).toBeLessThan(1_000);
  });

  test('[VER15] what cannot be evaluated is not sound, whatever else holds', () => {
    const source = { source_ip: { address_prefix: '10.0.0.0', prefix_len: 8 } };
    const [report] = reports(spiffe, [b.http({ rules: b.rules({ p: [b.any, source] }) })]);
    expect(report?.violations.map(({ message }) => message)).toEqual([
      'the principal source_ip is not evaluated here',
    ]);
    expect(isSound(report!)).toBe(false);
  });
});
