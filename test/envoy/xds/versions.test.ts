import { create, fromBinary, toBinary, toJsonString } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { TypedExtensionConfigSchema } from '../../../src/envoy/proto/generated/envoy/config/core/v3/extension_pb.js';
import { DiscoveryRequestSchema } from '../../../src/envoy/proto/generated/envoy/service/discovery/v3/discovery_pb.js';
import { registry } from '../../../src/envoy/proto/registry.ts';
import { Renderer } from '../../../src/envoy/xds/render.ts';
import { readStateOfTheWorld } from '../../../src/envoy/xds/request.ts';
import { both } from '../export/world.ts';

/** Nodes of older Envoys, as they say it. */

const { exporter } = both(
  { type: 'Dataplane', name: 'web', inbounds: [{ name: 'http', port: 80, protocol: 'http' }] },
  {
    type: 'MeshTrafficPermission',
    name: 'p',
    spec: { default: { allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://td/' } }] } },
  },
  { type: 'Mesh', name: 't', certificates: 'tags' },
  {
    type: 'Dataplane',
    mesh: 't',
    name: 'web',
    inbounds: [{ name: 'http', port: 80, protocol: 'http' }],
  },
);

type Version = readonly [major: number, minor: number] | undefined;

function proxyOf(mesh: string, version: Version) {
  const node = {
    id: `${mesh}/web`,
    ...(version === undefined
      ? {}
      : {
          userAgentVersionType: {
            case: 'userAgentBuildVersion' as const,
            value: { version: { majorNumber: version[0], minorNumber: version[1], patch: 2 } },
          },
        }),
  };
  const bytes = toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, { node }));
  return readStateOfTheWorld(bytes).node?.proxy;
}

const renderer = new Renderer(exporter);
function given(mesh: string, version: Version) {
  const { resources, problems } = renderer.render(proxyOf(mesh, version), ['placet/http/http/0']);
  const config = fromBinary(TypedExtensionConfigSchema, resources[0]!.bytes);
  const text = toJsonString(TypedExtensionConfigSchema, config, { registry });
  const form = text.includes('matcherTree') ? 'tree' : text.includes('matcherList') ? 'list' : 'rules';
  return { form: resources[0]?.denies ?? form, resource: resources[0], problems };
}

test('[ENV14] [XDS1] a node of an Envoy whose trees do not backtrack gets lists', () => {
  const forms = ([undefined, [1, 40], [1, 35], [2, 0], [1, 34], [1, 30], [1, 26], [1, 25]] as const).map(
    (version) => given('default', version).form,
  );
  expect(forms).toEqual(['tree', 'tree', 'tree', 'tree', 'list', 'list', 'list', 'not-exportable']);
  expect(given('default', [1, 25]).problems[0]).toContain('got Envoy 1.25, want 1.26 or later');
});

test('[ENV14] certificates of tags are not read by what an older one has not', () => {
  expect(given('t', [1, 34]).form).toBe('rules');
  expect(given('t', [1, 33]).form).toBe('not-exportable');
});

test('[XDS1] Envoys that read alike share what they get', () => {
  expect(given('default', [1, 30]).resource).toBe(given('default', [1, 27]).resource);
  expect(given('default', [1, 40]).resource).toBe(given('default', undefined).resource);
});
