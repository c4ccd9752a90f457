import { describe, expect, test } from 'vitest';
import { ExportRefused } from '../../../src/envoy/export/refused.ts';
import type { Filter, FilterKind } from '../../../src/envoy/export/types.ts';
import { findDataplane } from '../../../src/pdp/model/inventory.ts';
import { generate } from '../../oracle/generate.ts';
import { Random } from '../../oracle/random.ts';
import { withTagMeshes } from '../export/documents-of.ts';
import { drawnRequest, seenRequest, svidPeer, tagPeer } from '../export/peers.ts';
import { type Both, both, Chain } from '../export/world.ts';

/** Filters of two sets of policies that stand together for a moment, since Envoy exchanges them one after the other. */

interface Side {
  readonly filters: readonly Filter[];
  readonly chain: Chain;
}

function sideOf({ exporter }: Both, asked: Asked, filter: FilterKind): Side | undefined {
  try {
    const filters = exporter.filters(asked, filter);
    // What is written into a listener decides as the PDP does (ENV2).
    return { filters, chain: Chain.of(exporter.export(asked, { filter }, 'unknown')) };
  } catch (error) {
    if (error instanceof ExportRefused) return undefined;
    throw error;
  }
}

interface Asked {
  readonly mesh: string;
  readonly dataplane: string;
  readonly inbound: string;
}

const permissions = ['MeshTrafficPermission', 'AccessPolicy', 'PrivilegedAccessPolicy'];

function compare(seed: number, counts: { mixed: number; allows: number; between: number }): void {
  const random = new Random(seed);
  const { documents } = generate(seed, 0, 40);
  const fewer = documents.filter(
    (one) => !permissions.includes(String(one.type ?? one.kind)) || random.chance(0.5),
  );
  const [first, second] = [random.chance(0.6), random.chance(0.6)];
  const [old, next] = [
    both(...(first ? withTagMeshes(documents) : documents)),
    both(...(second ? withTagMeshes(fewer) : fewer)),
  ];
  const { dataplanes } = old.loaded.inventory;
  for (const { mesh, name, inbounds } of random.some([...dataplanes.values()], 1, 4)) {
    const { port, protocol } = random.pick(inbounds);
    if (findDataplane(next.loaded.inventory, mesh, name) === undefined) continue;
    const filter = protocol === 'http' ? 'http' : 'network';
    const asked = { mesh, dataplane: name, inbound: String(port) };
    const [was, is] = [sideOf(old, asked, filter), sideOf(next, asked, filter)];
    if (was === undefined || is === undefined) continue;
    const mixed = [
      [was.filters[0], is.filters[1]],
      [is.filters[0], was.filters[1]],
    ].map((filters) => Chain.of({ filters: filters.filter((one) => one !== undefined) }));
    for (let i = 0; i < 40; i++) {
      const tags = random.chance(first || second ? 0.8 : 0.1);
      const peer = tags ? tagPeer(random, ['default', 'other']) : svidPeer(random, old.loaded.inventory);
      const drawn = drawnRequest(random);
      const { sni } = drawn;
      const seen = [
        { ...peer, ...(sni === undefined ? {} : { sni }) },
        filter === 'http' ? seenRequest(drawn) : undefined,
      ] as const;
      const told = JSON.stringify({ seed, asked, first, second, peer, drawn });
      const verdicts = [was, is].map(({ filters, chain }) => {
        const verdict = chain.decide(...seen);
        // All of them, and the first alone.
        for (const some of [filters, filters.slice(0, 1)]) {
          const { enforced, shadow } = Chain.of({ filters: some }).decide(...seen);
          expect([enforced, shadow], told).toEqual([verdict.enforced, verdict.shadow]);
        }
        return verdict.enforced;
      });
      for (const chain of mixed) expect(verdicts, told).toContain(chain.decide(...seen).enforced);
      counts.mixed++;
      if (verdicts.includes('allow')) counts.allows++;
      if (verdicts[0] !== verdicts[1]) counts.between++;
    }
  }
}

describe('filters of two sets at once', { timeout: 300_000 }, () => {
  test('[XDS8] give a verdict that one of the sets gives, whichever of them Envoy exchanges first', () => {
    const counts = { mixed: 0, allows: 0, between: 0 };
    for (let seed = 1; seed <= 50; seed++) compare(seed, counts);
    expect(counts.mixed).toBeGreaterThan(1_500);
    expect(counts.allows / counts.mixed).toBeGreaterThan(0.05);
    expect(counts.between).toBeGreaterThan(60);
  });

  test('[ENV8] many server names make no filter that is out of proportion', () => {
    const names = Array.from({ length: 30 }, (_, at) => `s${at}.example`);
    const of = (name: string, path: string) => ({
      sni: { type: 'Exact', value: name },
      path: { type: 'Exact', value: path },
    });
    const set = both(
      { type: 'Mesh', name: 'default', certificates: 'tags' },
      { type: 'Dataplane', name: 'web', inbounds: [{ name: 'api', port: 80, protocol: 'http' }] },
      {
        type: 'MeshTrafficPermission',
        name: 'by-names',
        spec: {
          rules: [
            {
              default: {
                allow: names.map((name) => of(name, `/${name}`)),
                deny: names.map((name) => of(name, '/never')),
                allowWithShadowDeny: names.map((name) => of(name, '/old')),
              },
            },
          ],
        },
      },
    );
    const filters = set.exporter.filters({ mesh: 'default', dataplane: 'web', inbound: 'api' }, 'http');
    expect(JSON.stringify(filters).length).toBeLessThan(300_000);
    const chain = Chain.of({ filters: filters.slice(0, 1) });
    const peer = { uriSans: ['spiffe://default/web'], dnsSans: [], presented: true, validated: true };
    for (const sni of [...names.slice(0, 3), 'else.example', undefined])
      for (const path of ['/s0.example', '/s2.example', '/never', '/old', '/']) {
        const own = sni !== undefined && path === `/${sni}`;
        const listed = sni?.startsWith('s') === true;
        const { enforced, shadow } = chain.decide(
          { ...peer, ...(sni === undefined ? {} : { sni }) },
          { method: 'GET', path },
        );
        const old = listed && path === '/old';
        expect([enforced, shadow]).toEqual([own || old ? 'allow' : 'deny', own ? 'allow' : 'deny']);
      }
  });
});
