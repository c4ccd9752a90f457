import type { Decision } from '../../../../../src/pdp/model/decision.ts';
import { both } from '../../../../envoy/export/world.ts';
import { type Lab, openLab } from '../../../../support/envoy/lab.ts';
import { grpcCluster, type ListenerSpec } from '../../../../support/envoy/listeners.ts';
import { authoritiesOf, type HttpPlacet, serveByHttp, servePlacet } from '../../authz/placet.ts';
import { plainCluster } from '../../authz/world.ts';
import { authorities, trusts } from '../certificates.ts';
import { listenerFor, plainListener } from '../listener.ts';
import { type Compare, inTurn } from '../run.ts';
import { exportOf } from '../sets.ts';
import { type Differs, question } from '../small.ts';
import { askingByGrpc, askingByHttp, forwardingOf } from './asking.ts';
import { compareModes } from './compare.ts';
import { ModeCounts } from './counts.ts';
import { type Job, jobOf, jobsOf } from './job.ts';

interface Opened {
  readonly lab: Lab;
  decided(job: Job): (id: string) => Decision | undefined;
  close(): Promise<void>;
}

/** An Envoy with all listeners of the jobs, and what it asks: one server by gRPC, and one for each set by HTTP. */
async function open(jobs: readonly Job[]): Promise<Opened> {
  const trust = await trusts();
  const known = authoritiesOf(await authorities());
  const worlds = new Map(jobs.map(({ world }) => [world.seed, world]));
  const placet = await servePlacet(new Map([...worlds].map(([seed, { set }]) => [String(seed), set])), known);
  const byHttp = new Map<number, HttpPlacet>();
  for (const [seed, { set }] of worlds)
    byHttp.set(seed, await serveByHttp(set, known, forwardingOf(seed).xfcc));
  const close = async () => {
    for (const one of [placet, ...byHttp.values()]) await one.close();
  };
  try {
    const lab = await openLab(
      jobs.flatMap((job) => listenersOf(job, trust(job.world.seed))),
      {
        clusters: [
          grpcCluster('placet', placet.port),
          ...[...byHttp].map(([seed, { port }]) => plainCluster(`placet-${seed}`, port)),
        ],
      },
    );
    return {
      lab,
      decided:
        ({ world }) =>
        (id) =>
          byHttp.get(world.seed)?.decided.get(id),
      close: () => lab.stop().then(close),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function listenersOf(job: Job, trust: ListenerSpec['trust']): ListenerSpec[] {
  const { world, filter, form, listeners } = job;
  const { seed, asked } = world;
  const route = form?.route;
  const grpc = askingByGrpc(filter, String(seed), asked, route);
  const specs = [plainListener(listeners.grpc, filter, [grpc], trust)];
  if (form !== undefined) specs.push(listenerFor(listeners.native, form, trust));
  if (filter === 'http') {
    const { manager } = forwardingOf(seed);
    const asking = askingByHttp(`placet-${seed}`, asked, route);
    specs.push({ ...plainListener(listeners.http, filter, [asking], trust), manager });
  }
  return specs;
}

/** Each set through the PDP itself, Envoys that ask it, and an Envoy with the export. */
export const compareAllModes: Compare<ModeCounts> = async (worlds, counts) => {
  const jobs = worlds.flatMap(jobsOf);
  const { lab, decided, close } = await open(jobs);
  try {
    return await inTurn(jobs, async (job) => {
      const { world, filter, form, clients } = job;
      counts.exports++;
      if (form === undefined) counts.withoutExport++;
      else counts.formed(form);
      counts.ways[filter === 'http' ? 'grpc' : 'network'].sets++;
      if (form !== undefined) counts.ways[`native ${filter}`].sets++;
      if (filter === 'http') {
        counts.ways['http'].sets++;
        counts.forwardings.add(forwardingOf(world.seed).name);
      }
      const found = [];
      for (const client of clients)
        found.push(...(await compareModes(lab, job, client, decided(job), counts)));
      return found;
    });
  } finally {
    await close();
  }
};

export const modesDiffer: Differs = async (known, documents) => {
  const { seed, tags, asked, filter, options, route, client, method, path } = known;
  const set = both(...documents);
  const exported = options && exportOf(set, asked, options);
  const form = options && exported && { options, exported, route };
  const world = { seed, documents, tags, set, asked, exports: [], clients: [] };
  const again = { ...client, questions: [question(set, method, path)] };
  const job = jobOf(world, filter, form, [again]);
  const { lab, decided, close } = await open([job]);
  try {
    const found = await compareModes(lab, job, again, decided(job), new ModeCounts());
    return found.find(({ what }) => what === known.what);
  } finally {
    await close();
  }
};
