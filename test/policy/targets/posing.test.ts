import { expect, test } from 'vitest';
import { createEngine } from '../../../src/pdp/engine.ts';
import { shippedKinds } from '../../../src/policy/files.ts';
import { type Loaded, load as loadDocuments } from '../../../src/policy/load.ts';
import { parseText } from '../../../src/policy/text/parse.ts';
import { digest } from '../loading.ts';

/** Policies that say by labels that they are somebody else's. */

const world = `
type: Mesh
name: default
certificates: tags
---
type: Dataplane
name: backend
labels: {k8s.kuma.io/namespace: shop}
networking: {inbound: [{port: 80, tags: {kuma.io/service: backend}}]}
---`;
const permission = (namespace: string, labels: string) => `
apiVersion: kuma.io/v1alpha1
kind: MeshTrafficPermission
metadata: {name: p, namespace: ${namespace}, labels: {${labels}}}
spec: {from: [{default: {action: Allow}}]}
---`;
const load = (...documents: readonly string[]): Loaded =>
  loadDocuments(parseText(world + documents.join('\n')).documents, digest, shippedKinds());
const violationsIn = ({ violations }: Loaded) =>
  violations.map(({ path, message }) => `${path.at(-1)}: ${message}`);

function verdict(...documents: readonly string[]): string {
  const { rules, inventory, snapshot } = load(...documents);
  const source = { mesh: 'default', tags: { 'kuma.io/service': 'web' } };
  return createEngine(rules, inventory, snapshot).decide({ source, destination: { dataplane: 'backend' } })
    .decision;
}

test.each(['kuma-system', 'shop'])('[NS2] a label of the namespace %s gives a policy nothing', (other) => {
  const posing = permission('evil', `k8s.kuma.io/namespace: ${other}`);
  expect(verdict(posing)).toBe('deny');
  expect(violationsIn(load(posing))).toEqual([
    `k8s.kuma.io/namespace: got "${other}", want "evil", in which it lies: only synchronised copies are of another namespace, and they lie in "kuma-system"`,
  ]);
  // The copy of a policy that lies there.
  expect(verdict(permission('kuma-system', 'k8s.kuma.io/namespace: shop, kuma.io/display-name: q'))).toBe(
    'allow',
  );
});

test('[NS2] a label of another name makes no copy of it, so that no label says its role', () => {
  const posing = `
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata: {name: t, namespace: evil, labels: {kuma.io/display-name: other, kuma.io/policy-role: producer}}
spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 1s}}]}
`;
  expect(violationsIn(load(posing))).toEqual([
    'kuma.io/policy-role: got "producer", want "consumer", which is what the policy is by its namespace and its arrays',
  ]);
});

test('[NS2] one that poses as another does not stand in the way of it', () => {
  const timeout = (namespace: string, labels: string, seconds: number) => `
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata: {name: t, namespace: ${namespace}, labels: {${labels}}}
spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: ${seconds}s}}]}
---`;
  const loaded = load(timeout('shop', '', 1), timeout('evil', 'k8s.kuma.io/namespace: shop', 2));
  expect(loaded.targeted.map(({ head }) => head.namespace)).toEqual(['shop']);
  expect(loaded.statuses).toEqual([]);
});
