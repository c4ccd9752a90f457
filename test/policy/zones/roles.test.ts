import { describe, expect, test } from 'vitest';
import { Folder, global, sync, type Value, zone } from './syncing.ts';
import { policy, service, to } from './writing.ts';

describe('roles', () => {
  test.each<[string, string]>([
    ['producer', policy('ns', to(service()))],
    ['consumer', policy('ns', to(service('other')))],
    ['workload-owner', policy('ns', { from: [{ default: {} }] })],
    ['system', policy('kuma-system', to(service()))],
  ])('[ZON4] a %s is labelled so, whatever it says itself', (role, text) => {
    const lying = JSON.parse(text) as Value;
    lying.metadata.labels['kuma.io/policy-role'] = role === 'producer' ? 'consumer' : 'producer';
    const middle = new Folder(global);
    sync(new Folder(zone('zone-1'), JSON.stringify(lying)), middle);
    expect(middle.copies()[0].metadata.labels['kuma.io/policy-role']).toBe(role);
  });

  test('[ZON4] [ZON8] what looks like a copy of its owner has the role that it has', () => {
    const labels = { 'kuma.io/display-name': 'other', 'kuma.io/policy-role': 'producer' };
    const middle = new Folder(global);
    sync(new Folder(zone('zone-1'), policy('ns', to(service('other')), 'MeshTimeout', labels)), middle);
    expect(middle.copies()[0].metadata.labels['kuma.io/policy-role']).toBe('consumer');
  });

  test('[ZON4] what is no policy has no role', () => {
    const middle = new Folder(global);
    const text = policy('ns', {}, 'MeshService', { 'kuma.io/policy-role': 'producer', team: 'a' });
    sync(new Folder(zone('zone-1'), text), middle);
    expect(middle.copies()[0].metadata.labels).toEqual({
      'k8s.kuma.io/namespace': 'ns',
      'kuma.io/display-name': 'p',
      'kuma.io/mesh': 'default',
      'kuma.io/origin': 'zone',
      'kuma.io/zone': 'zone-1',
      team: 'a',
    });
  });

  test("[ZON8] where zones have another system namespace, that one is the operator's", () => {
    const side = { zone: 'zone-1', systemNamespace: 'mesh-system' };
    const middle = new Folder(global);
    sync(new Folder(side, policy('mesh-system', to(service()))), middle);
    expect(middle.copies()[0].metadata.labels['kuma.io/policy-role']).toBe('system');
  });

  test.each([
    { to: null },
    { to: 'x' },
    { to: [null, 1, {}] },
    { to: [{ targetRef: null }] },
    { to: [{ targetRef: { kind: 7, labels: null } }] },
    { to: [{ targetRef: { kind: 'MeshService', labels: null, name: 3 } }] },
    { targetRef: { kind: 'MeshSubset', tags: null }, to: [] },
    { to: [{ targetRef: { kind: 'constructor', name: 'toString' } }] },
    null,
    'x',
    [],
  ])('[ZON8] a kind that nobody has read may hold anything: %j', (spec) => {
    const middle = new Folder(global);
    const value = {
      apiVersion: 'kuma.io/v1alpha1',
      kind: 'MeshRetry',
      metadata: { name: 'p', namespace: 'ns' },
      spec,
    };
    sync(new Folder(zone('zone-1'), JSON.stringify(value)), middle);
    expect(middle.kinds()).toEqual(['MeshRetry p']);
    const two = new Folder(zone('zone-2'));
    sync(middle, two);
    expect(two.kinds()).toEqual([]);
  });
});
