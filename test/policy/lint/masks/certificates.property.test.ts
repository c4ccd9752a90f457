import { describe, expect, test } from 'vitest';
import { channelOf, type Request, type RequestSource } from '../../../../src/pdp/model/request.ts';
import { barringIn, inertIn } from '../../../../src/policy/lint/masks/certificates.ts';
import type { Group } from '../../../../src/policy/lint/masks/scopes.ts';
import { Random } from '../../../oracle/random.ts';
import { range } from '../../../oracle/run.ts';
import { openTwin } from '../../../oracle/twin.ts';
import * as universe from '../../../oracle/universe.ts';
import { type World, without, worldOf } from './worlds.ts';

/** What is said of certificates is put to the twin, with clients that show their certificate and nothing else. */

const fresh = Date.now() % 1_000_000_000;
const perFinding = 24;
/** A certificate of tags is known to have all of them; one with a SPIFFE ID says nothing of tags (SPEC ENV2). */
const channel = channelOf('relay');

interface Counts {
  worlds: number;
  inert: { spiffe: number; tags: number };
  barring: number;
  /** Requests that a ban decided. */
  barred: number;
  allowed: number;
}

function clientOf(random: Random, certificates: 'spiffe' | 'tags'): RequestSource {
  if (certificates === 'spiffe') return { spiffeId: random.pick(universe.spiffeIds) };
  const some = random.some(Object.keys(universe.tags), 0, 3);
  const tags = some.map((tag) => [tag, random.pick(universe.tags[tag]!)]);
  return { mesh: random.pick(['default', 'other']), tags: Object.fromEntries(tags), complete: true };
}

function requestAt(random: Random, groups: readonly Group[], source: RequestSource): Request {
  const { dataplane, inbound } = random.pick(random.pick(groups).inbounds);
  const { mesh, name } = dataplane;
  const route = random.chance(0.3) ? { route: random.pick(universe.takenRoutes) } : {};
  const request = { method: random.pick(universe.methods), path: random.pick(universe.requestPaths) };
  return { source, destination: { mesh, dataplane: name, inbound: inbound.port, ...route }, request };
}

function examine(seed: number, { shapes, loaded, groups }: World, counts: Counts): void {
  const random = new Random(seed);
  const twin = openTwin(shapes, channel);
  for (const { mesh, policies, groups: where } of inertIn(loaded.inventory, groups)) {
    counts.inert[mesh.certificates]++;
    const rest = without(shapes, new Set(policies.map(({ document }) => document)), channel);
    const named = new Set(policies.map(({ kri }) => kri));
    for (let i = 0; i < perFinding; i++) {
      const request = requestAt(random, where, clientOf(random, mesh.certificates));
      const told = `seed ${seed}: ${[...named].join(', ')}: ${JSON.stringify(request)}`;
      const { decision, tier, by } = twin.decide(request);
      if (decision === 'allow') counts.allowed++;
      expect(rest.decide(request).decision, told).toBe(decision);
      // A default may decide, as what is not there would.
      if (by !== null && named.has(by.kri)) expect([mesh.certificates, tier], told).toEqual(['spiffe', 4]);
    }
  }
  for (const { ban, mesh, masked, groups: where } of barringIn(loaded.inventory, groups)) {
    counts.barring++;
    const named = new Set(masked.map(({ kri }) => kri));
    expect(masked.length).toBeGreaterThan(0);
    for (let i = 0; i < perFinding; i++) {
      const request = requestAt(random, where, clientOf(random, mesh.certificates));
      const told = `seed ${seed}: ${ban.id}: ${JSON.stringify(request)}`;
      const { by, tier } = twin.decide(request);
      if (by?.kri === ban.origin.kri && by.index === ban.origin.index) counts.barred++;
      expect(by !== null && named.has(by.kri) && tier === 3, told).toBe(false);
      expect([0, 1, 2, null], told).toContain(tier);
    }
  }
}

function run(from: number, sets: number): Counts {
  const counts: Counts = { worlds: 0, inert: { spiffe: 0, tags: 0 }, barring: 0, barred: 0, allowed: 0 };
  for (const seed of range(from, sets)) {
    const world = worldOf(seed, 14, seed % 3 === 0 ? 1 : 0);
    if (world === undefined) continue;
    counts.worlds++;
    examine(seed, world, counts);
  }
  return counts;
}

describe('[LINT10] [LINT11] what is said of certificates', { timeout: 120_000 }, () => {
  test('what is without effect can be taken out, and where everybody is barred nobody is let in', () => {
    const counts = run(1, 600);
    console.log(counts);
    expect(counts.inert.spiffe).toBeGreaterThan(10);
    expect(counts.inert.tags).toBeGreaterThan(20);
    expect(counts.barring).toBeGreaterThan(15);
    expect(counts.barred).toBeGreaterThan(300);
    expect(counts.allowed).toBeGreaterThan(50);
  });

  test(`and so in sets of this run alone, from seed ${fresh}`, () => {
    expect(run(fresh, 30).worlds).toBeGreaterThan(0);
  });
});
