import { measureNodes } from '../../../src/cli/serve/nodes-metrics.ts';
import { envoys, showNodes } from '../../../src/cli/serve/workers-nodes.ts';
import type { Discovery } from '../../../src/envoy/xds/service.ts';
import type { EnvoyPage, EnvoyStatus } from '../../../src/gateway/inspect/envoys.ts';
import { Metrics } from '../../../src/gateway/metrics/metrics.ts';
import type { Inspector } from '../../../src/gateway/service.ts';
import { openWorld, type World } from '../../gateway/world.ts';

export interface Seen {
  readonly world: World;
  page(query?: string): Promise<EnvoyPage>;
  /** The first of all. */
  first(): Promise<EnvoyStatus | undefined>;
  /** Lines of the page of metrics that are about xDS. */
  metrics(): Promise<readonly string[]>;
}

/** What a service shows of the nodes that it has. */
export async function openSeen(discovery: Discovery): Promise<Seen> {
  const metrics = new Metrics({
    current: () => undefined,
    explain: () => Promise.reject(new Error('not asked')),
    readiness: () => ({ ready: true, sources: [] }),
  });
  showNodes(discovery);
  measureNodes(metrics, discovery);
  const world = await openWorld('policies/40-shadow', {
    inspector: { envoys } as Inspector,
    metrics: async () => Metrics.page([await metrics.json()]),
  });
  const page = async (query = ''): Promise<EnvoyPage> => (await world.fetch(`/envoys${query}`)).json;
  return {
    world,
    page,
    first: async () => (await page()).envoys[0],
    async metrics() {
      const { text } = await world.fetch('/metrics');
      return text.split('\n').filter((line) => line.startsWith('placet_xds_'));
    },
  };
}
