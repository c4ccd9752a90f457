import { describe, expect, test } from 'vitest';
import { Entries } from '../../../src/attributes/kubernetes/entries.ts';
import type { Settled } from '../../../src/attributes/kubernetes/settle.ts';
import { open } from '../../../src/index.ts';
import { load } from '../../../src/policy/load.ts';
import { nameFlaw } from '../../../src/policy/schema/text-flaws.ts';
import { digest } from '../../policy/loading.ts';
import { check, cluster, everybody, namesIn, object, policy, settled, stands } from './objects.ts';

/** Objects that are wrong, and what is in force of them. */

describe('[KRES3] what is wrong gives way to what it last was', () => {
  test('[KRES3] an object with a mistake stays in force as it was, and both are told', () => {
    const entries = new Entries();
    const good = policy('a', 'deny');
    entries.replace([good, policy('b', 'allow')]);
    expect(settled(entries)).toMatchObject({ sound: true, broken: [] });
    const bad = policy('a', 'perhaps');
    expect(entries.set(bad)).toBe(true);
    const after = settled(entries);
    expect(after.sound).toBe(true);
    expect(after.documents.find(({ file }) => file === 'AccessPolicy/shop/a')?.value).toEqual(good.value);
    expect(after.broken).toEqual([
      {
        name: 'AccessPolicy/shop/a',
        stands: 'last good',
        version: bad.version,
        goodVersion: good.version,
        violations: [expect.objectContaining({ code: 'value', path: ['spec', 'action'] })],
      },
    ]);
    entries.set(policy('a', 'allow'));
    expect(stands(settled(entries))).toEqual([]);
  });

  test('[KRES3] one that is new, and wrong, changes nothing of what runs', () => {
    const entries = new Entries();
    entries.replace([policy('a', 'deny')]);
    settled(entries);
    entries.set(policy('b', 'perhaps'));
    const after = settled(entries);
    expect([namesIn(after), stands(after), after.sound]).toEqual([
      ['AccessPolicy/shop/a'],
      ['AccessPolicy/shop/b: nothing'],
      true,
    ]);
  });

  test('[KRES3] another object of the same name has no past', () => {
    const entries = new Entries();
    entries.replace([policy('a', 'deny')]);
    settled(entries);
    entries.set(policy('a', 'perhaps', { uid: 'another' }));
    expect(stands(settled(entries))).toEqual(['AccessPolicy/shop/a: nothing']);
  });

  test('[KRES3] what is deleted is gone, right or wrong; a late word of its forerunner deletes nothing', () => {
    const entries = new Entries();
    const first = policy('a', 'deny');
    entries.replace([first]);
    settled(entries);
    const second = policy('a', 'deny', { uid: 'another' });
    entries.set(second);
    expect(entries.delete(first)).toBe(false);
    entries.set(policy('a', 'perhaps', { uid: 'another' }));
    expect(entries.delete(second)).toBe(true);
    expect(settled(entries)).toEqual({ documents: [], broken: [], sound: true });
    entries.set(first);
    expect(entries.replace([])).toBe(true);
    expect(entries.size).toBe(0);
  });

  test('[KRES3] what only the server says of an object changes nothing', () => {
    const entries = new Entries();
    const core = { ...object('Service', 'pay', { apiVersion: 'v1' }), name: 'Service/shop/pay' };
    const own = { ...object('Service', 'pay', { spec: {} }), name: 'Service.placet.dev/shop/pay' };
    entries.replace([policy('a', 'deny'), core, own]);
    const before = settled(entries).documents;
    expect(entries.set(policy('a', 'deny', { status: { seen: true } }))).toBe(false);
    const after = settled(entries).documents;
    expect([before.length, after.every((one, i) => one === before[i])]).toEqual([2, true]);
  });
});

describe('[KRES3] objects are of whoever may store them', () => {
  test.each([60, 62, 63, 64, 6_000])('[KRES3] a field that is %i levels deep', (levels) => {
    const entries = new Entries();
    entries.replace([policy('x', 'allow')]);
    settled(entries);
    const deep = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
    entries.set(object('Dataplane', 'web', { spec: { inbounds: [{ port: 80 }], metrics: deep } }));
    const after = settled(entries);
    expect([after.sound, stands(after)]).toEqual([true, levels > 62 ? ['Dataplane/shop/web: nothing'] : []]);
    if (levels > 62) expect(after.broken[0]?.violations[0]?.message).toContain('levels of nesting');
  });

  test('[KRES3] a key that is in no document', () => {
    const entries = new Entries();
    entries.replace([object('Workload', 'web', { labels: JSON.parse('{"__proto__": "a"}') })]);
    const after = settled(entries);
    expect([after.sound, stands(after)]).toEqual([true, ['Workload/shop/web: nothing']]);
    expect(after.broken[0]?.violations[0]?.code).toBe('forbidden-key');
  });
});

describe('[KRES5] what was wrong before we came may have denied something', () => {
  const atStart = (...objects: ReturnType<typeof object>[]) => {
    const entries = new Entries();
    entries.replace(objects);
    return settled(entries);
  };
  const service = (namespace: string) => object('Service', 'pay', { namespace });
  const decide = ({ documents }: Settled, to: string) =>
    open([...documents]).decide({
      source: { attributes: { 'k8s:ns': 'web' } },
      destination: { service: to },
    });

  test('[KRES5] its namespace is denied everything until it is right, and no other one', () => {
    const allow = [policy('x', 'allow'), policy('x', 'allow', { namespace: 'bank' })];
    const found = atStart(policy('a', 'perhaps'), ...allow, service('shop'), service('bank'));
    expect([found.sound, stands(found)]).toEqual([true, ['AccessPolicy/shop/a: stand-in']]);
    expect(decide(found, 'shop/pay').decision).toBe('deny');
    expect(decide(found, 'bank/pay').decision).toBe('allow');
  });

  test('[KRES5] whatever objects that cannot be read are called, they shut their namespace and no other', () => {
    const long = 'x'.repeat(252);
    const wrong = [
      policy(`${long}a`, 'perhaps'),
      policy(`${long}b`, 'perhaps'),
      policy('a', 'perhaps'),
      policy('a', 'perhaps', { apiVersion: 'clusterlink.net/v1alpha1' }),
    ];
    const names = Array.from({ length: 12 }, (_, i) => `${'unreadable-ap-'.repeat(i)}a`);
    const right = names.slice(1).map((name) => policy(name, 'deny'));
    const allow = policy('x', 'allow', { namespace: 'bank' });
    const found = atStart(...wrong, ...right, allow, service('shop'), service('bank'));
    expect(found.sound).toBe(true);
    expect(stands(found)).toEqual(wrong.map(({ name }) => `${name}: stand-in`));
    expect(decide(found, 'shop/pay').decision).toBe('deny');
    expect(decide(found, 'bank/pay').decision).toBe('allow');
    expect(nameFlaw(`${long}a`)).toBeUndefined();
  });

  test('[KRES5] so it is with permissions', () => {
    const wrong = object('MeshTrafficPermission', 'a', {
      apiVersion: 'kuma.io/v1alpha1',
      spec: { default: { deny: [{}] } },
    });
    expect(stands(atStart(wrong))).toEqual(['MeshTrafficPermission/shop/a: stand-in']);
    const system = object('MeshTrafficPermission', 'a', {
      apiVersion: 'kuma.io/v1alpha1',
      namespace: 'kuma-system',
      spec: { default: { deny: [{}] } },
    });
    expect(atStart(system).sound).toBe(false);
  });

  test.each([
    ['an allow', object('AccessPolicy', 'a', { spec: { action: 'allow', from: [], to: everybody } })],
    ['one that is never enforced', policy('a', 'perhaps', { labels: { 'kuma.io/effect': 'shadow' } })],
    ['a workload', object('Workload', 'a', { spec: { images: 7 } })],
  ])('[KRES5] %s is left out: without it nobody is let in', (_, wrong) => {
    expect([atStart(wrong).sound, stands(atStart(wrong))]).toEqual([true, [`${wrong.name}: nothing`]]);
  });

  test.each([
    cluster('PrivilegedAccessPolicy', 'a', { action: 'perhaps', from: everybody, to: everybody }),
    cluster('Site', 'a', { floor: 'high' }),
    cluster('Mesh', 'a', { certificates: 'none' }),
    cluster('Peer', 'a', {}),
  ])('[KRES5] nothing stands for the operator’s $name, and nothing is decided', (wrong) => {
    const found = atStart(wrong, policy('x', 'allow'));
    expect([found.sound, stands(found)]).toEqual([false, [`${wrong.name}: newest`]]);
    expect(check(found.documents)).not.toEqual([]);
  });
});

describe('[KRES6] a Service of Kubernetes', () => {
  const core = object('Service', 'pay', {
    apiVersion: 'v1',
    labels: { app: 'pay', tier: 'gold' },
    spec: { clusterIP: '10.0.0.1' },
  });

  test('[KRES6] is a destination with its name, its namespace and its labels', () => {
    const entries = new Entries();
    entries.replace([core]);
    const { inventory, ignored } = load(settled(entries).documents, digest);
    expect([...inventory.services.get('shop/pay')!.attributes]).toEqual([
      ['service:name', 'pay'],
      ['k8s:ns', 'shop'],
      ['k8s:label:app', 'pay'],
      ['k8s:label:tier', 'gold'],
    ]);
    expect(ignored).toEqual([]);
  });

  test('[KRES6] and a document of ours about it are one, with the labels of both', () => {
    const entries = new Entries();
    const ours = object('Service', 'pay', {
      labels: { tier: 'silver' },
      spec: { attributes: { 'cl:service:line': 'shop' } },
    });
    entries.replace([
      { ...ours, name: 'Service/shop/pay' },
      { ...core, name: 'Service.v1/shop/pay' },
    ]);
    const found = settled(entries);
    expect(found.sound).toBe(true);
    const { services } = load(found.documents, digest).inventory;
    expect(Object.fromEntries(services.get('shop/pay')!.attributes)).toEqual({
      'service:name': 'pay',
      'k8s:ns': 'shop',
      'k8s:label:app': 'pay',
      'k8s:label:tier': 'silver',
      'cl:service:line': 'shop',
    });
  });
});
