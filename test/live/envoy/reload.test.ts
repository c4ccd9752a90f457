import { describe, expect } from 'vitest';
import { ecdsDocument } from '../../../src/envoy/export/documents.ts';
import { both } from '../../envoy/export/world.ts';
import { temporary } from '../../gateway/live/opening.ts';
import { live } from '../../live.ts';
import { authority } from '../../support/certificates/index.ts';
import { type Lab, openLab } from '../../support/envoy/lab.ts';
import type { Filter } from '../../support/envoy/listeners.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';
import { changes, expectSound, run, setsInAll } from './changing/course.ts';
import { inbound, mesh, type PolicySet, setsOf } from './changing/sets.ts';
import { Traffic } from './changing/traffic.ts';

/** Policies that change in a file while requests run: what Envoy says is what the old or the new ones say. */

const dataplane = 'web-1';

function fileOf({ documents }: PolicySet, number: number): string {
  const { exporter } = both(...documents);
  const document = ecdsDocument(exporter.export({ mesh, dataplane, inbound }, {}));
  const [resource] = document['resources'] as Record<string, unknown>[];
  return JSON.stringify({ version_info: String(number), resources: [{ ...resource, name: 'rbac' }] });
}

function discovered(folder: string): Filter {
  const type = 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC';
  const path_config_source = { path: `${folder}/rbac.json`, watched_directory: { path: folder } };
  const config_discovery = { config_source: { path_config_source }, type_urls: [type] };
  return { name: 'rbac', config_discovery } as unknown as Filter;
}

/** The number of the version that Envoy has in force. */
async function inForce({ envoy }: Lab): Promise<number> {
  const dump = JSON.parse(await envoy.admin('/config_dump?resource=ecds_filters')) as {
    configs?: readonly { readonly version_info?: string }[];
  };
  return Number(dump.configs?.[0]?.version_info ?? -1);
}

describe('[ENV18] policies that change while requests run', () => {
  live(
    envoyMissing,
    '[ENV18] 1,000 changes of a file: verdicts of the old or the new policies, and no connection lost',
    async () => {
      const folder = temporary();
      const sets = setsOf(30, setsInAll, [dataplane]);
      const files = new Map(sets.map((set, number) => [set, fileOf(set, number)]));
      const put = (set: PolicySet) => folder.put('rbac.json', files.get(set)!);
      put(sets[0]!);
      const home = await authority('td.example');
      const lab = await openLab([
        { name: 'web', kind: 'http', filters: [discovered(folder.path)], trust: spiffeBundles(home) },
      ]);
      try {
        const nodes = [{ dataplane, lab }];
        let known = await inForce(lab);
        const traffic = await Traffic.begin(nodes, home, sets, () => known, 2);
        const taken = async (number: number) => {
          known = await inForce(lab);
          return known === number;
        };
        const given = { nodes, sets, traffic, put, taken };
        await expectSound(given, await run(given));
        traffic.close();
        const stats = await lab.envoy.admin('/stats?filter=extension_config_discovery');
        expect(stats).not.toMatch(/(config_fail|update_rejected): [1-9]/);
        expect(Number(/config_reload: (\d+)/.exec(stats)?.[1])).toBeGreaterThan(changes);
      } finally {
        await lab.stop();
        folder.remove();
      }
    },
    300_000,
  );
});
