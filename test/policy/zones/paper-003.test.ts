import { describe, expect, test } from 'vitest';
import { syncedName } from '../../../src/policy/zones/suffix.ts';
import { digest, Folder, global, plan, reasonFor, sync, zone } from './syncing.ts';

/**
 * The paper's examples of what goes where. The suffixes in it (`w3r3jwi90l8dyuix`) are made up: ours have the same
 * length, are as stable, and have other values.
 */

/** Through Global to the other zone. */
function through(text: string, ...others: string[]): Folder[] {
  const one = new Folder(zone('zone-1'), text);
  const middle = new Folder(global);
  const two = new Folder(zone('zone-2'), others.join('\n---\n'));
  sync(one, middle);
  sync(two, middle);
  sync(middle, one);
  sync(middle, two);
  return [one, middle, two];
}

const hashed = (name: string, namespace: string, longest = 253, from = 'zone-1') =>
  syncedName({ mesh: 'default', name, zone: from, namespace }, longest, digest);

describe('a policy of zone-1 that references a MeshService of zone-1', () => {
  const text = `
apiVersion: kuma.io/v1alpha1
kind: MeshService
metadata:
  name: backend
  namespace: backend-ns
---
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata:
  name: producer-timeout
  namespace: backend-ns
spec:
  to:
    - targetRef:
        kind: MeshService
        name: backend
      default: {}
`;
  const [, middle, two] = through(text);

  test('[ZON4] [ZON9] is in zone-2 as the paper has it', () => {
    const backend = hashed('backend', 'backend-ns', 63);
    const timeout = hashed('producer-timeout', 'backend-ns');
    expect(backend).toMatch(/^backend-[a-z0-9]{16}$/);
    expect(timeout).toMatch(/^producer-timeout-[a-z0-9]{16}$/);
    expect(two!.copy('MeshService', 'backend')).toEqual({
      apiVersion: 'kuma.io/v1alpha1',
      kind: 'MeshService',
      metadata: {
        name: backend,
        namespace: 'kuma-system',
        labels: {
          'kuma.io/zone': 'zone-1',
          'k8s.kuma.io/namespace': 'backend-ns',
          'kuma.io/display-name': 'backend',
          // Beside the paper's three labels.
          'kuma.io/mesh': 'default',
          'kuma.io/origin': 'global',
        },
      },
    });
    expect(two!.copy('MeshTimeout', 'producer-timeout')).toEqual({
      apiVersion: 'kuma.io/v1alpha1',
      kind: 'MeshTimeout',
      metadata: {
        name: timeout,
        namespace: 'kuma-system',
        labels: {
          'kuma.io/zone': 'zone-1',
          'k8s.kuma.io/namespace': 'backend-ns',
          'kuma.io/display-name': 'producer-timeout',
          'kuma.io/mesh': 'default',
          'kuma.io/origin': 'global',
          'kuma.io/policy-role': 'producer',
        },
      },
      spec: {
        to: [{ targetRef: { kind: 'MeshService', name: backend, namespace: 'kuma-system' }, default: {} }],
      },
    });
  });

  test('[ZON4] [ZON9] is rewritten on its way into Global already, where its origin is a zone', () => {
    const { metadata, spec } = middle!.copy('MeshTimeout', 'producer-timeout');
    expect(metadata.labels['kuma.io/origin']).toBe('zone');
    expect(spec).toEqual(two!.copy('MeshTimeout', 'producer-timeout').spec);
  });
});

describe('a policy of zone-2 that references a MeshHTTPRoute of zone-1', () => {
  // The paper calls the route backend-v2 where it is written and backend-route where it is referred to; it is
  // backend-route here, so that there is something that the references lead to.
  const one = `
apiVersion: kuma.io/v1alpha1
kind: MeshHTTPRoute
metadata:
  name: backend-route
  namespace: backend-ns
  labels:
    kuma.io/zone: zone-1
spec:
  to:
    - targetRef:
        kind: MeshService
        name: backend
      rules:
        - matches:
            - path:
                type: PathPrefix
                value: /v2
          default:
            backendRefs:
              - kind: MeshServiceSubset
                name: backend
                tags:
                  version: v2
---
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata:
  name: backend-route-timeout
  namespace: backend-ns
  labels:
    kuma.io/zone: zone-1
spec:
  to:
    - targetRef:
        kind: MeshHTTPRoute
        name: backend-route
      default:
        http:
          requestTimeout: 5s
`;
  const consumer = `
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata:
  name: frontend-to-backend
  namespace: frontend-ns
  labels:
    kuma.io/zone: zone-2
spec:
  to:
    - targetRef:
        kind: MeshHTTPRoute
        labels:
          kuma.io/display-name: backend-route
          k8s.kuma.io/namespace: backend-ns
          kuma.io/zone: zone-1
      default:
        http:
          requestTimeout: 3s
`;
  const [first, middle, two] = through(one, consumer);

  test('[ZON9] the route and the policy of its owner come to zone-2 with references that hold there', () => {
    const backend = { name: hashed('backend', 'backend-ns', 63), namespace: 'kuma-system' };
    expect(two!.kinds()).toEqual(['MeshHTTPRoute backend-route', 'MeshTimeout backend-route-timeout']);
    const route = two!.copy('MeshHTTPRoute', 'backend-route');
    expect(route.spec.to[0].targetRef).toEqual({ kind: 'MeshService', ...backend });
    expect(route.spec.to[0].rules[0].default.backendRefs).toEqual([
      { kind: 'MeshServiceSubset', ...backend, tags: { version: 'v2' } },
    ]);
    expect(route.spec.to[0].rules[0].matches).toEqual([{ path: { type: 'PathPrefix', value: '/v2' } }]);
    expect(two!.copy('MeshTimeout', 'backend-route-timeout').spec.to[0].targetRef).toEqual({
      kind: 'MeshHTTPRoute',
      name: route.metadata.name,
      namespace: 'kuma-system',
    });
  });

  test('[ZON8] [ZON9] the consumer, which refers by labels, is seen in Global as it is and does not come to zone-1', () => {
    const { spec, metadata } = middle!.copy('MeshTimeout', 'frontend-to-backend');
    expect(metadata.labels['kuma.io/policy-role']).toBe('consumer');
    const [written] = documents(consumer);
    expect(spec).toEqual(written.spec);
    expect(first!.kinds()).toEqual([]);
    expect(reasonFor(plan(middle!, first!).actions, 'MeshTimeout', metadata.name)).toMatch(
      /^skip: a consumer policy/,
    );
  });

  test('[ZON9] what the labels select is in zone-2 with the same labels', () => {
    const [written] = documents(consumer);
    const wanted = written.spec.to[0].targetRef.labels;
    expect(two!.copy('MeshHTTPRoute', 'backend-route').metadata.labels).toMatchObject(wanted);
  });
});

describe('what the top-level targetRef says of zones', () => {
  const producer = `
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata:
  name: p
  namespace: backend-ns
spec:
  to:
    - targetRef:
        kind: MeshService
        name: backend
`;
  const consumer = producer
    .replace('name: p', 'name: c')
    .replace('namespace: backend-ns', 'namespace: frontend-ns')
    .concat('        namespace: backend-ns\n');

  test('[ZON8] a producer says nothing of a zone and goes to all, a consumer is bound to its own', () => {
    const [, middle, two] = through(`${producer}---${consumer}`);
    expect(middle!.kinds()).toEqual(['MeshTimeout c', 'MeshTimeout p']);
    expect(two!.kinds()).toEqual(['MeshTimeout p']);
  });

  test('[ZON8] [ZON9] a producer for a MeshGateway goes like any other', () => {
    const [, , two] = through(`
apiVersion: kuma.io/v1alpha1
kind: MeshCircuitBreaker
metadata:
  name: circuit-breaker
  namespace: frontend-ns
spec:
  targetRef:
    kind: MeshGateway
    name: edge-gateway
  to:
  - targetRef:
      kind: MeshService
      name: frontend
    default:
      outlierDetection: { detectors: { totalFailures: { consecutive: 10 } } }
`);
    expect(two!.copy('MeshCircuitBreaker', 'circuit-breaker').spec).toEqual({
      targetRef: { kind: 'MeshGateway', name: 'edge-gateway' },
      to: [
        {
          targetRef: {
            kind: 'MeshService',
            name: hashed('frontend', 'frontend-ns', 63),
            namespace: 'kuma-system',
          },
          default: { outlierDetection: { detectors: { totalFailures: { consecutive: 10 } } } },
        },
      ],
    });
  });
});

function documents(text: string) {
  return new Folder(zone('any'), text)
    .documents()
    .map(({ value }) => value as { spec: { to: [{ targetRef: { labels: object } }] } }) as [
    { spec: { to: [{ targetRef: { labels: object } }] } },
  ];
}
