import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from './world.ts';

/** `placet export envoy --mode`: what is printed, and what is refused. */

const folder = mkdtempSync(join(tmpdir(), 'placet-modes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const policies = join(folder, 'policies.yaml');
writeFileSync(
  policies,
  `type: Mesh
name: m
trustDomains: [td]
---
type: Dataplane
mesh: m
name: d
inbounds: [{name: api, port: 80, protocol: http}, {port: 81}]
---
type: MeshTrafficPermission
mesh: m
name: p
spec: {default: {allow: [{spiffeId: {type: Prefix, value: "spiffe://td/"}}], deny: [{path: {type: Exact, value: /x}}]}}
---
type: Mesh
name: tagged
certificates: tags
---
type: Dataplane
mesh: tagged
name: t
inbounds: [{port: 80, protocol: http}]
---
type: Service
namespace: shop
name: pay
`,
);

const exporting = (...args: string[]) => run(['export', 'envoy', '--policies', policies, ...args]);
const api = ['-d', 'm/d', '--inbound', 'api', '--as', 'bootstrap', '--json'];

// biome-ignore lint/suspicious/noExplicitAny: whatever a bootstrap holds
async function bootstrap(...args: string[]): Promise<any> {
  const { code, out, err } = await exporting(...args);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

// biome-ignore lint/suspicious/noExplicitAny: as above
const chainOf = ({ static_resources: { listeners } }: any) => listeners[0].filter_chains[0];
// biome-ignore lint/suspicious/noExplicitAny: as above
const managerOf = (document: any) => chainOf(document).filters[0].typed_config;

describe('placet export envoy --mode', () => {
  test('[MODE1] changes what decides and what its log says, and nothing else of the listener', async () => {
    const native = await bootstrap(...api);
    expect(await bootstrap(...api, '--mode', 'native')).toEqual(native);
    for (const mode of ['ext_authz', 'xds']) {
      const other = await bootstrap(...api, '--mode', mode);
      const without = [native, other].map((document) => {
        const { http_filters, access_log, ...rest } = managerOf(document);
        const { filters, ...chain } = chainOf(document);
        const { filter_chains, ...listener } = document.static_resources.listeners[0];
        const own = document === native || mode !== 'xds' ? 1 : 2;
        expect([http_filters.length, filters.length, access_log.length]).toEqual([own + 1, 1, 1]);
        return { rest, chain, listener, clusters: document.static_resources.clusters[0] };
      });
      expect(without[1]).toEqual(without[0]);
    }
  });

  test('[MODE2] ext_authz sends the certificate and the destination, and never fails open', async () => {
    const document = await bootstrap(...api, '--mode', 'ext_authz', '--placet', 'unix:/run/placet');
    const [filter] = managerOf(document).http_filters;
    expect(filter).toEqual({
      name: 'envoy.filters.http.ext_authz',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz',
        stat_prefix: 'placet',
        transport_api_version: 'V3',
        include_peer_certificate: true,
        include_tls_session: true,
        status_on_error: { code: 'Forbidden' },
        grpc_service: {
          envoy_grpc: { cluster_name: 'placet' },
          timeout: '1s',
          initial_metadata: [
            { key: 'x-placet-mesh', value: 'm' },
            { key: 'x-placet-dataplane', value: 'd' },
            { key: 'x-placet-inbound', value: 'api' },
          ],
        },
      },
    });
    const service = ['--service', 'shop/pay', '--as', 'bootstrap', '--json', '--mode', 'ext_authz'];
    const own = managerOf(await bootstrap('--policies', siteFile, ...service)).http_filters[0];
    expect(own.typed_config.grpc_service.initial_metadata).toEqual([
      { key: 'x-placet-service', value: 'shop/pay' },
    ]);
    const network = ['-d', 'm/d', '--inbound', '81', '--as', 'bootstrap', '--json'];
    const [asks, proxy] = chainOf(await bootstrap(...network, '--mode', 'ext_authz')).filters;
    expect([asks.name, proxy.name]).toEqual([
      'envoy.filters.network.ext_authz',
      'envoy.filters.network.tcp_proxy',
    ]);
    expect(JSON.stringify([document, asks])).not.toContain('failure_mode_allow');
  });

  test('[MODE2] connections to an inbound of requests are refused', async () => {
    const { code, err } = await exporting(...api, '--mode', 'ext_authz', '--filter', 'network');
    expect([code, err]).toEqual([1, expect.stringContaining('which is declared http')]);
  });

  test('[MODE3] xds: a node, its filters by name, and no default', async () => {
    const document = await bootstrap(...api, '--mode', 'xds');
    expect(document.node).toEqual({ id: 'm/d', cluster: 'm' });
    expect(document.dynamic_resources.ads_config).toMatchObject({
      api_type: 'DELTA_GRPC',
      grpc_services: [
        {
          envoy_grpc: {
            cluster_name: 'placet',
            retry_policy: { retry_back_off: { base_interval: '0.5s', max_interval: '5s' } },
          },
        },
      ],
    });
    expect(managerOf(document).http_filters[0]).toEqual({
      name: 'placet/http/api/0',
      config_discovery: {
        config_source: { ads: {}, resource_api_version: 'V3', initial_fetch_timeout: '0s' },
        type_urls: ['type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC'],
      },
    });
    const namesOf = (filters: { name: string }[]) => filters.map(({ name }) => name);
    expect(namesOf(managerOf(document).http_filters.slice(1))).toEqual([
      'placet/http/api/1',
      'envoy.filters.http.router',
    ]);
    const tagged = await bootstrap('-d', 'tagged/t', '--as', 'bootstrap', '--json', '--mode', 'xds');
    expect(namesOf(managerOf(tagged).http_filters.slice(0, 2))).toEqual([
      'placet/http/80/0',
      'placet/http/80/1',
    ]);
  });

  test.each([
    [['--service', 'shop/pay', '--mode', 'xds'], 'want an inbound of a dataplane'],
    [['-d', 'm/d', '--inbound', 'api', '--filter', 'network', '--mode', 'xds'], 'Envoy cannot enforce'],
  ])('[MODE3] %j is refused', async (args, message) => {
    const { code, err } = await exporting(...args, '--as', 'bootstrap');
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  test.each([
    ['127.0.0.1:1', []],
    ['[::1]:1', []],
    ['unix:/x', []],
    ['placet.example:1', ['--placet-id', 'spiffe://td/placet']],
    ['127.0.0.1:1', ['--placet-id', 'spiffe://td/placet']],
  ])('[MODE4] at %s with %j', async (at, id) => {
    for (const mode of ['ext_authz', 'xds']) {
      const document = await bootstrap(...api, '--mode', mode, '--placet', at, ...id, '--tls', '/tls');
      const [, { transport_socket, load_assignment }] = document.static_resources.clusters;
      const { address } = load_assignment.endpoints[0].lb_endpoints[0].endpoint;
      expect(Object.keys(address)).toEqual([at.startsWith('unix:') ? 'pipe' : 'socket_address']);
      const context = transport_socket?.typed_config.common_tls_context;
      expect(context?.validation_context).toEqual(
        id.length === 0
          ? undefined
          : {
              trusted_ca: { filename: '/tls/bundles/td.pem' },
              match_typed_subject_alt_names: [{ san_type: 'URI', matcher: { exact: id[1] } }],
            },
      );
      expect(context?.tls_certificates).toEqual(
        id.length === 0
          ? undefined
          : [{ certificate_chain: { filename: '/tls/cert.pem' }, private_key: { filename: '/tls/key.pem' } }],
      );
    }
  });

  test.each([
    [['--mode', 'ext_authz', '--placet', 'placet.example:1'], 'give --placet-id'],
    [['--mode', 'xds', '--placet', 'nowhere'], '--placet nowhere: no address'],
    [['--mode', 'xds', '--placet-id', 'td/placet'], '--placet-id td/placet: no SPIFFE ID'],
    [['--placet', '127.0.0.1:1'], 'nobody asks it'],
  ])('[MODE4] %j is not understood', async (args, message) => {
    const { code, err } = await exporting(...api, ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each([
    ...[
      ['--form', 'list'],
      ['--shadow', 'paper'],
      ['--attributes', 'jwt'],
      ['--target-version', '1.40'],
      ['--no-minimise'],
      ['--allow-narrower'],
      ['--paper-as-written'],
      ['--max-bytes', '9'],
      ['--report', 'x'],
    ].map((args) => [[...api, '--mode', 'ext_authz', ...args], `${args[0]}: about RBAC`]),
    [['-d', 'm/d', '--as', 'filter', '--mode', 'xds'], 'give --as bootstrap too'],
    [[...api, '--mode', 'xdd'], 'did you mean xds'],
    [['--all', '--out', 'x', '--watch'], 'placet export envoy --as ecds'],
  ] as [string[], string][])('[MODE5] %j is not understood', async (args, message) => {
    const { code, err } = await exporting(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test('[MODE5] verify says what it cannot look at, and that nobody may be let in by silence', async () => {
    const verifying = async (name: string, text: string) => {
      const file = join(folder, name);
      writeFileSync(file, text);
      const words = ['verify', 'envoy', '--policies', policies, '-d', 'm/d', '--inbound', 'api'];
      return await run([...words, '--config', file]);
    };
    const asks = (await exporting(...api, '--mode', 'ext_authz')).out;
    const found = await verifying('asks.json', asks);
    expect([found.code, found.out]).toEqual([
      1,
      expect.stringContaining('not shown  rbac: the chain has no RBAC'),
    ]);
    expect(found.out).toContain('nothing could be compared');
    expect(found.out).not.toContain('fails');
    const open = asks.replace(
      '"transport_api_version"',
      '"failure_mode_allow": true, "transport_api_version"',
    );
    expect((await verifying('open.json', open)).out).toContain('allows everything while nobody answers');
    const gets = await verifying('gets.json', (await exporting(...api, '--mode', 'xds')).out);
    expect([gets.code, gets.out]).toEqual([
      1,
      expect.stringContaining('fails      delivered: placet/http/api/0'),
    ]);
  });
});

const siteFile = join(folder, 'site.yaml');
writeFileSync(siteFile, 'type: Site\nname: here\ntrustDomains: [{name: td}]\n');
