import { describe, expect, test } from 'vitest';
import { planFor } from './brute.ts';
import { all, dataplane, type Fields, from, idOf, inventory, mesh, policy, toDb } from './shop.ts';

/** Policies that are for an inbound, or may be, though the inventory does not say that they are. */

const access = (namespace: string, from: Fields, to: Fields = {}, action = 'deny'): Fields => ({
  type: 'AccessPolicy',
  name: 'beside',
  namespace,
  spec: { action, from: [{ workloadSelector: from }], to: [{ workloadSelector: to }] },
});

const ofShop = { matchLabels: { 'spiffe:id': 'spiffe://default.east.mesh.local/ns/shop' } };
const web = policy(from(['web', 'Allow']), toDb);
const nowhere = {
  ...dataplane('db', 'v1'),
  labels: { app: 'db', 'kuma.io/zone': 'east' },
};
const planned = (...values: readonly Fields[]) => planFor(values).meshes[0]!;

describe('[MIG5] what is unknown of an inbound', () => {
  test('[DST4] a deny of another namespace holds where nobody says the namespace', () => {
    const values = [mesh, dataplane('web', 'v1'), nowhere, web];
    expect(planned(...values).policies[0]).toMatchObject({ status: 'equal-for-inventory', written: true });
    const [found] = planned(...values, access('elsewhere', ofShop)).policies;
    expect(found).toMatchObject({
      status: 'different',
      written: false,
      reasons: [expect.stringContaining('for a namespace that no label says'), expect.anything()],
      tally: { enforced: { stays: 0, widens: 0, narrows: 1 }, examples: [{ why: 'other-policies' }] },
    });
    // Where it is said, it is another one.
    const [known] = planned(...inventory, web, access('elsewhere', ofShop)).policies;
    expect(known).toMatchObject({ status: 'equal-for-inventory', written: true });
  });

  test('[DST2] [DST4] an allow of another namespace counts where the Mesh says so', () => {
    const values = [dataplane('web', 'v1'), nowhere, web, access('elsewhere', ofShop, {}, 'allow')];
    expect(planned(mesh, ...values).policies[0]!.status).toBe('equal-for-inventory');
    expect(planned({ ...mesh, accessPolicies: 'full' }, ...values).policies[0]!.status).toBe('different');
  });

  test('[DST3] a deny for a site holds where nobody says which it is', () => {
    const of = access('shop', ofShop, { matchLabels: { 'site:name': 'x' } });
    const [found] = planned(...inventory, web, of).policies;
    expect(found).toMatchObject({ status: 'narrower', written: false });
    const site = { type: 'Site', name: 'y', local: true };
    expect(planned(...inventory, site, web, of).policies[0]!.status).toBe('equal-for-inventory');
  });

  test('[DST8] nothing is called equal where a policy is for a route', () => {
    const route = policy(
      from(['web', 'Deny']),
      { targetRef: { kind: 'MeshHTTPRoute', name: 'x' } },
      { name: 'r' },
    );
    const everybody = policy(from([all, 'Allow']));
    expect(planned(...inventory, everybody).policies[0]!.status).toBe('equal');
    const found = planned(...inventory, everybody, route).policies.find(({ info }) => info.name === 'p')!;
    expect(found).toMatchObject({ status: 'different', written: false });
    expect(found.reasons).toEqual([expect.stringContaining('for a route')]);
  });
});

describe('[MIG5] what a certificate does not say is unknown', () => {
  test('[WHO1] of an SVID labels: whom a deny by labels shuts out then is told', () => {
    const matcher = {
      spiffeID: { type: 'Prefix', value: idOf('web-v1') },
      dataplaneLabels: { generation: 'legacy' },
    };
    const old = {
      type: 'MeshTrafficPermission',
      name: 'old',
      spec: { rules: [{ default: { deny: [matcher] } }] },
    };
    const values = [mesh, dataplane('web', 'v1'), dataplane('db', 'v1'), web, old];
    expect(planned(...values).policies[0]).toMatchObject({
      status: 'narrower',
      written: false,
      tally: { enforced: { narrows: 1 }, examples: [{ change: 'narrows', why: 'other-policies' }] },
    });
    // Whose labels the inventory has is known by the ID.
    const known = { type: 'Workload', name: 'web-v1', namespace: 'shop', spiffeId: idOf('web-v1') };
    expect(planned(...values, known).policies[0]).toMatchObject({ status: 'equal-for-inventory' });
  });

  test('[SRC12] [WHO5] of tags a service account: whom a deny by it shuts out now is not let in then', () => {
    const values = [mesh, dataplane('web', 'v1'), dataplane('db', 'v1'), web];
    expect(planned(...values).policies[0]!.documents.length).toBe(1);
    const found = planned(...values, access('shop', { matchLabels: { 'k8s:sa': 'intruder' } })).policies[0]!;
    expect(found).toMatchObject({ status: 'equal-for-inventory', written: true, documents: [] });
    expect(found.reasons[0]).toContain('other policies deny clients that it lets in');
    // That it has no SPIFFE ID it says.
    const ofId = access('shop', { matchLabels: { 'spiffe:id': idOf('x') } });
    expect(planned(...values, ofId).policies[0]!.documents.length).toBe(1);
  });
});

test('[MIG10] [MIG5] inbounds are compared together only where others are for them alike', () => {
  const proxy = (name: string, more: Fields, labels: Fields = {}) => ({
    ...dataplane('db', 'v1', { name, inbounds: [{ port: 80, ...more }] }),
    labels: { app: 'db', 'k8s.kuma.io/namespace': 'shop', ...labels },
  });
  const [plain, same, tcp, team] = [
    proxy('plain', {}),
    proxy('same', {}, { other: 'x' }),
    proxy('tcp', { protocol: 'tcp' }),
    proxy('team', {}, { team: 'a' }),
  ];
  const rules = [{ default: { deny: [{ spiffeID: { type: 'Exact', value: idOf('x') }, method: 'PUT' }] } }];
  const beside = { type: 'MeshTrafficPermission', name: 'q', spec: { rules } };
  const ofTeam = access('shop', ofShop, { matchLabels: { 'k8s:label:team': 'a' } });
  const groups = (...others: readonly Fields[]) =>
    planned(mesh, plain, same, tcp, team, policy(from([all, 'Allow'])), ...others).ground.groups.map(
      ({ inbounds }) => inbounds.map(({ dataplane: { name } }) => name).join(' '),
    );
  expect(groups()).toEqual(['plain same tcp team']);
  expect(groups(beside)).toEqual(['plain same team', 'tcp']);
  expect(groups(ofTeam)).toEqual(['plain same tcp', 'team']);
});
