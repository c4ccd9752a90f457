import { describe, expect, test } from 'vitest';
import { ExportRefused } from '../../../src/envoy/export/refused.ts';
import type { Exported, ExportOptions } from '../../../src/envoy/export/types.ts';
import type { Peer } from '../../../src/envoy/interpreter/evidence.ts';
import type { Asked } from '../../../src/pdp/governing.ts';
import type { Decision } from '../../../src/pdp/model/decision.ts';
import { channelOf, type RequestParts } from '../../../src/pdp/model/request.ts';
import { Random } from '../../oracle/random.ts';
import { documentsOf } from './documents-of.ts';
import { type Drawn, drawnRequest, seenRequest, sourceOf, svidPeer, tagPeer } from './peers.ts';
import { type Both, both, Chain } from './world.ts';

/** What is exported, as Envoy would evaluate it, against `decide` with the evidence that Envoy has. */

/** What a certificate proves is capped no more (`joinedChannel`). */
const relay = { ...channelOf('relay'), ceiling: 'attested' } as const;

class Counts {
  sets = 0;
  exports = 0;
  exact = 0;
  requests = 0;
  allows = 0;
  shadowed = 0;
  routed = 0;
  connections = 0;
  readonly tiers = new Set<string>();
  readonly forms = new Set<string>();

  add({ decision, shadow, tier }: Decision): void {
    this.requests++;
    if (decision === 'allow') this.allows++;
    if (decision !== shadow) this.shadowed++;
    this.tiers.add(String(tier));
  }

  get print(): string {
    const { tiers, forms, ...numbers } = this;
    return JSON.stringify(numbers);
  }
}

const forms: readonly ExportOptions[] = [
  { form: 'tree' },
  { form: 'list' },
  { form: 'tree', minimise: false },
  { form: 'list', minimise: false },
  { form: 'list', shadow: 'paper' },
];

interface Sample {
  readonly peer: Peer;
  readonly drawn: Drawn;
  readonly decision: Decision;
}

/** Compares one export of a set; all that is needed to see a failure again is in what it throws. */
class Comparison {
  readonly #both: Both;
  readonly #random: Random;
  readonly #tags: boolean;

  constructor(set: Both, random: Random, tags: boolean) {
    this.#both = set;
    this.#random = random;
    this.#tags = tags;
  }

  run(seed: number, asked: Asked, options: ExportOptions, counts: Counts, samples: number): void {
    const random = this.#random;
    const mode = random.pick(['each', 'each', 'unknown'] as const);
    const exported = exportedOr(() => this.#both.exporter.export(asked, options, mode));
    if (exported === undefined) return;
    const { filter, policies } = exported.report;
    const exact = policies.every((one) => one.class === 'exact');
    const named = mode === 'each' && filter === 'http' && 'dataplane' in asked;
    const routes = named ? [...exported.routes.map(({ route }) => route), 'none-of-them'] : [undefined];
    // A connection there has no request yet: what is exact holds for every one to come.
    const declaredHttp = this.#declaredHttp(asked);
    counts.exports++;
    counts.forms.add(exported.report.form);
    if (exact) counts.exact++;
    if (routes.length > 1) counts.routed++;
    for (const route of routes) {
      const chain = route === undefined ? Chain.of(exported) : Chain.ofRoute(exported, route);
      for (let i = 0; i < samples; i++) {
        const shown = filter === 'http' || !exact || declaredHttp;
        const { peer, drawn, decision } = this.#sample(asked, route, shown);
        counts.add(decision);
        if (filter === 'network' && exact && declaredHttp) counts.connections++;
        const { sni } = drawn;
        const verdict = chain.decide(
          { ...peer, ...(sni === undefined ? {} : { sni }) },
          filter === 'http' ? seenRequest(drawn) : undefined,
        );
        const told = JSON.stringify({ seed, asked, options, route, mode, peer, drawn, decision, verdict });
        if (!exact && verdict.enforced === 'deny') continue;
        expect(verdict.enforced, told).toBe(decision.decision);
        if (exact && options.shadow !== 'paper') expect(verdict.shadow, told).toBe(decision.shadow);
        if (filter === 'http' && i % 4 === 0)
          this.#withoutPath(asked, route, chain, peer, declaredHttp, options.shadow === 'paper');
      }
    }
  }

  /** `CONNECT` has no path: elsewhere than where it is denied an export lets in no more than the PDP. */
  #withoutPath(
    asked: Asked,
    route: string | undefined,
    chain: Chain,
    peer: Peer,
    declaredHttp: boolean,
    paper: boolean,
  ): void {
    const { decision, reason } = this.#decide(asked, route, peer, { method: 'CONNECT' });
    const { enforced, shadow } = chain.decide(peer, { method: 'CONNECT' });
    const told = JSON.stringify({ asked, route, peer, decision, enforced });
    if (declaredHttp)
      expect([decision, enforced, paper ? 'deny' : shadow], told).toEqual(['deny', 'deny', 'deny']);
    else if (decision === 'deny') expect(enforced, `${told} ${reason}`).toBe('deny');
  }

  #declaredHttp(asked: Asked): boolean {
    const source = { spiffeId: 'spiffe://td/a' };
    return this.#both.engine.decide({ source, destination: asked }, relay).reason === 'incomplete-request';
  }

  /** Where the most is allowed: at many a destination nothing is. */
  liveliest(candidates: readonly Asked[]): Asked {
    const allows = (asked: Asked) =>
      Array.from({ length: 20 }, () => this.#draw(asked, undefined, true)).filter(
        ({ decision }) => decision.decision === 'allow',
      ).length;
    const counted = candidates.map((asked) => ({ asked, count: allows(asked) }));
    return counted.sort((a, b) => b.count - a.count)[0]!.asked;
  }

  /** Often one that is allowed: most that are drawn are not. */
  #sample(asked: Asked, route: string | undefined, shown: boolean): Sample {
    const tries = this.#random.chance(0.75) ? 24 : 1;
    let sample = this.#draw(asked, route, shown);
    for (let i = 1; i < tries && sample.decision.decision === 'deny'; i++)
      sample = this.#draw(asked, route, shown);
    return sample;
  }

  #draw(asked: Asked, route: string | undefined, shown: boolean): Sample {
    const { inventory } = this.#both.loaded;
    const random = this.#random;
    const peer = this.#tags ? tagPeer(random, ['default', 'other']) : svidPeer(random, inventory);
    const drawn = drawnRequest(random);
    const { method, path, sni } = drawn;
    const parts = { ...(shown ? { method, path } : {}), ...(sni === undefined ? {} : { sni }) };
    return { peer, drawn, decision: this.#decide(asked, route, peer, parts) };
  }

  #decide(asked: Asked, route: string | undefined, peer: Peer, request: RequestParts): Decision {
    const source = sourceOf(peer, this.#tags, this.#both.loaded.inventory);
    const destination = { ...asked, ...(route === undefined ? {} : { route }) };
    return this.#both.engine.decide(
      { ...(source === undefined ? {} : { source }), destination, request },
      relay,
    );
  }
}

function exportedOr(work: () => Exported): Exported | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ExportRefused) || !['protocol', 'not-exact'].includes(error.refusal.code))
      throw error;
    return undefined;
  }
}

function check(seed: number, tags: boolean, counts: Counts, samples: number): void {
  const set = both(...documentsOf(seed, tags, 40));
  const random = new Random(seed);
  const { inventory } = set.loaded;
  const inbounds = [...inventory.dataplanes.values()].flatMap(({ mesh, name, inbounds: all }) =>
    all.map(({ port }): Asked => ({ mesh, dataplane: name, inbound: port })),
  );
  const services = tags ? [] : [...inventory.services.keys()].map((service): Asked => ({ service }));
  counts.sets++;
  const comparison = new Comparison(set, random, tags);
  const candidates = random.some([...inbounds, ...inbounds, ...services], 1, 5);
  const asked = comparison.liveliest(candidates);
  for (const form of forms) {
    const filter = random.chance(0.2) ? ({ filter: 'network' } as const) : {};
    comparison.run(seed, asked, { ...form, ...filter, allowNarrower: true }, counts, samples);
  }
}

/** Another one each run, printed with what fails, so that a failure can be had again. */
const fresh = Date.now() % 1_000_000_000;

describe('an export decides as the PDP does', { timeout: 300_000 }, () => {
  test('[ENV2] [ENV3] [ENV4] [ENV5] [ENV6] [ENV7] [ENV13] clients with SPIFFE IDs, in every form', () => {
    const counts = new Counts();
    for (let seed = 1; seed <= 220; seed++) check(seed, false, counts, 16);
    console.log(counts.print);
    expect(counts.exact / counts.exports).toBeGreaterThan(0.8);
    expect(counts.allows / counts.requests).toBeGreaterThan(0.3);
    expect(counts.shadowed / counts.requests).toBeGreaterThan(0.05);
    expect(counts.routed).toBeGreaterThan(8);
    expect(counts.connections).toBeGreaterThan(200);
    expect([...counts.tiers].sort()).toEqual(['0', '1', '2', '3', '4', 'null']);
    expect([...counts.forms].sort()).toEqual(['list', 'tree']);
  });

  test('[ENV2] [ENV4] [ENV8] [ENV13] clients with certificates of tags', () => {
    const counts = new Counts();
    for (let seed = 1; seed <= 160; seed++) check(seed, true, counts, 16);
    console.log(counts.print);
    expect(counts.allows / counts.requests).toBeGreaterThan(0.2);
    expect(counts.shadowed / counts.requests).toBeGreaterThan(0.05);
    expect([...counts.tiers].sort()).toEqual(['0', '1', '2', '3', '4', 'null']);
  });

  test(`[ENV2] on sets of this run alone, from seed ${fresh}`, () => {
    const counts = new Counts();
    for (let seed = fresh; seed < fresh + 40; seed++) check(seed, seed % 2 === 0, counts, 20);
  });
});
