import { expect, test } from 'vitest';
import { loadValues, violationsIn } from '../loading.ts';

const site = {
  type: 'Site',
  name: 'eu-1',
  trustDomains: ['td.example', { name: 'vm.example', template: '/{k8s:ns}/{k8s:sa}' }],
};
const workload = (spiffeId: string, metadata: object = { name: 'w', namespace: 'evil' }) => ({
  apiVersion: 'placet.dev/v1alpha1',
  kind: 'Workload',
  metadata,
  spec: { spiffeId },
});

test('[INV1] a Workload of Kubernetes has no ID that is of another namespace', () => {
  const said = (...documents: readonly unknown[]) => violationsIn(loadValues(site, ...documents));
  const foreign = 'spiffe://td.example/ns/shop/sa/web';
  const message = `got "${foreign}", which is of the namespace "shop", want an ID of its own namespace "evil"`;
  expect(said(workload(foreign))).toEqual([expect.stringContaining(message)]);
  expect(said(workload('spiffe://vm.example/shop/web'))).toHaveLength(1);
  expect(said(workload('spiffe://td.example/ns/evil/sa/web'))).toEqual([]);
  // Of which namespace these are nobody can tell.
  expect(said(workload('spiffe://td.example/workload/vm'))).toEqual([]);
  expect(said(workload('spiffe://elsewhere/ns/shop/sa/web'))).toEqual([]);
  // Whoever writes a file of the operator's speaks for all of them.
  expect(said({ type: 'Workload', name: 'w', namespace: 'evil', spiffeId: foreign })).toEqual([]);
});
