import { describe, expect, test } from 'vitest';
import type { Request } from '../../../../src/pdp/model/request.ts';
import { type Mask, masksOf } from '../../../../src/policy/lint/masks/masks.ts';
import { sorts } from '../../../../src/policy/lint/masks/sorts.ts';
import { Random } from '../../../oracle/random.ts';
import { requestFor } from '../../../oracle/requests.ts';
import { rulesOf } from '../../../oracle/rules.ts';
import { range } from '../../../oracle/run.ts';
import { openTwin, type Twin } from '../../../oracle/twin.ts';
import { sortOfShape, type World, worldOf } from './worlds.ts';

/** What is said to be masked is put to the twin: with all policies, and with those of one sort alone. */

/** Another one each run, named in what fails. */
const fresh = Date.now() % 1_000_000_000;
const perMask = 6;
const mostMasks = 12;

interface Counts {
  worlds: number;
  pairs: Map<string, number>;
  clients: number;
  /** Random requests about which each of the two decides among its own. */
  both: number;
}

function examine(seed: number, { shapes, loaded, groups, known }: World, counts: Counts): void {
  const twin = openTwin(shapes);
  const twins = new Map<string, Twin>();
  const among = (sort: string): Twin => {
    const own = shapes.filter((shape) => [undefined, sort].includes(sortOfShape(shape)));
    const found = twins.get(sort) ?? openTwin(own);
    twins.set(sort, found);
    return found;
  };
  const random = new Random(seed);
  const rules = rulesOf(shapes);
  const masks = masksOf(loaded, groups);
  for (const mask of random.shuffled([...masks]).slice(0, mostMasks)) {
    const { strong, weak, tiers, sorts: ofSorts } = mask;
    const name = `${ofSorts.join('>')} ${tiers.join('<')}`;
    counts.pairs.set(name, (counts.pairs.get(name) ?? 0) + 1);
    const told = `seed ${seed}: ${strong.kri} before ${weak.kri}`;
    for (const request of requestsOf(mask)) {
      counts.clients++;
      const [all, alone] = [twin.decide(request), among(ofSorts[1]).decide(request)];
      expect([told, all.by?.kri, all.tier], JSON.stringify(request)).toEqual([told, strong.kri, tiers[0]]);
      expect([told, alone.by?.kri, alone.tier], JSON.stringify(request)).toEqual([told, weak.kri, tiers[1]]);
      expect(all.decision).not.toBe(alone.decision);
    }
    const mine = rules.filter(({ by }) => by.kri === strong.kri || by.kri === weak.kri);
    for (let i = 0; i < perMask; i++) {
      const request = requestFor(random, mine, known);
      const [one, other] = [among(ofSorts[0]).decide(request), among(ofSorts[1]).decide(request)];
      if (one.by?.kri !== strong.kri || other.by?.kri !== weak.kri) continue;
      if (one.tier !== tiers[0] || other.tier !== tiers[1]) continue;
      counts.both++;
      expect(twin.decide(request).by?.kri, `${told} ${JSON.stringify(request)}`).not.toBe(weak.kri);
    }
  }
}

/** The client of each group at its first inbound and at its last. */
function* requestsOf({ groups, clients }: Mask): Generator<Request> {
  for (const [at, client] of clients.entries()) {
    const { inbounds } = groups[at]!;
    for (const { dataplane, inbound } of new Set([inbounds[0]!, inbounds.at(-1)!])) {
      const { mesh, name } = dataplane;
      const destination = { ...client.destination, mesh, dataplane: name, inbound: inbound.port };
      yield { ...client, destination: destination as Request['destination'] };
    }
  }
}

function run(from: number, sets: number): Counts {
  const counts: Counts = { worlds: 0, pairs: new Map(), clients: 0, both: 0 };
  for (const seed of range(from, sets)) {
    const world = worldOf(seed, 48);
    if (world === undefined) continue;
    counts.worlds++;
    examine(seed, world, counts);
  }
  return counts;
}

describe('[LINT12] a policy that is said to mask another', { timeout: 120_000 }, () => {
  test('decides about a client about whom the other would decide otherwise, and never the other where both do', () => {
    const counts = run(1, 150);
    console.log(counts);
    expect(counts.clients).toBeGreaterThan(300);
    expect(counts.both).toBeGreaterThan(100);
    const common = [
      'ids>tags 2<3',
      'tags>ids 2<3',
      'ids>tags 3<4',
      'privileged>ids 0<3',
      'privileged>tags 0<3',
    ];
    for (const pair of common) expect([pair, counts.pairs.get(pair) ?? 0]).toSatisfy(([, n]) => n >= 5);
    const seen = [...counts.pairs.keys()].flatMap((pair) => pair.split(' ')[0]!.split('>'));
    expect([...new Set(seen)].sort()).toEqual([...sorts].sort());
  });

  test(`and so in sets of this run alone, from seed ${fresh}`, () => {
    expect(run(fresh, 15).worlds).toBeGreaterThan(0);
  });
});
