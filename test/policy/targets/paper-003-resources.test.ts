import { describe, expect, test } from 'vitest';
import { explicit } from '../../../src/policy/targets/explicit.ts';
import { roleOf } from '../../../src/policy/targets/role.ts';
import { loadYaml, saidOf } from './loading.ts';
import { document, one, toBackend } from './paper-003.documents.ts';

/** Paper 003's examples of gateways, of routes, and of references over zones. */

describe('MeshGateway', () => {
  const top = 'targetRef: {kind: MeshGateway, name: edge-gateway}';
  const toFrontend = `
to:
  - targetRef:
      kind: MeshService
      name: frontend
    default:
      outlierDetection: {detectors: {totalFailures: {consecutive: 10}}}`;

  test('[NS10] a producer of a kind that configures clusters may target it', () => {
    const text = document('MeshCircuitBreaker', 'frontend-ns', top + toFrontend);
    expect(saidOf(loadYaml(text))).toEqual([]);
    expect(roleOf(one(text))).toBe('producer');
    expect(explicit(one(text)).to![0]!.targetRef.namespace).toBe('frontend-ns');
  });

  test('[NS10] a consumer may not', () => {
    const text = document('MeshCircuitBreaker', 'finance-ns', toBackend('backend-ns', top));
    expect(saidOf(loadYaml(text))).toEqual([
      expect.stringContaining('got "MeshGateway" in the namespace "finance-ns", want another kind'),
    ]);
  });

  test('[NS10] nor a producer of another kind, nor an owner of workloads', () => {
    expect(saidOf(loadYaml(document('MeshRetry', 'frontend-ns', top + toFrontend)))).toHaveLength(1);
    expect(
      saidOf(loadYaml(document('MeshProxyPatch', 'frontend-ns', `${top}\ndefault: {a: 1}`))),
    ).toHaveLength(1);
    expect(saidOf(loadYaml(document('MeshRetry', 'kuma-system', top + toFrontend)))).toEqual([]);
  });

  const route = (namespace: string, to: string) =>
    document(
      'MeshHTTPRoute',
      namespace,
      `${top}
to:
  - targetRef: {kind: Mesh}
    rules:
      - matches: [{path: {type: PathPrefix, value: /internal}}]
        default:
          backendRefs: [{kind: MeshService, name: internal, namespace: ${to}}]`,
    );

  test('[NS12] a route of a gateway is refused in a namespace, and its backends elsewhere', () => {
    expect(saidOf(loadYaml(route('payments-ns', 'internal-ns')))).toEqual([
      expect.stringContaining('spec.targetRef.kind: got a route of a gateway in the namespace "payments-ns"'),
      expect.stringContaining(
        'spec.to[0].rules[0].default.backendRefs[0].namespace: got "internal-ns", want "payments-ns"',
      ),
    ]);
    expect(saidOf(loadYaml(route('payments-ns', 'payments-ns')))).toHaveLength(1);
    expect(saidOf(loadYaml(route('kuma-system', 'internal-ns')))).toEqual([]);
  });
});

describe('references', () => {
  const zone2 = `
apiVersion: kuma.io/v1alpha1
kind: MeshService
metadata:
  name: backend-w3r3jwi90l8dyuix
  namespace: kuma-system
  labels:
    kuma.io/zone: zone-1
    k8s.kuma.io/namespace: backend-ns
    kuma.io/display-name: backend
spec: {}
---
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata:
  name: producer-timeout-qwea89uy739jdgmu
  namespace: kuma-system
  labels:
    kuma.io/zone: zone-1
    k8s.kuma.io/namespace: backend-ns
    kuma.io/display-name: producer-timeout
spec:
  to:
    - targetRef:
        kind: MeshService
        name: backend-w3r3jwi90l8dyuix
        namespace: kuma-system
      default: {}
`;

  test('[NS2] [REF5] a synchronised producer is one still, and its reference leads to the copy of its service', () => {
    const loaded = loadYaml(zone2);
    expect(saidOf(loaded)).toEqual([]);
    expect(loaded.statuses).toEqual([]);
    const [policy] = loaded.targeted;
    expect(roleOf(policy!)).toBe('producer');
    const [found] = loaded.resources.resolve(explicit(policy!).to![0]!.targetRef, 'default');
    expect(found?.head.name).toBe('backend-w3r3jwi90l8dyuix');
  });

  test('[NS2] without what its references lead to, or with that of another namespace, it is taken for a consumer', () => {
    const alone = zone2.slice(zone2.indexOf('---'));
    expect(roleOf(loadYaml(alone).targeted[0]!)).toBe('consumer');
    const others = zone2.replace('k8s.kuma.io/namespace: backend-ns', 'k8s.kuma.io/namespace: other-ns');
    expect(roleOf(loadYaml(others).targeted[0]!)).toBe('consumer');
    const labelled = alone.replace('  labels:\n', '  labels:\n    kuma.io/policy-role: producer\n');
    expect(roleOf(loadYaml(labelled).targeted[0]!)).toBe('producer');
  });

  // The paper's route is called backend-v2, and its policies refer to backend-route: the latter name is taken here.
  const zone1 = `
apiVersion: kuma.io/v1alpha1
kind: MeshHTTPRoute
metadata: {name: backend-route, namespace: backend-ns, labels: {kuma.io/zone: zone-1}}
spec:
  to:
    - targetRef: {kind: MeshService, name: backend}
      rules:
        - matches: [{path: {type: PathPrefix, value: /v2}}]
          default:
            backendRefs: [{kind: MeshServiceSubset, name: backend, tags: {version: v2}}]
---
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata: {name: backend-route-timeout, namespace: backend-ns, labels: {kuma.io/zone: zone-1}}
spec:
  to:
    - targetRef: {kind: MeshHTTPRoute, name: backend-route}
      default: {http: {requestTimeout: 5s}}
---
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata: {name: frontend-to-backend, namespace: frontend-ns, labels: {kuma.io/zone: zone-2}}
spec:
  to:
    - targetRef:
        kind: MeshHTTPRoute
        labels:
          kuma.io/display-name: backend-route
          k8s.kuma.io/namespace: backend-ns
          kuma.io/zone: zone-1
      default: {http: {requestTimeout: 3s}}
`;

  test('[REF5] [NS1] by name a producer, by labels a consumer reaches the same route', () => {
    const loaded = loadYaml(zone1);
    expect(saidOf(loaded)).toEqual([]);
    expect(loaded.statuses).toEqual([]);
    expect(loaded.targeted.map(roleOf)).toEqual(['producer', 'consumer']);
    for (const policy of loaded.targeted) {
      const [found] = loaded.resources.resolve(explicit(policy).to![0]!.targetRef, 'default');
      expect(found?.head.name).toBe('backend-route');
    }
  });
});
