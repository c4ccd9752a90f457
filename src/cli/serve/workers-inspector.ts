import cluster from 'node:cluster';
import { LastDecided } from '../../gateway/inspect/last-decided.ts';
import type { LivePolicies } from '../../gateway/live/policies.ts';
import type { Decided, Inspector } from '../../gateway/service.ts';
import { answerTo, gather } from './workers-channel.ts';
import { envoys, outdatedNodes } from './workers-nodes.ts';

const topic = 'last decided';

/** Whichever worker is asked answers for all. */
export function openInspector(live: LivePolicies): Inspector & { decided(event: Decided): void } {
  const own = new LastDecided();
  answerTo(topic, () => own.all);
  return {
    decided: (event) => own.decided(event),
    ask: (question) => live.ask(question),
    overview: async () => {
      const overview = live.overview();
      return {
        ...overview,
        problems: [...overview.problems, ...(await outdatedNodes())],
        ...(cluster.worker === undefined ? {} : { worker: cluster.worker.id }),
      };
    },
    async lastDecided() {
      const latest = new Map<string, number>();
      for (const { value } of await gather(topic))
        for (const [kri, at] of value as ReadonlyMap<string, number>)
          latest.set(kri, Math.max(at, latest.get(kri) ?? 0));
      return latest;
    },
    envoys,
  };
}
