import { describe, expect, test } from 'vitest';
import { bootstrapDocument } from '../../../src/envoy/export/documents.ts';
import { withoutTls } from '../../../src/envoy/export/listener.ts';
import { ExportRefused } from '../../../src/envoy/export/refused.ts';
import type { Exported, ExportOptions } from '../../../src/envoy/export/types.ts';
import { filesIn } from '../../../src/envoy/export/wiring.ts';
import type { Peer } from '../../../src/envoy/interpreter/evidence.ts';
import type { Asked } from '../../../src/pdp/governing.ts';
import { channelOf } from '../../../src/pdp/model/request.ts';
import { drawnRequest, sourceOf, svidPeer, tagPeer } from '../../envoy/export/peers.ts';
import { type Both, both } from '../../envoy/export/world.ts';
import { live } from '../../live.ts';
import { generate } from '../../oracle/generate.ts';
import { Random } from '../../oracle/random.ts';
import type { Shape } from '../../oracle/shapes.ts';
import {
  type Authority,
  authority,
  type Certificate,
  dns,
  leaf,
  uri,
} from '../../support/certificates/index.ts';
import { type Lab, openLab, type Said } from '../../support/envoy/lab.ts';
import type { ListenerSpec } from '../../support/envoy/listeners.ts';
import { envoyMissing, validate } from '../../support/envoy/program.ts';
import { trustedCa } from '../../support/envoy/trust.ts';

/**
 * One real Envoy with many listeners, each with what was exported of another set, asked by clients with certificates
 * of every sort. It lets any of them connect, so that it is the filters that must not believe them.
 */

const relay = channelOf('relay');
const forms: readonly ExportOptions[] = [
  { form: 'tree' },
  { form: 'list' },
  { form: 'tree', minimise: false },
];

interface Case {
  readonly name: string;
  readonly seed: number;
  readonly tags: boolean;
  readonly set: Both;
  readonly asked: Asked;
  readonly exported: Exported;
}

function documentsOf(seed: number, tags: boolean): Shape[] {
  const { documents } = generate(seed, 0, 40);
  if (!tags) return documents;
  const others = documents.filter((one) => (one.type ?? one.kind) !== 'Mesh');
  return [
    ...others,
    { type: 'Mesh', name: 'default', certificates: 'tags' },
    { type: 'Mesh', name: 'other', certificates: 'tags' },
  ];
}

function cases(seeds: readonly number[], tags: boolean): Case[] {
  return seeds.flatMap((seed) => {
    const set = both(...documentsOf(seed, tags));
    const random = new Random(seed);
    const inbounds = [...set.loaded.inventory.dataplanes.values()].flatMap(({ mesh, name, inbounds: all }) =>
      all.map(({ port }): Asked => ({ mesh, dataplane: name, inbound: port })),
    );
    const asked = random.pick(inbounds);
    return forms.flatMap((options, at) => {
      try {
        // The lab has one route, whose name nobody knows.
        const exported = set.exporter.export(asked, options, 'unknown');
        return [{ name: `${tags ? 'tags' : 'ids'}-${seed}-${at}`, seed, tags, set, asked, exported }];
      } catch (error) {
        if (error instanceof ExportRefused) return [];
        throw error;
      }
    });
  });
}

function listenerOf({ name, exported }: Case, signer: Authority): ListenerSpec {
  const kind = exported.report.filter;
  return { name, kind, filters: exported.filters, trust: trustedCa(signer), certificate: false };
}

/** The same certificate is made once. Undefined: none is presented. */
async function certificateOf(
  peer: Peer,
  signer: Authority,
  made: Map<string, Certificate>,
): Promise<Certificate | undefined> {
  if (!peer.presented) return undefined;
  const key = JSON.stringify(peer);
  let certificate = made.get(key);
  if (certificate === undefined) {
    const sans = [...peer.uriSans.map(uri), ...peer.dnsSans.map(dns)];
    certificate = await leaf(signer, { sans, ...(sans.length === 0 ? { commonName: 'spiffe://td/a' } : {}) });
    made.set(key, certificate);
  }
  return certificate;
}

/** Shadow results in the metadata, under whichever prefix; without one they are the enforced ones. */
function shadowOf({ rbac, verdict }: Said, { exported }: Case): string {
  if (exported.report.shadow_equals_enforced) return verdict;
  const [, result] = Object.entries(rbac).find(([key]) => key.endsWith('shadow_engine_result')) ?? [];
  return result === 'allowed' ? 'allow' : result === 'denied' ? 'deny' : `no result: ${JSON.stringify(rbac)}`;
}

interface Totals {
  requests: number;
  allows: number;
  shadowed: number;
}

async function askAll(lab: Lab, one: Case, signer: Authority, totals: Totals): Promise<void> {
  const random = new Random(one.seed * 31);
  const { inventory } = one.set.loaded;
  const made = new Map<string, Certificate>();
  const http = one.exported.report.filter === 'http';
  for (let p = 0; p < (http ? 10 : 5); p++) {
    const drawnPeer = one.tags ? tagPeer(random, ['default', 'other']) : svidPeer(random, inventory);
    // Whoever presents a certificate here has a valid one.
    const peer = { ...drawnPeer, validated: drawnPeer.presented };
    const encodable = peer.uriSans.every((text) => /^[!-~]+$/.test(text));
    if (!encodable) continue;
    const certificate = await certificateOf(peer, signer, made);
    const sni = random.chance(0.4) ? drawnRequest(random).sni : undefined;
    const client = {
      ...(certificate === undefined ? {} : { certificate }),
      ...(sni === undefined ? {} : { sni }),
    };
    const drawn = Array.from({ length: http ? 6 : 1 }, () => drawnRequest(random)).filter(({ path }) =>
      /^\/[!-~]*$/.test(path),
    );
    const said = http ? await lab.ask(one.name, client, drawn) : [await lab.knock(one.name, client)];
    for (const [at, answer] of said.entries()) {
      const parts = http ? { method: drawn[at]!.method, path: drawn[at]!.path } : {};
      const source = sourceOf(peer, one.tags, inventory);
      const decision = one.set.engine.decide(
        {
          ...(source === undefined ? {} : { source }),
          destination: one.asked,
          request: { ...parts, ...(sni === undefined ? {} : { sni }) },
        },
        relay,
      );
      // What Envoy itself takes for no request is let in by nobody.
      if (answer.verdict === 'refused' || answer.verdict === 'rejected') continue;
      totals.requests++;
      if (decision.decision === 'allow') totals.allows++;
      if (decision.decision !== decision.shadow) totals.shadowed++;
      const told = JSON.stringify({ name: one.name, asked: one.asked, peer, parts, sni, decision, answer });
      expect(answer.verdict, told).toBe(decision.decision);
      expect(shadowOf(answer, one), told).toBe(decision.shadow);
    }
  }
}

describe('exports in a real Envoy', () => {
  live(
    envoyMissing,
    '[ENV2] [ENV3] [ENV4] [ENV8] decide as the PDP does, in both worlds',
    async () => {
      const signer = await authority('td.example');
      const seeds = Array.from({ length: 24 }, (_, i) => i + 1);
      const all = [...cases(seeds, false), ...cases(seeds.slice(0, 12), true)];
      const lab = await openLab(all.map((one) => listenerOf(one, signer)));
      const totals = { requests: 0, allows: 0, shadowed: 0 };
      try {
        for (const one of all) await askAll(lab, one, signer, totals);
      } finally {
        await lab.stop();
      }
      console.log(JSON.stringify({ listeners: all.length, ...totals }));
      expect(totals.requests).toBeGreaterThan(2_000);
      expect(totals.allows / totals.requests).toBeGreaterThan(0.1);
    },
    300_000,
  );

  live(
    envoyMissing,
    '[ENV3] [ENV9] [ENV15] bootstraps and the literal forms of the papers are taken',
    () => {
      const wiring = {
        listen: { host: '127.0.0.1', port: 1 },
        upstream: { host: '127.0.0.1', port: 2 },
        ...filesIn('/tls'),
      };
      for (const one of [...cases([1, 2, 3], false), ...cases([4, 5], true)])
        expect([one.name, validate(withoutTls(bootstrapDocument(one.exported, wiring)))]).toEqual([
          one.name,
          undefined,
        ]);
    },
    120_000,
  );
});

test('[ENV2] the certificates that clients bring are of every sort', () => {
  const random = new Random(1);
  const { loaded } = both(...documentsOf(1, false));
  const peers = Array.from({ length: 300 }, () => svidPeer(random, loaded.inventory));
  for (const count of [0, 1, 2]) expect(peers.some(({ uriSans }) => uriSans.length === count)).toBe(true);
  expect(peers.some(({ dnsSans }) => dnsSans.length > 0)).toBe(true);
  expect(peers.some(({ presented }) => !presented)).toBe(true);
  expect(peers.some(({ uriSans }) => uriSans[0]?.includes(','))).toBe(true);
});
