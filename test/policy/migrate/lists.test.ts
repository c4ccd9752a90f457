import { describe, expect, test } from 'vitest';
import { planFor } from './brute.ts';
import {
  all,
  dataplane,
  east,
  everybody,
  exact,
  type Fields,
  from,
  idOf,
  inventory,
  mesh,
  plansOf,
  policy,
  toDb,
  version,
} from './shop.ts';

/** The lists of the only policy, and what it is called. */
function listsOf(items: readonly Fields[], spec: Fields = toDb): Fields {
  const { status, documents } = plansOf(policy(items, spec)).get('p')!;
  const lists = documents.map((one) => {
    const { rules } = one['spec'] as { rules: { default: Fields }[] };
    const shadow = (one['labels'] as Fields | undefined)?.['kuma.io/effect'];
    return shadow === undefined ? rules[0]!.default : { shadow: rules[0]!.default };
  });
  return Object.assign({ status }, ...lists);
}

describe('lists', () => {
  test.each<[string, readonly Fields[], Fields]>([
    ['all of the mesh', from([all, 'Allow']), { status: 'equal', allow: [everybody] }],
    [
      'all of the mesh, on trial',
      from([all, 'AllowWithShadowDeny']),
      { status: 'equal', allowWithShadowDeny: [everybody] },
    ],
    ['nobody', from([all, 'Deny']), { status: 'equal' }],
    [
      'one service',
      from(['web', 'Allow']),
      { status: 'equal-for-inventory', allow: [exact('web-v1'), exact('web-v2')] },
    ],
    [
      'a default and an exception',
      from([all, 'Deny'], ['web', 'Allow']),
      { status: 'equal-for-inventory', allow: [exact('web-v1'), exact('web-v2')] },
    ],
    [
      'an exception to an exception',
      from([all, 'Deny'], ['web', 'Allow'], [version('v2'), 'Deny']),
      { status: 'equal-for-inventory', deny: [exact('web-v2')], allow: [exact('web-v1')] },
    ],
    [
      'all but one service, by those that there are',
      from([all, 'Allow'], ['web', 'Deny']),
      { status: 'equal-for-inventory', deny: [exact('web-v1'), exact('web-v2')], allow: [exact('db-v1')] },
    ],
    [
      'a ban that is taken back leaves nothing',
      from(['web', 'Deny'], [all, 'Allow']),
      { status: 'equal', allow: [everybody] },
    ],
    [
      'a negated tag',
      from([version('!v2'), 'Allow']),
      { status: 'equal-for-inventory', allow: [exact('db-v1'), exact('web-v1')] },
    ],
    [
      'an allow on trial for some',
      from([all, 'Allow'], [version('v2'), 'ALLOW_WITH_SHADOW_DENY']),
      {
        status: 'equal-for-inventory',
        allowWithShadowDeny: [exact('web-v2')],
        allow: [exact('db-v1'), exact('web-v1')],
      },
    ],
    [
      'a deny on trial',
      from(['web', 'DenyWithShadowAllow']),
      { status: 'equal-for-inventory', shadow: { allow: [exact('web-v1'), exact('web-v2')] } },
    ],
  ])('[MIG4] [MIG6] %s', (_, items, wanted) => expect(listsOf(items)).toEqual(wanted));

  test('[MIG4] what is overridden everywhere is not said, so that nothing has to deny it', () => {
    const plans = plansOf(
      policy(from([all, 'Allow']), {}, { name: '2-all' }),
      policy(from(['web', 'Allow']), {}, { name: '3-web' }),
      policy(from([all, 'Deny']), {}, { name: '1-nobody' }),
    );
    for (const one of plans.values())
      expect(one).toMatchObject({ status: 'equal', written: true, documents: [] });
  });

  test('[MIG4] what others say too is said again', () => {
    const plans = plansOf(
      policy(from([all, 'Allow']), {}, { name: '1-all' }),
      policy(from(['web', 'Allow']), toDb, { name: '2-web' }),
      policy(from(['web', 'Deny']), toDb, { name: '3-none' }),
    );
    expect(plans.get('2-web')!.documents).toMatchObject([
      { spec: { rules: [{ default: { allow: [exact('web-v1'), exact('web-v2')] } }] } },
    ]);
    expect(plans.get('3-none')!.documents).toEqual([]);
  });

  test('[MIG6] where other policies govern too, nothing is called equal for whoever may come', () => {
    const other = {
      type: 'MeshTrafficPermission',
      name: 'other',
      spec: { ...toDb, rules: [{ default: { allow: [exact('nobody')] } }] },
    };
    const found = planFor([...inventory, other, policy(from([all, 'Deny']), toDb)]).meshes[0]!.policies[0]!;
    expect(found).toMatchObject({ status: 'equal-for-inventory', beyond: { settled: false } });
  });

  test('[MIG5] where other policies read requests, nothing is called equal', () => {
    const rules = [{ default: { deny: [{ path: { type: 'Exact', value: '/admin' } }] } }];
    const other = { type: 'MeshTrafficPermission', name: 'other', spec: { ...toDb, rules } };
    const values = [...inventory, other, policy(from([all, 'Allow']), toDb)];
    const one = (options = {}) => planFor(values, options).meshes[0]!.policies[0]!;
    expect(one()).toMatchObject({ status: 'different', written: false });
    expect(one({ allowNarrower: true }).written).toBe(false);
    expect(one({ allowNarrower: true, allowWider: true }).written).toBe(true);
  });

  test('[MIG7] --every-source writes what is equal, and nothing that is so for the inventory alone', () => {
    const values = [
      ...inventory,
      policy(from([all, 'Allow']), toDb),
      policy(
        from(['web', 'Allow']),
        { targetRef: { kind: 'Dataplane', labels: { app: 'web' } } },
        { name: 'q' },
      ),
    ];
    const written = (options = {}) =>
      planFor(values, options)
        .meshes[0]!.policies.filter((one) => one.written)
        .map(({ info }) => info.name)
        .sort();
    expect(written()).toEqual(['p', 'q']);
    expect(written({ everySource: true })).toEqual(['p']);
  });

  test('[MIG6] a trust domain that the Mesh does not name may not be the only one', () => {
    const undeclared = { ...mesh, trustDomains: undefined };
    const values = [undeclared, ...inventory.slice(1), policy(from([all, 'Allow']), toDb)];
    const [one] = planFor(values.map((value) => JSON.parse(JSON.stringify(value)))).meshes[0]!.policies;
    expect(one!.status).toBe('equal-for-inventory');
    expect(one!.beyond!.witnesses).toMatchObject([
      { change: 'narrows', isNew: true, spiffeId: 'spiffe://default.new-zone.mesh.local/new-client' },
    ]);
    expect(one!.documents).toMatchObject([{ spec: { rules: [{ default: { allow: [everybody] } }] } }]);
  });

  test('[MIG6] a client to come may have the ID of a client of another mesh', () => {
    const guest = dataplane('guest', 'v1', { mesh: 'second' });
    const known = { type: 'Workload', name: 'guest-v1', namespace: 'shop', spiffeId: idOf('guest') };
    const guests = policy(from([{ kind: 'Mesh', mesh: 'second' }, 'Allow']), toDb);
    const [one] = planFor([...inventory, guest, known, guests]).meshes[0]!.policies;
    expect(one!.documents).toMatchObject([{ spec: { rules: [{ default: { allow: [exact('guest')] } }] } }]);
    expect(one!.beyond!.witnesses).toContainEqual(
      expect.objectContaining({
        change: 'widens',
        source: expect.objectContaining({ mesh: 'default' }),
        spiffeId: idOf('guest'),
        isNew: false,
      }),
    );
  });

  test('[MIG6] [MIG3] a trust domain in which others have IDs is not named as a whole', () => {
    const job = {
      type: 'Workload',
      name: 'job',
      namespace: 'batch',
      spiffeId: `spiffe://${east}/ns/batch/sa/job`,
    };
    const [one] = planFor([...inventory, job, policy(from([all, 'Allow']), toDb)]).meshes[0]!.policies;
    expect(one!.status).toBe('equal-for-inventory');
    expect(one!.documents).toMatchObject([
      { spec: { rules: [{ default: { allow: [exact('db-v1'), exact('web-v1'), exact('web-v2')] } }] } },
    ]);
  });

  test('[MIG4] [MIG7] an allow that would have to override a deny of more inbounds cannot be said', () => {
    const plans = plansOf(
      policy(from(['web', 'Allow'], [version('v2'), 'Deny'])),
      policy(from([version('v2'), 'Allow']), toDb, { name: 'exception' }),
    );
    // The ban is the default too, so that nothing has to deny at the database.
    expect(plans.get('exception')).toMatchObject({ status: 'equal-for-inventory', written: true });
    const banned = plansOf(
      policy(from([all, 'Allow'])),
      policy(
        from([version('v2'), 'Deny']),
        { targetRef: { kind: 'Dataplane', labels: { 'kuma.io/zone': 'east' } } },
        { name: 'ban' },
      ),
      policy(
        from([version('v2'), 'Allow']),
        { targetRef: { ...toDb.targetRef, sectionName: 'main' } },
        { name: 'exception' },
      ),
    );
    // There everybody gets in, whatever the tags.
    expect(banned.get('exception')).toMatchObject({
      status: 'equal',
      documents: [{ spec: { rules: [{ default: { allow: [everybody] } }] } }],
    });
    expect(banned.get('p')!.documents).toMatchObject([
      { spec: { rules: [{ default: { allow: [exact('db-v1'), exact('web-v1')] } }] } },
    ]);
  });

  test('[MIG4] [MIG7] what needs a deny where the ID gets in cannot be said, and takes with it what relies on it', () => {
    const proxy = (name: string, ...teams: string[]) => ({
      ...dataplane(name, 'v1'),
      labels: { 'k8s.kuma.io/namespace': 'shop', ...Object.fromEntries(teams.map((team) => [team, 'yes'])) },
    });
    const of = (name: string, team: string, action: string) =>
      policy(
        from(['web', action]),
        { targetRef: { kind: 'Dataplane', labels: { [team]: 'yes' } } },
        { name },
      );
    // Weakest last: b lets in at x and y, d bans at y and z, e lets in at z.
    const values = [
      mesh,
      dataplane('web', 'v1'),
      proxy('x', 'b'),
      proxy('y', 'b', 'd'),
      proxy('z', 'd', 'e'),
      of('1-e', 'e', 'Allow'),
      of('2-d', 'd', 'Deny'),
      of('3-b', 'b', 'Allow'),
    ];
    const found = new Map(planFor(values).meshes[0]!.policies.map((one) => [one.info.name, one]));
    expect(found.get('3-b')).toMatchObject({
      status: 'narrower',
      written: false,
      tally: { examples: [{ change: 'narrows', why: 'deny-beats-allow' }] },
    });
    expect(found.get('1-e')).toMatchObject({ written: true });
    const wide = planFor(values, { allowWider: true }).meshes[0]!.policies;
    expect(wide.find(({ info }) => info.name === '3-b')).toMatchObject({ status: 'wider', written: true });
  });

  test('[MIG5] [MIG7] versions under one ID are told apart by nothing', () => {
    const labels = {
      ...(dataplane('web', 'v2')['labels'] as Fields),
      'k8s.kuma.io/service-account': 'web-v1',
    };
    const values = [mesh, dataplane('web', 'v1'), dataplane('web', 'v2', { labels }), dataplane('db', 'v1')];
    const items = policy(from([version('v2'), 'Allow']), toDb);
    const [shut] = planFor([...values, items]).meshes[0]!.policies;
    expect(shut).toMatchObject({ status: 'narrower', written: false, tally: { enforced: { narrows: 1 } } });
    const [open] = planFor([...values, items], { allowWider: true }).meshes[0]!.policies;
    expect(open).toMatchObject({ status: 'wider', written: true });
    expect(open!.tally.examples[0]).toMatchObject({
      change: 'widens',
      kind: { dataplanes: [{ name: 'web-v1' }] },
    });
  });
});
