import type { Discovery } from '../../envoy/xds/service.ts';
import { envoyForms } from '../../gateway/inspect/envoys.ts';
import type { Metrics } from '../../gateway/metrics/metrics.ts';

/** How many nodes there are and how it stands with them; which ones is told by `GET /envoys`. */
export function measureNodes(metrics: Metrics, { nodes, totals }: Discovery): void {
  const counted = (fits: (node: ReturnType<Discovery['nodes']>[number]) => boolean): number => {
    let count = 0;
    for (const node of nodes()) if (fits(node)) count++;
    return count;
  };
  metrics.measure({
    name: 'placet_xds_nodes',
    help: 'Nodes that are connected, by the form of the protocol.',
    label: 'form',
    read: () => Object.fromEntries(envoyForms.map((form) => [form, counted((node) => node.form === form)])),
  });
  metrics.measure({
    name: 'placet_xds_nodes_refusing',
    help: 'Nodes that do not take some of what they are to have.',
    read: () => counted(({ state }) => state === 'refused'),
  });
  metrics.measure({
    name: 'placet_xds_nodes_outdated',
    help: 'Nodes that have some filter which is not what the policies say now, since that cannot be exported.',
    read: () => counted(({ resources }) => resources.some(({ outdated }) => outdated !== undefined)),
  });
  metrics.count({
    name: 'placet_xds_refusals',
    help: 'Responses that nodes refused.',
    read: () => totals.refusals,
  });
  metrics.count({
    name: 'placet_xds_resources_pushed',
    help: 'Resources that nodes were sent.',
    read: () => totals.sent,
  });
}
