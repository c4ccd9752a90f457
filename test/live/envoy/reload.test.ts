import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { ecdsDocument } from '../../../src/envoy/export/documents.ts';
import { both } from '../../envoy/export/world.ts';
import { live } from '../../live.ts';
import { Random } from '../../oracle/random.ts';
import { authority, svid } from '../../support/certificates/index.ts';
import { askHttp } from '../../support/envoy/http-client.ts';
import { type Lab, openLab } from '../../support/envoy/lab.ts';
import { type Filter, socketOf } from '../../support/envoy/listeners.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';

/** Policies that change in a file while requests run: what Envoy says is what the old or the new ones say. */

const changes = 1_000;
const names = ['always', 'never', 'a', 'b', 'c', 'd'] as const;
const idOf = (name: string) => `spiffe://td.example/ns/shop/sa/${name}`;
const paths = ['/', '/admin', '/admin/users'] as const;

interface Version {
  readonly file: string;
  /** By client and path. */
  readonly allows: ReadonlyMap<string, boolean>;
}

/** Every one lets `always` in and keeps `never` out, and does as it likes with the others. */
function versionOf(random: Random, number: number): Version {
  const some = names.slice(2).filter(() => random.chance(0.5));
  const matcher = (name: string) => ({ spiffeID: { type: 'Exact', value: idOf(name) } });
  const denied = some.filter(() => random.chance(0.3));
  const lists = {
    deny: [
      matcher('never'),
      ...denied.map((name) => ({ ...matcher(name), path: { type: 'PathPrefix', value: '/admin' } })),
    ],
    allow: ['always', ...some].map(matcher),
  };
  const { engine, exporter } = both(
    { type: 'Dataplane', name: 'web-1', inbounds: [{ name: 'http', port: 80, protocol: 'http' }] },
    { type: 'MeshTrafficPermission', name: 'web', spec: { rules: [{ default: lists }] } },
  );
  const asked = { mesh: 'default', dataplane: 'web-1', inbound: 'http' };
  const exported = exporter.export(asked, {});
  const allows = new Map(
    names.flatMap((name) =>
      paths.map((path): [string, boolean] => {
        const request = {
          source: { spiffeId: idOf(name) },
          destination: asked,
          request: { method: 'GET', path },
        };
        return [`${name} ${path}`, engine.decide(request).decision === 'allow'];
      }),
    ),
  );
  const document = ecdsDocument(exported);
  const [resource] = document['resources'] as Record<string, unknown>[];
  const file = JSON.stringify({ version_info: String(number), resources: [{ ...resource, name: 'rbac' }] });
  return { file, allows };
}

function discovered(folder: string): Filter {
  const type = 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC';
  const path_config_source = { path: join(folder, 'rbac.json'), watched_directory: { path: folder } };
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
    '[ENV18] 1,000 changes of a file give no verdict that neither the old nor the new policies give',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'placet-reload-'));
      const random = new Random(30);
      const versions = Array.from({ length: changes + 1 }, (_, number) => versionOf(random, number));
      const put = (number: number): void => {
        writeFileSync(join(folder, '.next'), versions[number]!.file);
        renameSync(join(folder, '.next'), join(folder, 'rbac.json'));
      };
      put(0);
      const home = await authority('td.example');
      const lab = await openLab([
        { name: 'web', kind: 'http', filters: [discovered(folder)], trust: spiffeBundles(home) },
      ]);
      try {
        const path = socketOf(lab.envoy.folder, 0);
        let written = 0;
        let known = 0;
        let asked = 0;
        const wrong: string[] = [];
        const traffic = names.map(async (name) => {
          const certificate = await svid(home, idOf(name));
          while (known < changes) {
            const from = known;
            const probes = Array.from({ length: 24 }, (_, i) => ({ id: '', path: paths[i % paths.length]! }));
            const codes = await askHttp({ path }, { certificate }, probes);
            const until = written;
            for (const [i, probe] of probes.entries()) {
              const allowed = codes?.[i] === 200;
              const possible = versions
                .slice(from, until + 1)
                .map(({ allows }) => allows.get(`${name} ${probe.path}`));
              if (!possible.includes(allowed))
                wrong.push(`${name} ${probe.path}: ${codes?.[i]} between ${from} and ${until}`);
              asked++;
            }
          }
        });
        for (let number = 1; number <= changes; number++) {
          written = number;
          put(number);
          await new Promise((resolve) => setTimeout(resolve, 3));
          if (number % 10 === 0) known = Math.max(known, await inForce(lab));
        }
        await expect.poll(() => inForce(lab), { timeout: 20_000 }).toBe(changes);
        known = changes;
        await Promise.all(traffic);
        console.log(`${changes} changes, ${asked} requests, ${wrong.length} wrong`);
        expect(wrong).toEqual([]);
        expect(asked).toBeGreaterThan(1_000);
        expect(
          await lab.envoy.admin('/stats?filter=extension_config_discovery.*(config_fail|update_rejected)'),
        ).not.toMatch(/: [1-9]/);
      } finally {
        await lab.stop();
        rmSync(folder, { recursive: true });
      }
    },
    300_000,
  );
});
