import { describe, expect, test } from 'vitest';
import { explicit } from '../../../src/policy/targets/explicit.ts';
import { byStrength } from '../../../src/policy/targets/order.ts';
import { roleOf } from '../../../src/policy/targets/role.ts';
import { loadYaml, policiesIn, saidOf } from './loading.ts';
import { conf, document, one, timeout, toBackend } from './paper-003.documents.ts';

/**
 * Paper 003's examples, by its sections. The paper leaves out apiVersion, kind, name and conf; they are filled in here,
 * and `default: $conf` is a conf. Its zone's name stands in the label that its webhook would set.
 */

describe('producers and consumers', () => {
  test('[NS1] a policy in the namespace of the service it refers to is a producer', () => {
    expect(roleOf(one(timeout('backend-ns', toBackend('backend-ns', 'targetRef: {kind: Mesh}'))))).toBe(
      'producer',
    );
  });

  test('[NS1] [NS3] a policy elsewhere is a consumer, and its MeshSubset has the namespace and the zone', () => {
    const top = 'targetRef:\n  kind: MeshSubset\n  tags: {kuma.io/service: frontend_frontend-ns_svc_8080}';
    const policy = one(timeout('frontend-ns', toBackend('backend-ns', top)));
    expect(roleOf(policy)).toBe('consumer');
    expect(explicit(policy).targetRef).toEqual({
      kind: 'MeshSubset',
      tags: {
        'kuma.io/service': 'frontend_frontend-ns_svc_8080',
        'k8s.kuma.io/namespace': 'frontend-ns',
        'kuma.io/zone': 'zone-1',
      },
    });
  });

  test.each(['MeshTrace', 'MeshMetric', 'MeshProxyPatch'])('[NS1] %s is of the workload owner', (kind) => {
    expect(roleOf(one(document(kind, 'backend-ns', 'default: {a: 1}')))).toBe('workload-owner');
  });

  test('[NS1] so is MeshTrafficPermission', () => {
    const text = document('MeshTrafficPermission', 'backend-ns', 'from:\n  - default: {action: Allow}');
    expect(roleOf(one(text))).toBe('workload-owner');
  });

  test.each([
    ['consumer', toBackend('backend-ns', 'targetRef: {kind: Mesh}')],
    ['workload-owner', `targetRef: {kind: Mesh}\nfrom:\n  - targetRef: {kind: Mesh}\n    ${conf}`],
  ])('[NS3] despite targeting Mesh, a %s is for the pods of its namespace and zone', (role, spec) => {
    const policy = one(timeout('frontend-ns', spec));
    expect(roleOf(policy)).toBe(role);
    expect(explicit(policy).targetRef).toEqual(subset('frontend-ns', 'zone-1'));
  });
});

function subset(namespace: string, zone: string) {
  return { kind: 'MeshSubset', tags: { 'k8s.kuma.io/namespace': namespace, 'kuma.io/zone': zone } };
}

const writtenSubset = (namespace: string, zone: string) =>
  `targetRef:\n  kind: MeshSubset\n  tags:\n    k8s.kuma.io/namespace: ${namespace}\n    kuma.io/zone: ${zone}`;

describe('equivalences, pair by pair', () => {
  const fromMesh = `from:\n  - targetRef: {kind: Mesh}\n    ${conf}`;
  test.each([
    [
      'producer',
      timeout('backend-ns', toBackend()),
      timeout('backend-ns', toBackend('backend-ns', 'targetRef: {kind: Mesh}')),
    ],
    [
      'workload-owner',
      timeout('backend-ns', fromMesh, 'zone-with-backend'),
      timeout(
        'backend-ns',
        `${writtenSubset('backend-ns', 'zone-with-backend')}\n${fromMesh}`,
        'zone-with-backend',
      ),
    ],
    [
      'consumer',
      timeout('frontend-ns', toBackend('backend-ns'), 'zone-with-frontend'),
      timeout(
        'frontend-ns',
        toBackend('backend-ns', writtenSubset('frontend-ns', 'zone-with-frontend')),
        'zone-with-frontend',
      ),
    ],
    [
      'workload-owner',
      timeout('backend-ns', 'from:\n  - default: {}', 'zone-with-backend'),
      timeout(
        'backend-ns',
        `${writtenSubset('backend-ns', 'zone-with-backend')}\nfrom:\n  - targetRef: {kind: Mesh}\n    default: {}`,
        'zone-with-backend',
      ),
    ],
  ])('[NS3] [NS4] %s', (role, sugar, full) => {
    const [short, long] = [one(sugar), one(full)];
    expect([roleOf(short), roleOf(long)]).toEqual([role, role]);
    const { targetRef, to, from } = explicit(short);
    expect({ targetRef, to, from }).toEqual({ targetRef: long.targetRef, to: long.to, from: long.from });
    expect(explicit(explicit(short))).toEqual(explicit(short));
  });

  test('[NS3] where no label names the zone, it may be named by hand', () => {
    const text = timeout('frontend-ns', toBackend('backend-ns')).replace(
      '  labels: {kuma.io/zone: zone-1}\n',
      '',
    );
    expect(explicit(one(text), 'zone-7').targetRef).toEqual(subset('frontend-ns', 'zone-7'));
    expect(explicit(one(text)).targetRef).toEqual({
      kind: 'MeshSubset',
      tags: { 'k8s.kuma.io/namespace': 'frontend-ns' },
    });
  });
});

describe('validation', () => {
  test('[NS8] items for local and other namespaces in one policy are refused', () => {
    const redis = '\n  - targetRef: {kind: MeshService, name: redis, namespace: redis-ns}\n    default: {}';
    expect(saidOf(loadYaml(timeout('finance-ns', toBackend('finance-ns') + redis)))).toEqual([
      expect.stringContaining(
        `spec.to[1].targetRef: got a destination outside of the namespace "finance-ns" after one in it in to[0], want them in two policies`,
      ),
    ]);
  });

  test('[NS9] from and to at once are refused in a namespace, and accepted in that of the system', () => {
    const both = `${toBackend()}\nfrom:\n  - ${conf}`;
    expect(saidOf(loadYaml(timeout('backend-ns', both)))).toEqual([
      expect.stringContaining('spec.from: got "to" and "from" in the namespace "backend-ns"'),
    ]);
    expect(saidOf(loadYaml(timeout('kuma-system', both)))).toEqual([]);
    const rules = `${toBackend()}\nrules:\n  - default: {}`;
    expect(saidOf(loadYaml(timeout('backend-ns', rules)))).toEqual([
      expect.stringContaining('spec.rules: got "to" and "rules" in the namespace "backend-ns"'),
    ]);
  });

  test('[NS7] a custom namespace is on zones only', () => {
    const global = timeout('backend-ns', toBackend()).replace(
      'kuma.io/zone: zone-1',
      'kuma.io/origin: global',
    );
    expect(saidOf(loadYaml(global))).toEqual([
      expect.stringContaining('metadata.namespace: got "backend-ns", want'),
    ]);
    expect(saidOf(loadYaml(global.replace('namespace: backend-ns', 'namespace: kuma-system')))).toEqual([]);
    const unlabelled = timeout('backend-ns', toBackend()).replace('kuma.io/zone: zone-1', '');
    expect(saidOf(loadYaml(unlabelled))).toEqual([]);
    const zones = '---\ntype: Zone\nname: zone-1\n';
    expect(saidOf(loadYaml(unlabelled + zones))).toHaveLength(1);
    expect(saidOf(loadYaml(timeout('backend-ns', toBackend()) + zones))).toEqual([]);
    expect(saidOf(loadYaml(`${unlabelled}${zones}---\ntype: Site\nname: zone-1\nspec: {}\n`))).toEqual([]);
  });
});

test('[NS6] [REF2] the order when merging: kind, origin, namespace, name', () => {
  const item =
    'to:\n  - targetRef: {kind: MeshService, name: backend, namespace: backend-ns}\n    default: {}';
  const policy = (name: string, namespace: string, top: string, labels: string) =>
    `---\nkind: MeshTimeout\napiVersion: kuma.io/v1alpha1\nmetadata: {name: ${name}, namespace: ${namespace}, labels: {${labels}}}\nspec:\n  targetRef: ${top}\n  ${item.replaceAll('\n', '\n  ')}\n`;
  const [global, zone] = ['kuma.io/origin: global', 'kuma.io/origin: zone, kuma.io/zone: z'];
  const weakestFirst = [
    policy('mesh-global', 'kuma-system', '{kind: Mesh}', global),
    policy('mesh-zone-b', 'kuma-system', '{kind: Mesh}', zone),
    policy('mesh-zone-a', 'kuma-system', '{kind: Mesh}', zone),
    policy('mesh-producer', 'backend-ns', '{kind: Mesh}', zone),
    policy('subset-global', 'kuma-system', '{kind: MeshSubset, tags: {a: b}}', global),
    policy('subset-zone', 'kuma-system', '{kind: MeshSubset, tags: {a: b}}', zone),
    policy('subset-producer', 'backend-ns', '{kind: MeshSubset, tags: {a: b}}', zone),
    // Of a namespace, so that it is a MeshSubset in full.
    policy('mesh-consumer', 'frontend-ns', '{kind: Mesh}', zone),
    policy('service-global', 'kuma-system', '{kind: MeshService, name: web}', global),
    policy('service-zone', 'kuma-system', '{kind: MeshService, name: web}', zone),
    policy('subset-of-service', 'kuma-system', '{kind: MeshServiceSubset, name: web, tags: {a: b}}', global),
  ];
  const names = weakestFirst.map((text) => /name: ([\w-]+)/.exec(text)![1]);
  for (const texts of [weakestFirst, weakestFirst.toReversed()]) {
    const sorted = [...policiesIn(texts.join(''))].sort(byStrength(() => undefined));
    expect(sorted.map(({ head }) => head.name)).toEqual(names);
  }
});
