import { ExportRefused } from '../../../../src/envoy/export/refused.ts';
import type { Exported, ExportOptions } from '../../../../src/envoy/export/types.ts';
import type { MetadataStruct } from '../../../../src/envoy/interpreter/evidence.ts';
import type { Decision } from '../../../../src/pdp/model/decision.ts';
import { Chain } from '../../../envoy/export/world.ts';
import { Random } from '../../../oracle/random.ts';
import { type Lab, openLab, type Said } from '../../../support/envoy/lab.ts';
import { trustedCa } from '../../../support/envoy/trust.ts';
import { type Drawn, draw, sorts } from './drawn.ts';
import { told } from './rules.ts';
import { type Callers, callersOf, gateways, type World, worldOf } from './world.ts';

/** Tokens through a real Envoy with an export, beside what the PDP says of what they tell by the rules. */

export interface Counts {
  sets: number;
  requests: number;
  allowed: number;
  shadowDiffers: number;
  refused: number;
  interpreted: number;
  readonly tiers: Set<string>;
  readonly operators: Set<string>;
  readonly floors: Set<string>;
  readonly sorts: Map<string, number>;
}

export interface Difference {
  readonly what: string;
  readonly seed: number;
  readonly service: string;
  readonly sort: string;
  readonly token: unknown;
  readonly pdp: unknown;
  readonly envoy: Said;
}

interface Job {
  readonly world: World;
  readonly service: string;
  readonly exported: Exported;
  readonly options: ExportOptions;
  readonly listener: string;
  readonly random: Random;
}

const forms: readonly ExportOptions[] = [
  { form: 'tree' },
  { form: 'list' },
  { form: 'tree', minimise: false },
  { form: 'list', minimise: false },
];

function jobsOf(seed: number): Job[] {
  const world = worldOf(seed);
  const service = new Random(seed).pick(world.services);
  return [0, 1].flatMap((at): Job[] => {
    const options: ExportOptions = { attributes: 'jwt', ...forms[(seed + at) % forms.length] };
    try {
      const exported = world.set.exporter.export({ service }, options);
      const random = new Random(seed * forms.length + at);
      return [{ world, service, exported, options, listener: `${seed}-${at}`, random }];
    } catch (error) {
      // A policy with conditions by the hundred is deeper than Envoy reads.
      if (error instanceof ExportRefused && error.refusal.code === 'too-deep') return [];
      throw error;
    }
  });
}

const setsOfLab = 30;
const atOnce = 12;

export async function compareSets(
  from: number,
  count: number,
  requests: number,
  counts: Counts,
): Promise<Difference[]> {
  const callers = await callersOf(24);
  for (let start = from; start < from + count; start += setsOfLab) {
    const seeds = Array.from({ length: Math.min(setsOfLab, from + count - start) }, (_, i) => start + i);
    const jobs = seeds.flatMap((seed) => (worldOf(seed).services.length === 0 ? [] : jobsOf(seed)));
    counts.sets += new Set(jobs.map(({ world }) => world.seed)).size;
    for (const { world } of jobs) note(world, counts);
    const lab = await openLab(
      jobs.map(({ listener, exported }) => ({
        name: listener,
        kind: 'http',
        filters: exported.filters,
        trust: trustedCa(...callers.trusted),
      })),
    );
    try {
      const found: Difference[] = [];
      const queue = [...jobs];
      const worker = async () => {
        for (let job = queue.shift(); job !== undefined; job = queue.shift())
          found.push(...(await compareJob(lab, job, callers, requests, counts)));
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      if (found.length > 0) return found;
    } finally {
      await lab.stop();
    }
  }
  return [];
}

function note({ set }: World, { operators, floors }: Counts): void {
  for (const { when } of set.loaded.rules)
    for (const { op, floor } of when) {
      operators.add(op);
      if (floor !== undefined) floors.add(floor);
    }
}

async function compareJob(
  lab: Lab,
  job: Job,
  callers: Callers,
  requests: number,
  counts: Counts,
): Promise<Difference[]> {
  const { world, service, random } = job;
  const { inventory } = world.set.loaded;
  const drawn = Array.from({ length: requests }, (_, i) => {
    if (i % 3 === 0) return draw(random, callers, service, Date.now(), random.pick(sorts));
    // Of those that are drawn blindly few are let in.
    let best = draw(random, callers, service, Date.now());
    for (let tries = 0; tries < 6 && decide(job, best)?.decision !== 'allow'; tries++)
      best = draw(random, callers, service, Date.now());
    return best;
  });
  const chain = Chain.of(job.exported);
  const found: Difference[] = [];
  for (const one of drawn) {
    const { caller, token, sort } = one;
    const headers = token === undefined ? {} : { 'x-placet-token': token.text };
    const [envoy] = await lab.ask(job.listener, { certificate: caller.certificate }, [{ headers }]);
    const decision = decide(job, one);
    const pdp = { enforced: decision?.decision ?? 'deny', shadow: decision?.shadow ?? 'deny' };
    counts.requests++;
    counts.sorts.set(sort, (counts.sorts.get(sort) ?? 0) + 1);
    counts.tiers.add(decision === undefined ? 'refused' : String(decision.tier));
    if (decision === undefined) counts.refused++;
    if (pdp.enforced === 'allow') counts.allowed++;
    if (pdp.enforced !== pdp.shadow) counts.shadowDiffers++;
    const wrong: string[] = [];
    const enforced = envoy!.verdict === 'allow' ? 'allow' : 'deny';
    if (enforced !== pdp.enforced) wrong.push('the verdict');
    const result = envoy!.rbac['shadow_engine_result'];
    const shadow = result === undefined ? enforced : result === 'allowed' ? 'allow' : 'deny';
    if (shadow !== pdp.shadow) wrong.push('the shadow');
    if (envoy!.metadata !== undefined) {
      counts.interpreted++;
      const peer = { uriSans: caller.uriSans, dnsSans: [], presented: true, validated: true };
      const metadata = envoy!.metadata as MetadataStruct;
      const said = chain.decide(peer, { method: 'GET', path: '/', metadata });
      if (said.enforced !== enforced || said.shadow !== shadow) wrong.push('the interpreter');
    }
    if (envoy!.verdict === 'allow' && envoy!.token !== undefined) wrong.push('the token that goes on');
    if (wrong.length > 0)
      found.push({
        what: wrong.join(', '),
        seed: world.seed,
        service,
        sort,
        token: token && { header: token.header, claims: token.claims },
        pdp: { ...pdp, decision, peers: [...(inventory.peers?.values() ?? [])] },
        envoy: envoy!,
      });
  }
  return found;
}

function decide({ world, service }: Job, one: Drawn): Decision | undefined {
  const { inventory } = world.set.loaded;
  const known = told(one, gateways, inventory, service, Date.now());
  if (known === undefined) return undefined;
  const { source, channel } = known;
  const request = { source, destination: { service }, request: { method: 'GET', path: '/' } };
  return world.set.engine.decide(request, channel);
}
