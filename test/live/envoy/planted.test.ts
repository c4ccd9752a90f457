import { describe, expect } from 'vitest';
import type { Peer } from '../../../src/envoy/interpreter/evidence.ts';
import type { Difference } from '../../../src/envoy/verify/compare.ts';
import { both } from '../../envoy/export/world.ts';
import { verifyFilters } from '../../envoy/verify/exported.ts';
import type { Json } from '../../envoy/verify/planting.ts';
import { spiffeMutants } from '../../envoy/verify/spiffe-mutants.ts';
import * as spiffe from '../../envoy/verify/spiffe-world.ts';
import { tagMutants } from '../../envoy/verify/tag-mutants.ts';
import * as tags from '../../envoy/verify/tag-world.ts';
import { live } from '../../live.ts';
import {
  type Authority,
  authority,
  type Certificate,
  dns,
  leaf,
  uri,
} from '../../support/certificates/index.ts';
import { type Lab, openLab, type Said } from '../../support/envoy/lab.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { trustedCa } from '../../support/envoy/trust.ts';

/** Mistakes planted in exports: the requests that the interpreter finds them by are decided wrongly by a real Envoy. */

const worlds = { list: spiffe, trees: spiffe, tags };
/** Sorts of differences that are tried of each mistake. */
const most = 4;

interface Planted {
  readonly name: string;
  readonly kind: 'http' | 'network';
  readonly filters: Json[];
  readonly differences: readonly Difference[];
}

function planted(): Planted[] {
  return [...spiffeMutants, ...tagMutants].map((mutant) => {
    const world = worlds[mutant.world];
    const set = both(...world.documents);
    const exported = set.exporter.export(world.destination, {
      form: mutant.world === 'trees' ? 'tree' : 'list',
    });
    const filters = structuredClone(exported.filters) as unknown as Json[];
    mutant.plant(filters);
    const { compared } = verifyFilters(set, world.destination, filters, 20_000);
    const differences = compared.flatMap((one) => one.differences).slice(0, most);
    return { name: mutant.name, kind: mutant.world === 'tags' ? 'network' : 'http', filters, differences };
  });
}

function certificateFor(ca: Authority, { uriSans, dnsSans, subject }: Peer): Promise<Certificate> {
  const sans = [...uriSans.map(uri), ...dnsSans.map(dns)];
  return leaf(ca, { sans, ...(subject === undefined ? {} : { commonName: subject.replace('CN=', '') }) });
}

async function say(
  lab: Lab,
  ca: Authority,
  listener: string,
  kind: Planted['kind'],
  { peer, request }: Difference,
): Promise<Said> {
  const { sni, ...probe } = request;
  const who = {
    ...(peer.presented && { certificate: await certificateFor(ca, peer) }),
    ...(sni === undefined ? {} : { sni }),
  };
  if (kind === 'network') return lab.knock(listener, who);
  const [said] = await lab.ask(listener, who, [probe]);
  return said!;
}

/** In the world that the difference is of; without a shadow, what is enforced. */
function effectIn(world: Difference['world'], { verdict, rbac }: Said): string {
  const [, shadow] = Object.entries(rbac).find(([key]) => key.endsWith('shadow_engine_result')) ?? [];
  if (world === 'enforced' || shadow === undefined) return verdict;
  return shadow === 'allowed' ? 'allow' : 'deny';
}

describe('planted mistakes', () => {
  live(
    envoyMissing,
    '[VER11] each is caught by a real Envoy too, on the requests that were found',
    async () => {
      const all = planted();
      const ca = await authority('td');
      const listeners = all.map(({ filters, kind }, i) => ({
        name: `m${i}`,
        kind,
        filters: filters as never,
        trust: trustedCa(ca),
      }));
      const lab = await openLab(listeners);
      const caught: string[] = [];
      try {
        for (const [i, { name, kind, differences }] of all.entries()) {
          for (const difference of differences) {
            const said = await say(lab, ca, `m${i}`, kind, difference);
            const { world, policies, envoy } = difference;
            const told = JSON.stringify({ name, difference, said });
            expect(effectIn(world, said), told).toBe(envoy.action === 'ALLOW' ? 'allow' : 'deny');
            expect(effectIn(world, said), told).not.toBe(policies.decision);
          }
          if (differences.length > 0) caught.push(name);
        }
      } finally {
        await lab.stop();
      }
      console.log(`${caught.length} planted mistakes, each with a request on which Envoy is wrong`);
      expect(caught).toEqual(all.map(({ name }) => name));
      expect(caught.length).toBeGreaterThanOrEqual(15);
    },
    240_000,
  );
});
