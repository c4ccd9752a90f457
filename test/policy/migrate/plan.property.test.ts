import { describe, expect, test } from 'vitest';
import type { PolicyTally } from '../../../src/policy/migrate/compare.ts';
import type { Plan } from '../../../src/policy/migrate/outcome.ts';
import { reportOf } from '../../../src/policy/migrate/report.ts';
import { Random } from '../../oracle/random.ts';
import { type Carried, migrated, type Pair, pairsOf, planFor, Served } from './brute.ts';
import { type RandomSet, randomSet, type Shape } from './sets.ts';

const seeds = Array.from({ length: 120 }, (_, seed) => seed);
const worlds = ['enforced', 'shadow'] as const;

interface Run extends RandomSet {
  readonly seed: number;
  readonly before: readonly object[];
  readonly plan: Plan;
}

function* runs(shape: Shape, options: Parameters<typeof planFor>[1]): Generator<Run, void> {
  for (const seed of seeds) {
    const set = randomSet(new Random(seed), shape);
    const before = [...set.inventory, ...set.policies];
    yield { seed, ...set, before, plan: planFor(before, options) };
  }
}

function counted(pairs: readonly Pair[], world: 'enforced' | 'shadow') {
  const found = { stays: 0, widens: 0, narrows: 0 };
  for (const { before, after } of pairs)
    if (after?.[world] === before[world]) found.stays++;
    else found[after?.[world] === 'allow' ? 'widens' : 'narrows']++;
  return found;
}

function told(tallies: readonly PolicyTally[], world: 'enforced' | 'shadow') {
  const sum = { stays: 0, widens: 0, narrows: 0 };
  for (const tally of tallies)
    for (const key of ['stays', 'widens', 'narrows'] as const) sum[key] += tally[world][key];
  return sum;
}

describe.each([
  ['permissions by tags alone', false],
  ['other policies beside them', true],
] as const)('random sets, %s', (_, others) => {
  test.each([
    ['narrow', {}],
    ['wide', { allowWider: true }],
  ] as const)('[MIG5] every pair is counted as decisions one by one would, %s', (mode, options) => {
    let differences = 0;
    for (const { seed, inventory, before, plan } of runs({ others }, options)) {
      const [mesh] = plan.meshes;
      const pairs = pairsOf(before, migrated(inventory, plan, 'all'), 'default');
      const isKnown = pairs.every(({ after }) => after !== undefined);
      for (const world of worlds) {
        const sum = told([...mesh!.policies.map(({ tally }) => tally), mesh!.nobody], world);
        if (isKnown) expect([seed, world, sum]).toEqual([seed, world, counted(pairs, world)]);
        expect(sum.stays + sum.widens + sum.narrows).toBe(pairs.length);
        if (mode === 'narrow' && !others) expect([seed, sum.widens]).toEqual([seed, 0]);
        differences += sum.widens + sum.narrows;
      }
    }
    expect(differences).toBeGreaterThan(200);
  });

  test.each([
    ['by default', {}],
    ['--every-source', { everySource: true }],
    ['--allow-narrower', { allowNarrower: true }],
    ['--allow-wider', { allowWider: true }],
  ] as const)('[MIG7] what is written changes no verdict that may not change, %s', (_flag, options) => {
    let written = 0;
    for (const { seed, inventory, before, plan } of runs({ others }, options)) {
      const { policies } = plan.meshes[0]!;
      const left = policies.filter((policy) => !policy.written);
      written += policies.length - left.length;
      const pairs = pairsOf(before, migrated(inventory, plan, 'written'), 'default');
      for (const world of worlds) {
        const { widens, narrows } = counted(
          pairs.filter(({ after }) => after !== undefined),
          world,
        );
        const mayWiden = 'allowWider' in options || others;
        if (!mayWiden) expect([seed, world, widens]).toEqual([seed, world, 0]);
        const mayNarrow = 'allowNarrower' in options || left.length > 0 || others;
        if (!mayNarrow) expect([seed, world, narrows]).toEqual([seed, world, 0]);
      }
    }
    expect(written).toBeGreaterThan(40);
  });

  test.each([
    ['narrow', {}],
    ['wide', { allowWider: true }],
  ] as const)('[MIG6] [MIG9] every example and every witness differs, %s', (_mode, options) => {
    let witnesses = 0;
    for (const { seed, inventory, before, plan } of runs({ others }, options)) {
      const now = new Served(before);
      const then = new Served(migrated(inventory, plan, 'all'));
      for (const { policies, others: rest } of reportOf(plan).meshes)
        for (const { examples, beyond } of [...policies, { ...rest, beyond: null }]) {
          for (const { world, change, tags, spiffeId, client, inbound } of examples) {
            const source = tags === null ? {} : { mesh: client.split('/')[0]!, tags };
            const was = now.verdict(inbound, source)[world];
            const is = spiffeId === null ? 'deny' : then.verdict(inbound, { spiffeId })[world];
            const wanted = change === 'widens' ? ['deny', 'allow'] : ['allow', 'deny'];
            if (spiffeId !== null) expect([seed, was, is]).toEqual([seed, ...wanted]);
          }
          for (const { world, change, before: source, after, inbound } of beyond?.witnesses ?? []) {
            witnesses++;
            const { spiffeId, isNew } = after;
            if (isNew)
              expect(plan.clients.kinds.map(({ id }) => plan.clients.ids[id ?? -1])).not.toContain(spiffeId);
            const was = now.verdict(inbound, source)[world];
            const is = then.verdict(inbound, { spiffeId })[world];
            const wanted = change === 'widens' ? ['deny', 'allow'] : ['allow', 'deny'];
            expect([seed, was, is]).toEqual([seed, ...wanted]);
          }
        }
    }
    expect(witnesses).toBeGreaterThan(100);
  });
});

test.each([
  ['alone', false],
  ['and others', true],
])(
  '[MIG5] [MIG8] [MTP7] policies of namespaces and zones, %s, whatever says where proxies are',
  (_, others) => {
    let [bound, lost] = [0, 0];
    for (const { seed, inventory, before, plan } of runs({ places: true, others }, {})) {
      const [{ policies, nobody }] = plan.meshes as [(typeof plan.meshes)[number]];
      lost += policies.filter(({ status }) => status === 'lost').length;
      bound += policies.filter(({ written, reasons }) => written && reasons.length > 0).length;
      const every = pairsOf(before, migrated(inventory, plan, 'all'), 'default');
      const written = pairsOf(before, migrated(inventory, plan, 'written'), 'default');
      for (const world of worlds) {
        const sum = told([...policies.map(({ tally }) => tally), nobody], world);
        if (every.every(({ after }) => after !== undefined))
          expect([seed, world, sum]).toEqual([seed, world, counted(every, world)]);
        const known = written.filter(({ after }) => after !== undefined);
        if (!others) expect([seed, world, counted(known, world).widens]).toEqual([seed, world, 0]);
      }
    }
    expect(bound).toBeGreaterThan(5);
    expect(lost).toBeGreaterThan(10);
  },
);

/** Clients to come, with every combination of what items ask for, several values of a tag included. */
function* comers(): Generator<Carried, void> {
  const some = [undefined, ['v1'], ['v2'], ['v1', 'v2'], ['other']];
  for (const mesh of ['default', 'second'])
    for (const service of [['web'], ['backend'], ['db'], ['web', 'db'], ['new']])
      for (const version of some)
        for (const zone of [['east'], ['west'], ['east', 'west']])
          yield {
            mesh,
            tags: {
              'kuma.io/service': service,
              'kuma.io/zone': zone,
              ...(version === undefined ? {} : { version }),
            },
          };
}

test('[MIG6] what is equal for every source is so for every client to come', () => {
  let equal = 0;
  for (const { seed, inventory, before, plan } of runs({}, {})) {
    const { policies, ground } = plan.meshes[0]!;
    const isEqual = (policy: number) => policies[policy]!.status === 'equal';
    const now = new Served(before);
    const then = new Served(migrated(inventory, plan, 'all'));
    for (const { scopes, inbounds } of ground.groups) {
      const governing = scopes.flatMap((scope) => ground.scopes[scope]!.policies);
      if (governing.length === 0 || !governing.every(isEqual)) continue;
      equal++;
      const { dataplane, inbound } = inbounds[0]!;
      const at = { mesh: dataplane.mesh, dataplane: dataplane.name, inbound: inbound.port };
      for (const source of comers()) {
        const { mesh } = source as { mesh: string };
        const zones = plan.clients.trustDomains.filter(({ meshes }) => meshes.has(mesh));
        const names = zones.length > 0 ? zones.map(({ name }) => name) : [`${mesh}.unknown.mesh.local`];
        const taken = zones.flatMap(({ members }) => members.map((id) => plan.clients.ids[id]!));
        for (const spiffeId of [...names.map((name) => `spiffe://${name}/ns/new/sa/new`), ...taken])
          expect([seed, source, spiffeId, then.verdict(at, { spiffeId })]).toEqual([
            seed,
            source,
            spiffeId,
            now.verdict(at, source),
          ]);
      }
    }
  }
  expect(equal).toBeGreaterThan(10);
});
