import { type Both, both } from '../../../envoy/export/world.ts';
import type { Shape } from '../../../oracle/shapes.ts';
import { openLab } from '../../../support/envoy/lab.ts';
import { trusts } from './certificates.ts';
import type { Question } from './clients.ts';
import { compareClient, type Difference } from './compare.ts';
import { Counts } from './counts.ts';
import { listenerFor } from './listener.ts';
import { exportOf } from './sets.ts';

const tryForMs = 90_000;

/** The same difference with other documents, if it is still there; it throws where they do not even load. */
export type Differs = (known: Difference, documents: readonly Shape[]) => Promise<Difference | undefined>;

/** The same difference with as few documents as it needs, each left out in turn and asked of a new Envoy. */
export async function small(difference: Difference, differs: Differs): Promise<Difference> {
  const until = Date.now() + tryForMs;
  let best = difference;
  for (let step = best.documents.length >> 1; step >= 1; step >>= 1) {
    for (let at = 0; at < best.documents.length && Date.now() < until; ) {
      const documents = best.documents.filter((_, index) => index < at || index >= at + step);
      const again = await differs(best, documents).catch(() => undefined);
      if (again === undefined) at += step;
      else best = again;
    }
  }
  return best;
}

export const exportDiffers: Differs = async (known, documents) => {
  const { seed, tags, asked, options = {}, route, client, method, path } = known;
  const set = both(...documents);
  const exported = exportOf(set, asked, options);
  if (exported === undefined) return undefined;
  const form = { options, exported, route };
  const world = { seed, documents, tags, set, asked, exports: [form], clients: [] };
  const lab = await openLab([listenerFor('small', form, (await trusts())(seed))]);
  try {
    const again = { ...client, questions: [question(set, method, path)] };
    const found = await compareClient(lab, 'small', world, form, again, new Counts());
    return found.find(({ what }) => what === known.what);
  } finally {
    await lab.stop();
  }
};

/** What is not compared needs no decision. */
export function question({ engine }: Both, method: string, path: string): Question {
  return { method, path, decision: engine.decide({}) };
}
