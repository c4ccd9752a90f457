import { describe, expect, test } from 'vitest';
import { Entries } from '../../../src/attributes/kubernetes/entries.ts';
import { type Check, settle } from '../../../src/attributes/kubernetes/settle.ts';
import { standInFor } from '../../../src/policy/crds/stand-in.ts';
import { check, cluster, namesIn, object, policy, settled, stands } from './objects.ts';

/** Objects that contradict each other, and which of them are in force. */

describe('[KRES4] of several that contradict each other, the one that changed gives way', () => {
  const theirs = { apiVersion: 'clusterlink.net/v1alpha1' };
  /** Its prefix ends inside a segment. */
  const loose = (name: string, namespace: string, value = 'spiffe://td.example/ns/ob') =>
    object('MeshTrafficPermission', name, {
      apiVersion: 'kuma.io/v1alpha1',
      namespace,
      spec: { rules: [{ default: { allow: [{ spiffeID: { type: 'Prefix', value } }] } }] },
    });

  test.each(['1999-01-01', '2099-01-01'])('[KRES4] a namesake in another group, made in %s', (created) => {
    const entries = new Entries();
    entries.replace([policy('a', 'deny', { created: '2020-01-01' })]);
    settled(entries);
    entries.set(policy('a', 'allow', { ...theirs, created }));
    const after = settled(entries);
    expect(namesIn(after)).toEqual(['AccessPolicy/shop/a']);
    expect(stands(after)).toEqual(['AccessPolicy.clusterlink.net/shop/a: nothing']);
    expect(after.broken[0]?.violations[0]?.message).toContain('the first is at AccessPolicy/shop/a');
  });

  test('[KRES4] what is blamed and is in force stays, what did it gives way, and nothing else', () => {
    const entries = new Entries();
    entries.replace([cluster('Site', 'a', { location: 'eu' }), policy('x', 'deny')]);
    settled(entries);
    // Of two sites neither of which says that it is this one, the first by name is blamed.
    entries.set(cluster('Site', 'b', {}));
    entries.set(policy('x', 'allow'));
    const after = settled(entries);
    expect([after.sound, namesIn(after)]).toEqual([true, ['AccessPolicy/shop/x', 'Site/a']]);
    expect(stands(after)).toEqual(['Site/b: nothing']);
    expect(after.documents.find(({ file }) => file.endsWith('x'))?.value).toMatchObject({
      spec: { action: 'allow' },
    });
    // And so it stays, whatever changes then.
    entries.set(policy('x', 'deny'));
    entries.set(policy('y', 'deny'));
    expect(stands(settled(entries))).toEqual(['Site/b: nothing']);
    entries.delete(cluster('Site', 'b', {}));
    expect(stands(settled(entries))).toEqual([]);
  });

  test('[KRES4] an object of one namespace that does not go with what the operator wants holds up no other', () => {
    const entries = new Entries();
    entries.replace([loose('a', 'evil'), policy('x', 'allow')]);
    settled(entries);
    entries.set(cluster('Mesh', 'default', { strictPrefixes: true }));
    entries.set(policy('x', 'deny'));
    entries.set(policy('y', 'deny', { namespace: 'bank' }));
    const after = settled(entries);
    expect([after.sound, stands(after)]).toEqual([true, ['Mesh/default: nothing']]);
    expect(after.broken[0]?.violations[0]?.message).toContain('ends inside a segment');
    entries.delete(loose('a', 'evil'));
    expect(stands(settled(entries))).toEqual([]);
  });

  test('[KRES4] what is the operator’s is taken in before what is of namespaces', () => {
    const entries = new Entries();
    entries.replace([cluster('Site', 'a', {}), policy('x', 'allow')]);
    settled(entries);
    entries.set(cluster('Site', 'b', {}));
    entries.set(cluster('Mesh', 'default', { strictPrefixes: true }));
    entries.set(loose('a', 'evil'));
    const after = settled(entries);
    expect(after.sound).toBe(true);
    expect(stands(after).sort()).toEqual(['MeshTrafficPermission/evil/a: nothing', 'Site/b: nothing']);
  });

  test('[KRES4] what is complained of only with another one that changed is tried again without it', () => {
    const entries = new Entries();
    entries.replace([loose('a', 'shop'), policy('x', 'allow')]);
    settled(entries);
    entries.set(cluster('Mesh', 'default', { strictPrefixes: true }));
    entries.set(loose('a', 'shop', 'spiffe://td.example/ns/obs'));
    const after = settled(entries);
    expect([after.sound, stands(after)]).toEqual([true, ['Mesh/default: nothing']]);
  });

  test('[KRES4] what makes up for something that is missing is taken in, whatever else does not go', () => {
    const entries = new Entries();
    const sites = [cluster('Site', 'a', { local: true }), cluster('Site', 'b', {})];
    entries.replace([...sites, cluster('Mesh', 'default', {}), loose('a', 'evil')]);
    expect(settled(entries).sound).toBe(true);
    entries.delete(sites[0]!);
    entries.set(cluster('Site', 'b', { local: true }));
    entries.set(cluster('Site', 'c', {}));
    entries.set(cluster('Mesh', 'default', { strictPrefixes: true }));
    const after = settled(entries);
    expect([after.sound, stands(after)]).toEqual([true, ['Mesh/default: last good']]);
    expect(namesIn(after)).toEqual(['Mesh/default', 'MeshTrafficPermission/evil/a', 'Site/b', 'Site/c']);
  });

  test('[KRES4] where what is left contradicts itself the set is not right, and is refused whole', () => {
    const entries = new Entries();
    const sites = [cluster('Site', 'a', { local: true }), cluster('Site', 'b', {}), cluster('Site', 'c', {})];
    entries.replace(sites);
    expect(settled(entries).sound).toBe(true);
    entries.delete(sites[0]!);
    const after = settled(entries);
    expect([after.sound, namesIn(after)]).toEqual([false, ['Site/b', 'Site/c']]);
    expect(check(after.documents)).not.toEqual([]);
    entries.set(cluster('Site', 'b', { local: true }));
    expect(settled(entries).sound).toBe(true);
  });

  /** Says of each namespace with a chain that the first of it is wrong. */
  const chained: Check = (documents) => {
    const wrong = documents.find(
      ({ value }) => (value as { spec: { action: string } }).spec.action === 'allow',
    );
    return wrong === undefined ? [] : [{ path: [], code: 'value', message: 'm', place: wrong.place() }];
  };

  test('[KRES4] it is looked at a bounded number of times', () => {
    const entries = new Entries();
    const names = Array.from({ length: 200 }, (_, i) => `p${i}`);
    entries.replace(names.map((name) => policy(name, 'deny')));
    settled(entries);
    for (const name of names) entries.set(policy(name, 'allow'));
    // Blames another one each time.
    let looks = 0;
    const spiteful: Check = (documents) => {
      looks++;
      return chained(documents);
    };
    expect(settle(entries.values(), spiteful, standInFor).sound).toBe(true);
    expect(looks).toBeLessThan(40);
  });

  test('[KRES4] one namespace in which one mistake hides another uses up the tries of no other', () => {
    const entries = new Entries();
    const names = Array.from({ length: 100 }, (_, i) => `p${i}`);
    const others = Array.from({ length: 300 }, (_, i) => policy('x', 'deny', { namespace: `n${i}` }));
    entries.replace([]);
    for (const name of names) entries.set(policy(name, 'allow', { namespace: 'n150a' }));
    for (const one of others) entries.set(one);
    const after = settle(entries.values(), chained, standInFor);
    expect(after.sound).toBe(true);
    expect(stands(after).filter((one) => !one.includes('/n150a/'))).toEqual([]);
  });
});

describe('[KRES4] nobody holds up others', () => {
  const dataplane = (name: string, namespace: string) =>
    object('Dataplane', name, { namespace, spec: { inbounds: [{ port: 80 }] } });

  test.each([
    ['web.b', 'a'],
    ['web', 'b'],
  ])('[KRES4] a proxy that is called as another namespace’s is not in force: %s of %s', (name, namespace) => {
    const own = dataplane(name, namespace);
    const all = [dataplane('web', 'a'), dataplane('web', 'b'), dataplane('web.b', 'a')];
    const entries = new Entries();
    entries.replace(all.filter((one) => one.name !== own.name));
    expect(stands(settled(entries))).toEqual([]);
    entries.set(own);
    const after = settled(entries);
    expect([after.sound, stands(after)]).toEqual([true, [`${own.name}: nothing`]]);
  });

  test('[KRES4] a label of a Service that is none with ours neither', () => {
    const core = (labels: object) =>
      ({ ...object('Service', 'pay', { apiVersion: 'v1', labels }), name: 'Service/shop/pay' }) as const;
    const own = { ...object('Service', 'pay', { spec: {} }), name: 'Service.placet.dev/shop/pay' };
    const entries = new Entries();
    entries.replace([core({ app: 'pay' }), own]);
    settled(entries);
    entries.set(core({ app: 'pay', 'kuma.io/effect': 'perhaps' }));
    entries.set(policy('x', 'allow'));
    const after = settled(entries);
    expect([after.sound, stands(after)]).toEqual([true, ['Service/shop/pay: last good']]);
    expect(namesIn(after)).toEqual(['AccessPolicy/shop/x', 'Service.placet.dev/shop/pay']);
  });

  test('[KRES4] by deleting what made his own right nobody makes the set unsound', () => {
    const core = (labels: object) =>
      ({ ...object('Service', 'pay', { apiVersion: 'v1', labels }), name: 'Service/shop/pay' }) as const;
    const labels = { 'kuma.io/effect': 'shadow' };
    const own = { ...object('Service', 'pay', { labels, spec: {} }), name: 'Service.placet.dev/shop/pay' };
    const entries = new Entries();
    entries.replace([
      core({ 'kuma.io/effect': 'perhaps' }),
      own,
      policy('x', 'allow', { namespace: 'bank' }),
    ]);
    expect(stands(settled(entries))).toEqual([]);
    entries.delete(own);
    entries.set(policy('x', 'deny', { namespace: 'bank' }));
    const after = settled(entries);
    expect([after.sound, stands(after)]).toEqual([true, ['Service/shop/pay: nothing']]);
    entries.set(core({ app: 'pay' }));
    expect(stands(settled(entries))).toEqual([]);
  });
});
