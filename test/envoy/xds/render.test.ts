import { fromBinary, toJson } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { binaryOf } from '../../../src/envoy/proto/binary.ts';
import { TypedExtensionConfigSchema } from '../../../src/envoy/proto/generated/envoy/config/core/v3/extension_pb.js';
import { registry } from '../../../src/envoy/proto/registry.ts';
import { extensionName, proxyOf, readExtensionName, type SaidOfNode } from '../../../src/envoy/xds/names.ts';
import { Renderer } from '../../../src/envoy/xds/render.ts';
import { both } from '../export/world.ts';

const name = 'placet/http/http/0';
const dataplane = (n: number) => ({
  type: 'Dataplane',
  name: `web-${n}`,
  inbounds: [{ name: 'http', port: 80, protocol: 'http' }],
});
const permission = (value: string) => ({
  type: 'MeshTrafficPermission',
  name: 'web',
  spec: { rules: [{ default: { allow: [{ spiffeID: { type: 'Exact', value } }] } }] },
});

const of = (id: string, placet: unknown): SaidOfNode => ({ id, cluster: 'c', metadata: { placet } });
const exporterOf = (...documents: object[]) => both(...documents).exporter;

describe('what proxies get', () => {
  test('[XDS1] the filter of their inbound, shared where it is the same, and another version when it changes', () => {
    const renderer = new Renderer(exporterOf(dataplane(1), dataplane(2), permission('spiffe://td/a')));
    const one = renderer.render({ mesh: 'default', dataplane: 'web-1' }, [name]);
    const two = renderer.render({ mesh: 'default', dataplane: 'web-2' }, [name]);
    expect(one.problems).toEqual([]);
    expect(two.resources[0]).toBe(one.resources[0]);
    expect(Buffer.from(one.resources[0]!.bytes).includes('spiffe://td/a')).toBe(true);
    const { version } = one.resources[0]!;
    renderer.use(exporterOf(dataplane(1), dataplane(2), permission('spiffe://td/a')));
    expect(renderer.render({ mesh: 'default', dataplane: 'web-1' }, [name]).resources[0]?.version).toBe(
      version,
    );
    renderer.use(exporterOf(dataplane(1), dataplane(2), permission('spiffe://td/b')));
    expect(renderer.render({ mesh: 'default', dataplane: 'web-1' }, [name]).resources[0]?.version).not.toBe(
      version,
    );
  });

  test('[XDS2] a dataplane that nobody knows gets a filter that denies all and says why', () => {
    const renderer = new Renderer(exporterOf(dataplane(1), permission('spiffe://td/a')));
    for (const [proxy, wanted, why] of [
      [{ mesh: 'default', dataplane: 'web-9' }, name, 'unknown-dataplane'],
      [{ mesh: 'default', dataplane: 'web-1' }, 'placet/http/other/0', 'unknown-dataplane'],
      [undefined, 'placet/network/http/0', 'unknown-dataplane'],
      [{ mesh: 'default', dataplane: 'web-1' }, 'placet/rbac', 'unknown-extension'],
    ] as const) {
      const { resources, problems } = renderer.render(proxy, [wanted]);
      const config = toJson(
        TypedExtensionConfigSchema,
        fromBinary(TypedExtensionConfigSchema, resources[0]!.bytes),
        { registry },
      );
      expect(config).toMatchObject({
        name: wanted,
        typedConfig: {
          '@type': `type.googleapis.com/envoy.extensions.filters.${wanted.includes('network') ? 'network' : 'http'}.rbac.v3.RBAC`,
          matcher: { onNoMatch: { action: { typedConfig: { name: why, action: 'DENY' } } } },
        },
      });
      expect(problems).toHaveLength(1);
    }
  });

  test('[XDS2] names of others get nothing, and it is said', () => {
    const renderer = new Renderer(exporterOf(dataplane(1), permission('spiffe://td/a')));
    const proxy = { mesh: 'default', dataplane: 'web-1' };
    const { resources, problems } = renderer.render(proxy, ['my-plugin', name, 'placets']);
    expect(resources.map((one) => one.name)).toEqual([name]);
    expect(problems).toEqual(['my-plugin', 'placets'].map((one) => expect.stringContaining(`${one}: not`)));
  });

  test('[XDS3] what cannot be exported leaves the filter as it was, and where there was none, denies all', () => {
    // Filters of HTTP are refused for it.
    const tcp = { ...dataplane(1), inbounds: [{ name: 'http', port: 80, protocol: 'tcp' }] };
    const sound = [dataplane(1), permission('spiffe://td/a')];
    const proxy = { mesh: 'default', dataplane: 'web-1' };
    const renderer = new Renderer(exporterOf(...sound));
    const before = renderer.render(proxy, [name]).resources[0];
    const worse = exporterOf(tcp, permission('spiffe://td/b'));
    renderer.use(worse);
    const after = renderer.render(proxy, [name]);
    expect(after.problems).toHaveLength(1);
    expect(after.resources[0]).toEqual({ ...before, outdated: expect.stringContaining('tcp') });
    const never = new Renderer(worse).render(proxy, [name]);
    expect(never.resources[0]).toMatchObject({
      denies: 'not-exportable',
      outdated: after.resources[0]?.outdated,
    });
    expect(Buffer.from(never.resources[0]!.bytes).includes('not-exportable')).toBe(true);
  });

  test('[XDS1] names and nodes are read strictly', () => {
    const extension = { filter: 'network', inbound: 'api', position: 1 } as const;
    expect(readExtensionName(extensionName(extension))).toEqual(extension);
    for (const bad of [
      '',
      'placet/http/api',
      'placet/http//0',
      'placet/udp/api/0',
      'placet/http/api/2',
      'placet/http/api/0/',
    ])
      expect(readExtensionName(bad)).toBeUndefined();
  });

  test.each<[SaidOfNode, ReturnType<typeof proxyOf>]>([
    [
      { id: 'shop/web-1', cluster: '' },
      { mesh: 'shop', dataplane: 'web-1' },
    ],
    [
      { id: 'shop/a/b', cluster: 'other' },
      { mesh: 'shop', dataplane: 'a/b' },
    ],
    [
      { id: 'web-1', cluster: 'shop' },
      { mesh: 'shop', dataplane: 'web-1' },
    ],
    [
      { id: 'web-1', cluster: '' },
      { mesh: 'default', dataplane: 'web-1' },
    ],
    [of('x', { mesh: 'shop', dataplane: 'web-2' }), { mesh: 'shop', dataplane: 'web-2' }],
    [of('other/x', { mesh: 'shop', dataplane: 'web-2' }), { mesh: 'shop', dataplane: 'web-2' }],
    [of('x', { dataplane: 'web-2' }), { mesh: 'c', dataplane: 'web-2' }],
    [of('shop/x', { dataplane: 'web-2' }), { mesh: 'shop', dataplane: 'web-2' }],
    [of('other/web-1', { mesh: 'shop' }), { mesh: 'shop', dataplane: 'web-1' }],
    [of('shop/web-1', { mesh: 5, dataplane: '' }), { mesh: 'shop', dataplane: 'web-1' }],
    [of('shop/web-1', null), { mesh: 'shop', dataplane: 'web-1' }],
    [of('shop/web-1', 'text'), { mesh: 'shop', dataplane: 'web-1' }],
    [{ id: '/web-1', cluster: 'shop' }, undefined],
    [{ id: 'shop/', cluster: 'shop' }, undefined],
    [{ id: '', cluster: 'shop' }, undefined],
  ])('[XDS1] a node is the dataplane that its metadata, its id and its cluster say: %j', (node, proxy) => {
    expect(proxyOf(node)).toEqual(proxy);
  });

  test('[XDS1] principals that the installed definitions lack become bytes too', () => {
    const custom = {
      name: 'envoy.rbac.principals.mtls_authenticated',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.rbac.principals.mtls_authenticated.v3.Config',
        any_validated_client_certificate: true,
      },
    };
    const bytes = binaryOf('envoy.config.rbac.v3.Principal', { custom });
    // Field 14, with a length.
    expect(bytes[0]).toBe(14 * 8 + 2);
    expect(() => binaryOf('envoy.config.rbac.v3.Principal', { costum: custom })).toThrow('costum');
  });
});
