import { describe, expect } from 'vitest';
import type { Asked } from '../../../src/pdp/governing.ts';
import { live } from '../../live.ts';
import { type Lab, openLab, type Said } from '../../support/envoy/lab.ts';
import { type Filter, grpcCluster, type ListenerSpec } from '../../support/envoy/listeners.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { servePlacet } from './authz/placet.ts';
import { authorities, bundles, certificateOf } from './verdicts/certificates.ts';
import { type Client, decide } from './verdicts/clients.ts';
import { listenerFor } from './verdicts/listener.ts';
import { type Form, type WorldSet, worldSet } from './verdicts/sets.ts';

/** The PDP asked itself, an Envoy that asks it, and an Envoy with the export: one verdict of all three. */

const type = (name: string) => `type.googleapis.com/${name}`;

/** Filters of both sorts that ask; which set, and what for, stands in the metadata of their calls. */
function asking(kind: 'http' | 'network', world: string, asked: Asked): Filter {
  const said =
    'service' in asked
      ? { service: asked.service }
      : { mesh: asked.mesh, dataplane: asked.dataplane, inbound: asked.inbound };
  const initial_metadata = [
    { key: 'x-world', value: world },
    ...Object.entries(said).flatMap(([key, value]) =>
      value === undefined ? [] : [{ key: `x-placet-${key}`, value: String(value) }],
    ),
  ];
  const shared = {
    transport_api_version: 'V3',
    include_peer_certificate: true,
    include_tls_session: true,
    grpc_service: { envoy_grpc: { cluster_name: 'placet' }, timeout: '10s', initial_metadata },
  };
  return {
    name: `envoy.filters.${kind}.ext_authz`,
    typed_config: {
      '@type': type(`envoy.extensions.filters.${kind}.ext_authz.v3.ExtAuthz`),
      ...(kind === 'network' ? { stat_prefix: 'placet' } : {}),
      ...shared,
    },
  };
}

/** Many sets in one Envoy. */
const setsOfLab = 55;

interface Job {
  readonly world: WorldSet;
  readonly form: Form;
  readonly native: string;
  readonly asks: string;
}

class Tally {
  requests = 0;
  allowed = 0;
  shadowDiffers = 0;
  sets = 0;
  network = 0;
  early = 0;
  readonly wrong: unknown[] = [];
}

async function compareModes(seeds: readonly number[], tags: boolean, tally: Tally): Promise<void> {
  const worlds = seeds.map((seed) => worldSet(seed, tags));
  const strict = await bundles();
  const placet = await servePlacet(
    new Map(worlds.map((world) => [String(world.seed), world.set])),
    await authorities(),
  );
  // Routes are what only a route's own configuration says; forms have their own test.
  const jobs = worlds.flatMap((world): Job[] => {
    tally.sets++;
    const kinds = new Map(
      world.exports
        .filter(({ exported, options }) => exported.routes.length === 0 && options.form !== 'table')
        .filter(
          ({ exported: { report }, options }) =>
            options.shadow !== 'paper' && report.policies.every((one) => one.class === 'exact'),
        )
        .map((form) => [form.exported.report.filter, form] as const),
    );
    return [...kinds].map(([kind, form]) => {
      const name = `${world.seed}-${kind}`;
      return { world, form, native: `${name}-native`, asks: `${name}-asks` };
    });
  });
  const specs = jobs.flatMap(({ world, form, native, asks }): ListenerSpec[] => {
    const own = listenerFor(native, form, strict);
    const { filter } = form.exported.report;
    return [own, { ...own, name: asks, filters: [asking(filter, String(world.seed), world.asked)] }];
  });
  const lab = await openLab(specs, { clusters: [grpcCluster('placet', placet.port)] });
  try {
    const queue = [...jobs];
    const worker = async () => {
      for (let job = queue.shift(); job !== undefined; job = queue.shift())
        for (const client of job.world.clients) await compareClient(lab, job, client, tally);
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  } finally {
    await lab.stop();
    await placet.close();
  }
}

async function compareClient(lab: Lab, { world, form, native, asks }: Job, client: Client, tally: Tally) {
  const { set, asked, tags, seed } = world;
  const { filter } = form.exported.report;
  const certificate = await certificateOf(client.peer);
  const connecting = {
    ...(certificate === undefined ? {} : { certificate }),
    ...(client.sni === undefined ? {} : { sni: client.sni }),
  };
  const questions = client.questions.map(({ method, path }) => ({ method, path }));
  const said = async (listener: string): Promise<Said[]> =>
    filter === 'http'
      ? await lab.ask(listener, connecting, questions)
      : [await lab.knock(listener, connecting)];
  const [ofNative, ofAsking] = [await said(native), await said(asks)];
  for (const [at, one] of ofNative.entries()) {
    const other = ofAsking[at] as Said;
    if (one.verdict === 'refused' || one.verdict === 'rejected') {
      if (other.verdict !== one.verdict) tally.wrong.push({ seed, what: 'the handshake', one, other });
      continue;
    }
    const { method, path } = questions[at] as { method: string; path: string };
    const pdp = decide(set, asked, tags, client, { method, path }, { shown: filter === 'http' });
    const metadata = (other.metadata?.[`envoy.filters.${filter}.ext_authz`] ?? {}) as Record<string, unknown>;
    tally.requests++;
    if (filter === 'network') tally.network++;
    if (pdp.decision === 'allow') tally.allowed++;
    if (pdp.shadow !== pdp.decision) tally.shadowDiffers++;
    const shadow = metadata['shadow'];
    // Of a connection to an inbound declared http the PDP knows no request, and lets in nobody; an export for
    // connections lets in whom no request could keep out.
    const early = pdp.reason === 'incomplete-request';
    if (early) tally.early++;
    const nativeAgrees = early || one.verdict === other.verdict;
    if (pdp.decision !== other.verdict || !nativeAgrees || shadow !== pdp.shadow)
      tally.wrong.push({
        seed,
        asked,
        peer: client.peer,
        sni: client.sni,
        method,
        path,
        filter,
        pdp: [pdp.decision, pdp.shadow, pdp.reason],
        asking: [other.verdict, shadow, metadata['reason']],
        native: one.verdict,
      });
  }
}

const seedsFrom = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

async function agree(seeds: readonly number[], tags: boolean): Promise<Tally> {
  const tally = new Tally();
  for (let at = 0; at < seeds.length && tally.wrong.length === 0; at += setsOfLab)
    await compareModes(seeds.slice(at, at + setsOfLab), tags, tally);
  console.log(
    `seeds ${seeds[0]} to ${seeds.at(-1)}: ${tally.sets} sets, ${tally.requests} requests (${tally.network} connections), ${tally.allowed} allowed, ${tally.shadowDiffers} with another shadow, ${tally.wrong.length} wrong`,
  );
  expect(tally.wrong.length, JSON.stringify(tally.wrong.slice(0, 3), null, 1)).toBe(0);
  return tally;
}

const minutes = 60_000;

describe('one verdict of three modes', () => {
  live(
    envoyMissing,
    '[AUTHZ7] the PDP, Envoys that ask it, and Envoys with the export, for clients with SPIFFE IDs',
    async () => {
      const tally = await agree(seedsFrom(1, 220), false);
      expect(tally.requests).toBeGreaterThan(8_000);
      expect(tally.network - tally.early).toBeGreaterThan(100);
      expect(tally.allowed / (tally.requests - tally.early)).toBeGreaterThan(0.3);
      expect(tally.shadowDiffers).toBeGreaterThan(200);
    },
    10 * minutes,
  );

  live(
    envoyMissing,
    '[AUTHZ7] the same for clients with certificates of tags',
    async () => {
      const tally = await agree(seedsFrom(1_001, 100), true);
      expect(tally.requests).toBeGreaterThan(1_000);
      expect(tally.allowed / tally.requests).toBeGreaterThan(0.3);
    },
    10 * minutes,
  );
});
