import { describe, expect, test } from 'vitest';
import { Confs } from '../../../src/policy/merge/confs.ts';
import { explicit } from '../../../src/policy/targets/explicit.ts';
import { confOf, loadedText, rulesOf, toService } from './loading.ts';

/** The paper on namespaces, as merged confs show it. */

const timeout = (name: string, spec: string, metadata = '') => `
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata: {name: ${name}${metadata === '' ? '' : `, ${metadata}`}}
spec: ${spec}
---`;
const to = (name: string, says: string, namespace = '') =>
  `{to: [{targetRef: {kind: MeshService, name: ${name}${namespace === '' ? '' : `, namespace: ${namespace}`}}, default: {${says}}}]}`;
const proxy = (name: string, namespace: string, outbounds: string) => `
type: Dataplane
name: ${name}
labels: {k8s.kuma.io/namespace: ${namespace}, kuma.io/zone: zone-1}
networking:
  inbound: [{port: 80, tags: {kuma.io/service: ${name}_${namespace}_svc_80}}]
  outbound: [${outbounds}]
---`;
const backend = '{port: 9, tags: {kuma.io/service: backend_backend-ns_svc_80}}';
const world = [proxy('frontend', 'frontend-ns', backend), proxy('other', 'other-ns', backend)].join('\n');

const inNamespace = (namespace: string) => `namespace: ${namespace}, labels: {kuma.io/zone: zone-1}`;

describe('producers and consumers', () => {
  const producer = timeout('produced', to('backend', 'a: producer, b: producer'), inNamespace('backend-ns'));
  const consumer = timeout(
    'consumed',
    to('backend', 'a: consumer', 'backend-ns'),
    inNamespace('frontend-ns'),
  );
  const system = timeout('system', to('backend', 'a: system, b: system, c: system', 'backend-ns'));
  const loaded = loadedText([producer, consumer, system, world].join('\n'));

  test('[MRG6] what a producer says is for all clients of its service; a consumer refines it for its own', () => {
    expect(toService(confOf(loaded, 'default/frontend', 'MeshTimeout'), 'backend')).toEqual({
      conf: { a: 'consumer', b: 'producer', c: 'system' },
      by: { a: 'consumed', b: 'produced', c: 'system' },
    });
    expect(toService(confOf(loaded, 'default/other', 'MeshTimeout'), 'backend')?.conf).toEqual({
      a: 'producer',
      b: 'producer',
      c: 'system',
    });
  });

  test('[MRG6] written out in full, policies come to the same', () => {
    const written = { ...loaded, targeted: loaded.targeted.map((one) => explicit(one)) };
    for (const dataplane of loaded.inventory.dataplanes.values())
      expect(JSON.stringify(new Confs(written).of(dataplane)[0]?.outbounds)).toBe(
        JSON.stringify(new Confs(loaded).of(dataplane)[0]?.outbounds),
      );
  });

  test('[MRG6] a workload owner governs its own workloads', () => {
    const owner = timeout('owner', '{from: [{default: {a: owner}}]}', inNamespace('frontend-ns'));
    const of = loadedText([owner, world].join('\n'));
    expect(rulesOf(confOf(of, 'default/frontend', 'MeshTimeout')!.inbounds[0]?.conf)).toEqual([
      ['', { a: 'owner' }],
    ]);
    expect(confOf(of, 'default/other', 'MeshTimeout')).toBeUndefined();
  });
});

describe('the order of merging', () => {
  const whole = (name: string, metadata: string, top = '') =>
    timeout(name, `{${top}to: [{targetRef: {kind: Mesh}, default: {a: ${name}}}]}`, metadata);
  const winner = (...policies: readonly string[]) => {
    const [conf] = new Confs(loadedText([...policies, world].join('\n'))).of(
      loadedText(world).inventory.dataplanes.get('default/frontend')!,
    );
    return toService(conf, 'backend')?.by['a'];
  };

  test('[MRG6] the kind goes before the origin', () => {
    const subset = 'targetRef: {kind: MeshSubset, tags: {kuma.io/zone: zone-1}}, ';
    expect(
      winner(
        whole('narrow', 'labels: {kuma.io/origin: global}', subset),
        whole('zone', 'labels: {kuma.io/origin: zone}'),
      ),
    ).toBe('narrow');
  });

  test('[MRG6] then zone over unset over global', () => {
    const [zone, unset, global] = [
      whole('zone', 'labels: {kuma.io/origin: zone}'),
      whole('unset', ''),
      whole('global', 'labels: {kuma.io/origin: global}'),
    ];
    expect(winner(global!, unset!, zone!)).toBe('zone');
    expect(winner(unset!, global!)).toBe('unset');
  });

  test('[MRG6] then the smaller name', () => {
    expect(winner(whole('aaa', ''), whole('bbb', ''))).toBe('aaa');
    const larger = '\ntype: Mesh\nname: default\nnameOrder: larger-wins\n---';
    expect(winner(whole('aaa', ''), whole('bbb', ''), larger)).toBe('bbb');
  });
});
