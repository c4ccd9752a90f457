import { afterEach, describe, expect } from 'vitest';
import { live } from '../../live.ts';
import { svid, tagCertificate } from '../../support/certificates/index.ts';
import { askHttp } from '../../support/envoy/http-client.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { openWorld } from './xds-of-files.ts';

/** Envoys of xDS whose mesh has certificates of tags now, and X509-SVIDs then. */

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const common = `
type: Dataplane
mesh: m
name: d
inbounds: [{ name: api, port: 80, protocol: http }]
---
type: MeshTrafficPermission
mesh: m
name: by-id
spec: { default: { allow: [{ spiffeId: { type: Exact, value: "spiffe://m/web" } }] } }
---
type: MeshTrafficPermission
mesh: m
name: by-tags
spec: { from: [{ targetRef: { kind: MeshService, name: web }, default: { action: Allow } }] }
`;
const sets = ['spiffe', 'tags'].map(
  (certificates) => `type: Mesh\nname: m\ntrustDomains: [m]\ncertificates: ${certificates}\n---${common}`,
) as [string, string];

/** As it was written before, for a mesh that had X509-SVIDs then. */
function withFirstAlone(bootstrap: string): string {
  return JSON.stringify(JSON.parse(bootstrap), (_, value) =>
    Array.isArray(value) ? value.filter((one) => one?.name !== 'placet/http/api/1') : value,
  );
}

describe('a mesh whose certificates become others', () => {
  live(
    envoyMissing,
    '[XDS8] opens no Envoy, also one that has the first filter alone',
    async () => {
      const { home, write, serve, envoy } = await openWorld(sets[0], closing);
      await serve();
      const ports = [await envoy(), await envoy(withFirstAlone)];
      const web = await svid(home, 'spiffe://m/web');
      const job = await svid(home, 'spiffe://m/job');
      const tagged = await tagCertificate(home, 'm', ['web']);
      const codes = async (certificate: typeof web) => {
        const all = ports.map((port) => askHttp({ port }, { certificate }, [{ id: '', path: '/' }]));
        return (await Promise.all(all)).map((one) => one?.[0]);
      };
      const denied: unknown[] = [];
      for (let change = 1; change <= 6; change++) {
        write(sets[change % 2]!);
        // Its several URIs are no SPIFFE ID.
        const now = change % 2 === 1 ? 200 : 403;
        const holds = async () => {
          denied.push(...(await codes(job)));
          return await codes(tagged);
        };
        await expect.poll(holds, { timeout: 20_000, interval: 10 }).toEqual([now, now]);
        expect(await codes(web)).toEqual([200, 200]);
      }
      expect([...new Set(denied)]).toEqual([403]);
    },
    120_000,
  );
});
