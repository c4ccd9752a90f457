import { describe, expect, it } from 'vitest';
import { type Pod, podOf } from '../../../src/attributes/kubernetes/pod.ts';
import { Pods } from '../../../src/attributes/kubernetes/pods.ts';

let versions = 0;
interface Shape {
  readonly uid: string;
  readonly name?: string;
  readonly ips?: readonly string[];
  readonly phase?: string;
  readonly created?: string;
  readonly deleting?: boolean;
  readonly hostNetwork?: boolean;
  readonly account?: string;
  readonly version?: string;
  readonly labels?: object;
}
function pod(shape: Shape): Pod {
  const found = podOf({
    metadata: {
      uid: shape.uid,
      namespace: 'shop',
      name: shape.name ?? shape.uid,
      resourceVersion: shape.version ?? String(++versions),
      creationTimestamp: shape.created ?? '2026-01-01T00:00:00Z',
      ...(shape.deleting === true ? { deletionTimestamp: '2026-01-01T01:00:00Z' } : {}),
      labels: shape.labels ?? {},
    },
    spec: { serviceAccountName: shape.account ?? 'web', hostNetwork: shape.hostNetwork ?? false },
    status: { phase: shape.phase ?? 'Running', podIPs: (shape.ips ?? ['10.0.0.1']).map((ip) => ({ ip })) },
  });
  if (found === undefined) throw new Error('no pod');
  return found;
}
const owner = (pods: Pods, address = '10.0.0.1') => {
  const found = pods.ofAddress(address);
  return found.kind === 'pod' ? found.pod.uid : found.kind;
};

describe('[K1] whose an address is', () => {
  it('[K1] a live pod’s', () => {
    const pods = new Pods();
    pods.set(pod({ uid: 'a' }));
    expect(owner(pods)).toBe('a');
    expect(owner(pods, '10.0.0.2')).toBe('unknown');
    expect(owner(pods, 'no address')).toBe('unknown');
  });

  it.each([
    ['finished', { phase: 'Succeeded' }],
    ['failed', { phase: 'Failed' }],
    ['deleting', { deleting: true }],
  ])('[K1] a %s pod has none', (_, more) => {
    const pods = new Pods();
    pods.set(pod({ uid: 'a' }));
    pods.set(pod({ uid: 'a', ...more }));
    expect(owner(pods)).toBe('unknown');
    expect(pods.ofAccount('shop', 'web')).toEqual([]);
    expect(pods.byUid('a')).toBeDefined();
  });

  it('[K1] of two the newer one’s, whichever is seen first, and the older one’s again when that is gone', () => {
    const older = pod({ uid: 'old', created: '2026-01-01T00:00:00Z' });
    const newer = pod({ uid: 'new', created: '2026-01-01T00:00:09Z' });
    for (const order of [
      [older, newer],
      [newer, older],
    ]) {
      const pods = new Pods();
      for (const one of order) pods.set(one);
      expect(owner(pods)).toBe('new');
      pods.delete('new');
      expect(owner(pods)).toBe('old');
    }
  });

  it('[K1] of two made in the same second nobody’s', () => {
    const pods = new Pods();
    for (const uid of ['a', 'b']) pods.set(pod({ uid }));
    expect(owner(pods)).toBe('unknown');
    pods.set(pod({ uid: 'a', phase: 'Succeeded' }));
    expect(owner(pods)).toBe('b');
  });

  it('[K2] a list replaces what is known also where versions are the same', () => {
    const pods = new Pods();
    pods.set(pod({ uid: 'a', version: '7' }));
    pods.replace([pod({ uid: 'a', version: '7', ips: ['10.0.0.9'] })]);
    expect([owner(pods), owner(pods, '10.0.0.9')]).toEqual(['unknown', 'a']);
  });

  it('[K1] pods on the network of their node are told apart by nothing', () => {
    const pods = new Pods();
    pods.set(pod({ uid: 'a', hostNetwork: true }));
    pods.set(pod({ uid: 'b', hostNetwork: true }));
    pods.set(pod({ uid: 'c' }));
    expect(pods.ofAddress('10.0.0.1')).toMatchObject({ kind: 'host', pods: [{ uid: 'a' }, { uid: 'b' }] });
  });

  it('[K1] both addresses of a dual-stack pod, in every spelling', () => {
    const pods = new Pods();
    pods.set(pod({ uid: 'a', ips: ['10.0.0.1', 'FD00:0:0::00A'] }));
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:0a00:0001', 'fd00::a', 'fd00:0000::000a'])
      expect(owner(pods, address), address).toBe('a');
    for (const address of ['010.0.0.1', '10.0.0.1 ', 'fd00::a%eth0', '::10.0.0.1', '167772161'])
      expect(owner(pods, address), address).toBe('unknown');
  });

  it('[K1] an address that a pod no longer has is not its any more', () => {
    const pods = new Pods();
    pods.set(pod({ uid: 'a', ips: ['10.0.0.1'] }));
    pods.set(pod({ uid: 'a', ips: ['10.0.0.2'] }));
    expect([owner(pods), owner(pods, '10.0.0.2')]).toEqual(['unknown', 'a']);
  });
});

describe('[K2] events that come late, twice or not at all', () => {
  it('[K2] an older version does not undo a newer one', () => {
    const pods = new Pods();
    pods.set(pod({ uid: 'a', version: '10', ips: ['10.0.0.2'] }));
    pods.set(pod({ uid: 'a', version: '9' }));
    expect([owner(pods), owner(pods, '10.0.0.2')]).toEqual(['unknown', 'a']);
  });

  it('[K2] what is deleted does not come back, another pod of its name does', () => {
    const pods = new Pods();
    pods.set(pod({ uid: 'a', name: 'web-0' }));
    pods.delete('a');
    pods.delete('a');
    pods.set(pod({ uid: 'a', name: 'web-0' }));
    expect(pods.size).toBe(0);
    pods.set(pod({ uid: 'b', name: 'web-0' }));
    expect(owner(pods)).toBe('b');
  });

  it('[K2] a list replaces everything, older versions and all', () => {
    const pods = new Pods();
    pods.set(pod({ uid: 'a', version: '100' }));
    pods.set(pod({ uid: 'b', version: '101', ips: ['10.0.0.2'] }));
    pods.replace([pod({ uid: 'a', version: '5', ips: ['10.0.0.3'] })]);
    expect([pods.size, owner(pods), owner(pods, '10.0.0.2'), owner(pods, '10.0.0.3')]).toEqual([
      1,
      'unknown',
      'unknown',
      'a',
    ]);
  });

  it('[K2] after any storm it is what a fresh list makes of the same pods', () => {
    let state = 7;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >>> 8) % below;
    };
    for (let round = 0; round < 50; round++) {
      const truth = new Map<string, Pod>();
      const dead = new Set<string>();
      const pods = new Pods();
      const sent: Pod[] = [];
      for (let i = 0; i < 200; i++) {
        const uid = `u${random(20)}`;
        if (dead.has(uid)) continue;
        if (random(6) === 0) {
          truth.delete(uid);
          dead.add(uid);
          pods.delete(uid);
          continue;
        }
        const next = pod({
          uid,
          created:
            truth.get(uid) === undefined
              ? new Date(1e12 + i * 1000).toISOString()
              : new Date(truth.get(uid)!.created).toISOString(),
          ips: [`10.0.0.${random(6)}`],
          phase: random(4) === 0 ? 'Succeeded' : 'Running',
          hostNetwork: random(9) === 0,
          account: `sa${random(3)}`,
        });
        truth.set(uid, next);
        pods.set(next);
        sent.push(next);
        // Something old comes again.
        pods.set(sent[random(sent.length)]!);
        // What was answered once is answered from memory, which must not outlast a change.
        pods.ofAddress(`10.0.0.${random(6)}`);
        pods.ofAccount('shop', `sa${random(3)}`);
      }
      const fresh = new Pods();
      fresh.replace(truth.values());
      for (let ip = 0; ip < 6; ip++) {
        const [seen, wanted] = [pods, fresh].map((one) => one.ofAddress(`10.0.0.${ip}`));
        if (seen?.kind === 'host' && wanted?.kind === 'host')
          expect(new Set(seen.pods.map(({ uid }) => uid))).toEqual(
            new Set(wanted.pods.map(({ uid }) => uid)),
          );
        else expect(seen).toEqual(wanted);
      }
      for (let sa = 0; sa < 3; sa++)
        expect(pods.ofAccount('shop', `sa${sa}`)).toEqual(fresh.ofAccount('shop', `sa${sa}`));
      expect(pods.size).toBe(fresh.size);
    }
  });
});
