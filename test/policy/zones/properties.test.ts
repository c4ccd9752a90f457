import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readResources } from '../../../src/policy/zones/resource.ts';
import { originOf } from '../../../src/policy/zones/side.ts';
import { leads, who } from './resolving.ts';
import {
  changes,
  digest,
  documentsOf,
  Folder,
  global,
  plan,
  sync,
  universal,
  type Value,
  zone,
} from './syncing.ts';

/** Random zones and a random Global, in which names, namespaces and references often meet. */

const runs = { seed: 17, numRuns: 30 };

const names = fc.constantFrom('a', 'A');
const namespaces = fc.constantFrom('ns', 'kuma-system');
const meshes = fc.constantFrom('default', 'default', 'default', 'other');
const zones = fc.constantFrom('zone-1', '!zone-1', 'zone-2');

const ref = fc.oneof(
  fc.record(
    {
      kind: fc.constantFrom('MeshService', 'MeshHTTPRoute', 'MeshServiceSubset', 'MeshMultiZoneService'),
      name: names,
      namespace: namespaces,
    },
    { requiredKeys: ['kind', 'name'] },
  ),
  fc.record({
    kind: fc.constant('MeshService'),
    labels: fc.record(
      { 'kuma.io/display-name': names, 'k8s.kuma.io/namespace': namespaces },
      { requiredKeys: [] },
    ),
  }),
  fc.constant({ kind: 'MeshExternalService', name: 'aws' }),
  fc.constant({ kind: 'Mesh' }),
);
const top = fc.option(
  fc.oneof(
    fc.record({ kind: fc.constant('MeshSubset'), tags: fc.record({ 'kuma.io/zone': zones }) }),
    fc.constant({ kind: 'Mesh' }),
  ),
  { nil: undefined },
);

const document = fc
  .record({
    kind: fc.constantFrom(
      'MeshTimeout',
      'MeshTimeout',
      'MeshHTTPRoute',
      'MeshHTTPRoute',
      'MeshService',
      'MeshService',
      'MeshTrafficPermission',
      'Dataplane',
      'MeshExternalService',
      'Mesh',
    ),
    name: names,
    namespace: namespaces,
    mesh: meshes,
    top,
    to: fc.array(ref, { minLength: 1, maxLength: 2 }),
    backend: ref,
  })
  .map(({ kind, name, namespace, mesh, top: targetRef, to, backend }): Value => {
    const head = {
      apiVersion: 'kuma.io/v1alpha1',
      kind,
      metadata: { name, namespace, labels: { 'kuma.io/mesh': mesh, team: name } },
    };
    if (kind === 'Mesh') return { type: 'Mesh', name: mesh };
    if (kind === 'MeshTrafficPermission')
      return { ...head, spec: { from: [{ targetRef: { kind: 'Mesh' }, default: { action: 'Allow' } }] } };
    if (kind !== 'MeshTimeout' && kind !== 'MeshHTTPRoute') return { ...head, spec: {} };
    const rest =
      kind === 'MeshHTTPRoute' ? { rules: [{ default: { backendRefs: [backend] } }] } : { default: {} };
    return {
      ...head,
      spec: {
        ...(targetRef === undefined ? {} : { targetRef }),
        to: to.map((one) => ({ targetRef: one, ...rest })),
      },
    };
  });

/** Each name of a kind once, as in any store. */
const folder = fc.array(document, { minLength: 6, maxLength: 14, size: 'max' }).map((all) => {
  const seen = new Map(
    all.map((one) => [
      `${one.kind ?? one.type} ${one.metadata?.namespace} ${one.metadata?.name ?? one.name}`,
      one,
    ]),
  );
  return [...seen.values()];
});
const world = fc.record({ one: folder, two: folder, middle: folder, flat: fc.boolean() });
type World = { one: Value[]; two: Value[]; middle: Value[]; flat: boolean };

function foldersOf({ one, two, middle, flat }: World): [Folder, Folder, Folder] {
  const system = middle.filter(
    ({ metadata }) => metadata === undefined || metadata.namespace === 'kuma-system',
  );
  // In the global that has no namespaces, nothing of its own has one.
  const own = flat
    ? system.map(({ metadata, kind, spec, ...rest }) =>
        metadata === undefined
          ? rest
          : { type: kind, name: metadata.name, mesh: metadata.labels['kuma.io/mesh'], spec },
      )
    : system;
  return [
    new Folder(zone('zone-1'), JSON.stringify(one)),
    new Folder(zone('zone-2'), JSON.stringify(two)),
    new Folder(flat ? universal() : global, JSON.stringify(own)),
  ];
}

function round([one, two, middle]: readonly [Folder, Folder, Folder]): string[] {
  return [sync(one, middle), sync(two, middle), sync(middle, one), sync(middle, two)].flatMap(changes);
}

const identities = (folders: readonly Folder[]): Set<string> =>
  new Set(folders.flatMap((one) => one.own.map(({ value }) => who(value as Value, one))));

describe('random zones', () => {
  test('[ZON10] each run is done when it is done', () => {
    fc.assert(
      fc.property(world, (made) => {
        const [one, two, middle] = foldersOf(made);
        for (const [from, to] of [
          [one, middle],
          [two, middle],
          [middle, one],
          [middle, two],
        ] as const) {
          sync(from, to);
          expect(changes(sync(from, to))).toEqual([]);
        }
      }),
      runs,
    );
  });

  test('[ZON10] what was copied is not copied on as if it were new: copies have their sources for ever', () => {
    fc.assert(
      fc.property(world, (made) => {
        const folders = foldersOf(made);
        const sources = identities(folders);
        round(folders);
        round(folders);
        const before = folders.map(({ files }) => [...files]);
        expect(round(folders)).toEqual([]);
        expect(folders.map(({ files }) => [...files])).toEqual(before);
        for (const place of folders)
          for (const copy of place.copies()) {
            expect(sources).toContain(who(copy, place));
            const [resource] = readResources(documentsOf(JSON.stringify(copy))).resources;
            expect(originOf(resource!, place.side, digest).as).toBe('copy');
          }
      }),
      runs,
    );
  });

  test('[ZON10] the order of documents never matters', () => {
    fc.assert(
      fc.property(world, fc.integer(), (made, seed) => {
        const [one, two, middle] = foldersOf(made);
        sync(two, middle);
        const straight = plan(one, middle).actions.map(({ place: _, ...action }) => action);
        shuffle(one.own, seed);
        shuffle(middle.own, seed);
        expect(plan(one, middle).actions.map(({ place: _, ...action }) => action)).toEqual(straight);
      }),
      runs,
    );
  });

  test('[ZON9] what a reference leads to where it was written, its copies lead to', () => {
    let compared = 0;
    fc.assert(
      fc.property(world, (made) => {
        const folders = foldersOf(made);
        round(folders);
        round(folders);
        const [one, two, middle] = folders.map((place) => leads(place, 'names'));
        for (const [place, home] of [
          [one!, ' zone-1 '],
          [two!, ' zone-2 '],
        ] as const)
          for (const [written, found] of place) {
            if (!written.includes(home)) continue;
            for (const [index, lead] of found.entries()) {
              if (lead.endsWith('nowhere')) continue;
              compared++;
              for (const other of [middle!, one!, two!])
                if (other.has(written))
                  expect([written, other.get(written)![index]]).toEqual([written, lead]);
              expect(middle!.has(written)).toBe(true);
            }
          }
      }),
      runs,
    );
    expect(compared).toBeGreaterThan(20);
  });

  test('[ZON1] [ZON2] copies of all that differs have names that differ', () => {
    fc.assert(
      fc.property(world, (made) => {
        const folders = foldersOf(made);
        round(folders);
        const [, , middle] = folders;
        const all = middle.copies().map((one) => `${one.kind ?? one.type} ${one.metadata?.name ?? one.name}`);
        expect(new Set(all).size).toBe(all.length);
        expect(new Set(middle.copies().map((one) => who(one, middle))).size).toBe(all.length);
      }),
      runs,
    );
  });
});

function shuffle<T>(list: T[], seed: number): void {
  let state = seed >>> 0;
  for (let at = list.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (at + 1);
    [list[at], list[other]] = [list[other]!, list[at]!];
  }
}
