import { expect } from 'vitest';
import { both } from '../../envoy/export/world.ts';
import { live } from '../../live.ts';
import { authority, svid, tagCertificate } from '../../support/certificates/index.ts';
import type { Filter, ListenerSpec } from '../../support/envoy/listeners.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';
import { labOf } from './facts.ts';

/** `CONNECT` has no path: where Envoy would make a tunnel of it, the filters do not let it pass. */

const inbounds = [{ name: 'http', port: 80, protocol: 'http' }];
const asked = { inbound: 'http', dataplane: 'd' };
const { exporter } = both(
  { type: 'Mesh', name: 'm', trustDomains: ['td'] },
  { type: 'Dataplane', mesh: 'm', name: 'd', inbounds },
  {
    type: 'MeshTrafficPermission',
    mesh: 'm',
    name: 'all',
    spec: { default: { allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://td/' } }] } },
  },
  { type: 'Mesh', name: 't', certificates: 'tags' },
  { type: 'Dataplane', mesh: 't', name: 'd', inbounds },
  {
    type: 'MeshTrafficPermission',
    mesh: 't',
    name: 'all',
    spec: { from: [{ targetRef: { kind: 'Mesh' }, default: { action: 'Allow' } }] },
  },
);

const ok = { status: 200, body: { inline_string: 'ok' } };
const lab = labOf(async () => {
  const tunnels = {
    upgrade_configs: [{ upgrade_type: 'CONNECT' }],
    http2_protocol_options: { allow_connect: true },
  };
  const routes = [
    { match: { connect_matcher: {} }, direct_response: ok },
    { match: { prefix: '' }, direct_response: ok },
  ];
  const listener = async (name: string, trustDomain: string, filters: readonly unknown[]) =>
    ({
      name,
      kind: 'http',
      filters: filters as readonly Filter[],
      trust: spiffeBundles(await authority(trustDomain)),
      manager: tunnels,
      routes,
    }) satisfies ListenerSpec;
  return [
    await listener('none', 'td', []),
    await listener('tree', 'td', exporter.export({ mesh: 'm', ...asked }).filters),
    await listener('list', 'td', exporter.export({ mesh: 'm', ...asked }, { form: 'list' }).filters),
    await listener('tags', 't', exporter.export({ mesh: 't', ...asked }).filters),
  ];
});

live(envoyMissing, '[ENV4] a request without a path does not pass', async () => {
  const svids = { certificate: await svid(await authority('td'), 'spiffe://td/a') };
  const tags = {
    certificate: await tagCertificate(await authority('t'), 't', ['web']),
  };
  const says = async (listener: string, client: typeof svids) => {
    const found: string[] = [];
    for (const probe of [{ path: '/x' }, { method: 'CONNECT', path: 'a:443' }]) {
      const [said] = await (await lab()).ask(listener, client, [probe]);
      found.push(`${said!.verdict} ${said!.policy ?? ''}`.trim());
    }
    return found;
  };
  expect(await says('none', svids)).toEqual(['allow', 'allow']);
  expect(await says('tree', svids)).toEqual(['allow', 'deny incomplete-request']);
  expect(await says('list', svids)).toEqual(['allow', 'deny incomplete-request']);
  expect(await says('tags', tags)).toEqual(['allow', 'deny incomplete-request']);
});
