import { describe, expect, test } from 'vitest';
import { formatViolation } from '../../../src/pdp/model/violation.ts';
import { changes, Folder, global, plan, reasonFor, sync, universal, zone } from './syncing.ts';
import { policy, service, to } from './writing.ts';

/** Each document goes from zone-1 through Global to zone-2, or says where it stays. */
function way(one: Folder): { up: string; across: string } {
  const middle = new Folder(global);
  const two = new Folder(zone('zone-2'));
  const up = sync(one, middle);
  const across = sync(middle, two);
  return { up: said(up), across: said(across) };

  function said(actions: ReturnType<typeof sync>): string {
    expect(actions).toHaveLength(1);
    return `${actions[0]!.action}: ${actions[0]!.reason}`;
  }
}

const inZone = (text: string) => way(new Folder(zone('zone-1'), text));

describe('what goes to the other zones, and what does not', () => {
  test.each<[string, string, RegExp]>([
    ['a producer', policy('ns', to(service())), /^create: a producer policy/],
    ['a producer that names its namespace', policy('ns', to(service('ns'))), /^create: a producer policy/],
    ['a consumer', policy('ns', to(service('other'))), /^skip: a consumer policy/],
    ['a policy for all destinations', policy('ns', to({ kind: 'Mesh' })), /^skip: a consumer policy/],
    [
      'a producer by labels that leave nothing open',
      policy(
        'ns',
        to({ kind: 'MeshService', labels: { 'k8s.kuma.io/namespace': 'ns', 'kuma.io/zone': 'zone-1' } }),
      ),
      /^create: a producer policy/,
    ],
    [
      'labels that leave the namespace open',
      policy('ns', to({ kind: 'MeshService', labels: { 'kuma.io/display-name': 'backend' } })),
      /^skip: a consumer policy/,
    ],
    ['a policy with from', policy('ns', { from: [{ default: {} }] }), /^skip: a workload-owner policy/],
    ['a policy with rules', policy('ns', { rules: [{ default: {} }] }), /^skip: a workload-owner policy/],
    ['a policy with neither', policy('ns', { default: {} }, 'MeshMetric'), /^skip: a workload-owner policy/],
    [
      'a policy of the system namespace',
      policy('kuma-system', to(service())),
      /^skip: a policy of the system/,
    ],
    ['a policy of no namespace', policy(undefined, to(service())), /^skip: a policy of the system/],
    [
      'a policy for a MeshExternalService',
      policy('ns', to({ kind: 'MeshExternalService', name: 'aws' })),
      /^skip: (a consumer policy|it refers to a MeshExternalService)/,
    ],
    [
      'a producer for proxies of its own zone',
      policy('ns', {
        targetRef: { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'zone-1' } },
        ...to(service()),
      }),
      /^skip: its targetRef is for proxies with kuma.io\/zone "zone-1"/,
    ],
    [
      'a producer for proxies of the other zone',
      policy('ns', {
        targetRef: { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'zone-2' } },
        ...to(service()),
      }),
      /^create: a producer policy/,
    ],
    [
      'a producer for proxies of any other zone',
      policy('ns', {
        targetRef: { kind: 'MeshSubset', tags: { 'kuma.io/zone': '!zone-1' } },
        ...to(service()),
      }),
      /^create: a producer policy/,
    ],
    [
      'a producer for proxies of any but the other zone',
      policy('ns', {
        targetRef: { kind: 'MeshSubset', tags: { 'kuma.io/zone': '!zone-2' } },
        ...to(service()),
      }),
      /^skip: its targetRef is for proxies/,
    ],
    [
      'a producer for proxies with other tags',
      policy('ns', { targetRef: { kind: 'MeshSubset', tags: { team: 'zone-1' } }, ...to(service()) }),
      /^create: a producer policy/,
    ],
    ['a route', policy('ns', to(service()), 'MeshHTTPRoute'), /^create: a producer policy/],
    ['a tcp route', policy('ns', to(service()), 'MeshTCPRoute'), /^create: a producer policy/],
    [
      'a route to a MeshExternalService',
      policy(
        'ns',
        {
          to: [
            {
              targetRef: service(),
              rules: [
                {
                  default: {
                    backendRefs: [{ kind: 'MeshExternalService', name: 'aws', namespace: 'kuma-system' }],
                  },
                },
              ],
            },
          ],
        },
        'MeshHTTPRoute',
      ),
      /^skip: it refers to a MeshExternalService/,
    ],
    [
      'a permission',
      policy(
        'ns',
        { default: { allow: [{ spiffeId: { type: 'Exact', value: 'spiffe://a/b' } }] } },
        'MeshTrafficPermission',
      ),
      /^skip: a workload-owner policy/,
    ],
    ['a MeshService', policy('ns', {}, 'MeshService'), /^create: a MeshService is for all other zones/],
    [
      'a MeshExternalService',
      policy('kuma-system', {}, 'MeshExternalService'),
      /^skip: a MeshExternalService of a zone/,
    ],
    ['a MeshGateway', policy(undefined, {}, 'MeshGateway'), /^skip: a MeshGateway of a zone/],
    ['a Dataplane', policy('ns', { networking: {} }, 'Dataplane'), /^skip: a Dataplane of a zone/],
    ['a MeshTrust', policy('kuma-system', {}, 'MeshTrust'), /^skip: a MeshTrust of a zone/],
  ])('[ZON6] [ZON7] [ZON8] %s', (_, text, expected) => {
    const { up, across } = inZone(text);
    expect(up).toMatch(/^create: global sees/);
    expect(across).toMatch(expected);
  });

  test('[ZON8] a MeshExternalService is not even for a producer', () => {
    // Without a namespace it would be one of the policy's own, where there can be none.
    const text = policy('ns', to(service(), { kind: 'MeshExternalService', name: 'aws' }));
    const middle = new Folder(global);
    sync(new Folder(zone('zone-1'), text), middle);
    const [copy] = middle.copies();
    copy.metadata.labels['kuma.io/policy-role'] = 'producer';
    const forced = new Folder(global, JSON.stringify(copy));
    expect(
      reasonFor(plan(forced, new Folder(zone('zone-2'))).actions, 'MeshTimeout', copy.metadata.name),
    ).toMatch(/^skip: it refers to a MeshExternalService/);
  });

  test('[ZON8] a policy of a Universal zone stays in it, and its MeshService does not', () => {
    const text = JSON.stringify([
      { type: 'MeshTimeout', name: 'p', mesh: 'default', spec: to(service()) },
      { type: 'MeshService', name: 'backend', mesh: 'default', spec: {} },
    ]);
    const middle = new Folder(global);
    sync(new Folder(universal('zone-1'), text), middle);
    expect(middle.kinds()).toEqual(['MeshService backend', 'MeshTimeout p']);
    const two = new Folder(zone('zone-2'));
    const actions = sync(middle, two);
    expect(two.kinds()).toEqual(['MeshService backend']);
    expect(reasonFor(actions, 'MeshTimeout', middle.copy('MeshTimeout', 'p').metadata.name)).toMatch(
      /^skip: a policy of the system namespace, or of a zone without namespaces/,
    );
  });

  test('[ZON8] nothing comes back to where it is from', () => {
    const one = new Folder(zone('zone-1'), policy('ns', to(service())));
    const middle = new Folder(global);
    sync(one, middle);
    const actions = sync(middle, one);
    expect(changes(actions)).toEqual([]);
    expect(actions[0]!.reason).toBe('it is from there');
  });

  test.each([
    ['Mesh', /a Mesh of a zone stays in it/],
    ['MeshMultiZoneService', /a MeshMultiZoneService of a zone stays in it/],
    ['Secret', /a Secret belongs to the place where it is/],
    ['Zone', /a Zone belongs/],
    ['MeshInsight', /a MeshInsight belongs/],
    ['MeshGatewayInstance', /a MeshGatewayInstance belongs/],
  ])('[ZON6] a %s of a zone does not go to Global', (kind, reason) => {
    const { actions } = plan(new Folder(zone('zone-1'), policy(undefined, {}, kind)), new Folder(global));
    expect(actions.map(({ action, reason }) => `${action}: ${reason}`).join()).toMatch(reason);
    expect(changes(actions)).toEqual([]);
  });

  test.each([
    {
      apiVersion: 'placet.dev/v1alpha1',
      kind: 'AccessPolicy',
      metadata: { name: 'p', namespace: 'ns' },
      spec: {},
    },
    {
      apiVersion: 'clusterlink.net/v1alpha1',
      kind: 'AccessPolicy',
      metadata: { name: 'p', namespace: 'ns' },
    },
    { type: 'Site', name: 'p' },
    { type: 'PolicyKind', name: 'p' },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'p' } },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'p' } },
  ])('[ZON6] what is no document of a mesh stays: %j', (value) => {
    const { actions } = plan(new Folder(zone('zone-1'), JSON.stringify(value)), new Folder(global));
    expect(actions.map(({ action }) => action)).toEqual(['skip']);
    expect(actions[0]!.reason).toMatch(/belongs to the place where it is$/);
  });

  test.each([
    ['MeshTimeout', {}, "create: global's own"],
    ['MeshTrafficPermission', {}, "create: global's own"],
    ['MeshMultiZoneService', {}, "create: global's own"],
    ['MeshExternalService', {}, "create: global's own"],
    ['Mesh', {}, "create: global's own"],
    ['MeshService', {}, 'skip: a MeshService is made in zones'],
    ['Dataplane', {}, 'skip: a Dataplane is made in zones'],
  ])("[ZON7] global's own %s", (kind, spec, expected) => {
    const namespace = kind === 'Mesh' ? undefined : 'kuma-system';
    const { actions } = plan(new Folder(global, policy(namespace, spec, kind)), new Folder(zone('zone-1')));
    expect(actions.map(({ action, reason }) => `${action}: ${reason}`).join()).toContain(expected);
  });

  test('[ZON7] a Mesh keeps its name, since everything refers to it by that', () => {
    const one = new Folder(zone('zone-1'));
    sync(new Folder(global, 'type: Mesh\nname: default\ncertificates: tags\n'), one);
    expect(one.copies()).toEqual([
      {
        apiVersion: 'kuma.io/v1alpha1',
        kind: 'Mesh',
        metadata: {
          name: 'default',
          labels: { 'kuma.io/display-name': 'default', 'kuma.io/origin': 'global' },
        },
        spec: { certificates: 'tags' },
      },
    ]);
  });

  test('[ZON7] a Mesh that the zone has itself stays as it is', () => {
    const one = new Folder(zone('zone-1'), 'type: Mesh\nname: default\n');
    const actions = sync(new Folder(global, 'type: Mesh\nname: default\ncertificates: tags\n'), one);
    expect(one.copies()).toEqual([]);
    expect(reasonFor(actions, 'Mesh', 'default')).toBe(
      'skip: the zone "zone-1" has a Mesh default of its own',
    );
  });

  test('[ZON8] what says so stays where it is, on either side', () => {
    const text = policy('ns', to(service()), 'MeshTimeout', { 'kuma.io/kds-sync': 'disabled' });
    expect(plan(new Folder(zone('zone-1'), text), new Folder(global)).actions[0]!.reason).toMatch(
      /kuma.io\/kds-sync/,
    );
    const own = policy('kuma-system', to(service()), 'MeshTimeout', { 'kuma.io/kds-sync': 'disabled' });
    expect(plan(new Folder(global, own), new Folder(zone('zone-1'))).actions[0]!.reason).toMatch(
      /kuma.io\/kds-sync/,
    );
  });
});

describe('what is wrong with a Global', () => {
  const violations = (text: string, from: string, way: 'up' | 'down') => {
    const [middle, one] = [new Folder(global, text), new Folder(zone(from))];
    return (way === 'up' ? plan(one, middle) : plan(middle, one)).violations.map(formatViolation);
  };

  test.each(['up', 'down'] as const)('[ZON12] a policy of a custom namespace (%s)', (way) => {
    expect(violations(policy('ns', to(service())), 'zone-1', way)).toEqual([
      'own.yaml:1:90: metadata.namespace: got the namespace "ns" of a MeshTimeout of global, want "kuma-system" (policies of other namespaces are written in zones)',
    ]);
    expect(violations(policy('kuma-system', to(service())), 'zone-1', way)).toEqual([]);
    expect(violations(policy('ns', {}, 'Dataplane'), 'zone-1', way)).toEqual([]);
  });

  test.each(['up', 'down'] as const)('[ZON12] zones, and not this one among them (%s)', (way) => {
    const listed = 'type: Zone\nname: zone-1\n---\ntype: Zone\nname: zone-2\n';
    expect(violations(listed, 'zone-x', way)).toEqual([
      'own.yaml:1:1: (root): got the zone "zone-x", and global has "zone-1" and "zone-2" (did you mean "zone-1"?)',
    ]);
    expect(violations(listed, 'zone-2', way)).toEqual([]);
  });
});
