import { both } from '../../../envoy/export/world.ts';
import type { Shape } from '../../../oracle/shapes.ts';
import { openLab } from '../../../support/envoy/lab.ts';
import { anySigned } from './certificates.ts';
import { compareClient, type Difference } from './compare.ts';
import { Counts } from './counts.ts';
import { listenerFor } from './listener.ts';
import { exportOf } from './sets.ts';

const tryForMs = 90_000;

/** The same difference with as few documents as it needs, each left out in turn and asked of a new Envoy. */
export async function small(difference: Difference): Promise<Difference> {
  const until = Date.now() + tryForMs;
  let best = difference;
  for (let step = best.documents.length >> 1; step >= 1; step >>= 1) {
    for (let at = 0; at < best.documents.length && Date.now() < until; ) {
      const documents = best.documents.filter((_, index) => index < at || index >= at + step);
      const again = await differs(best, documents);
      if (again === undefined) at += step;
      else best = again;
    }
  }
  return best;
}

async function differs(known: Difference, documents: readonly Shape[]): Promise<Difference | undefined> {
  const { seed, tags, asked, options, route, client, method, path } = known;
  try {
    const set = both(...documents);
    const exported = exportOf(set, asked, options);
    if (exported === undefined) return undefined;
    const form = { options, exported, route };
    // What is not compared needs no decision.
    const questions = [{ method, path, decision: set.engine.decide({}) }];
    const world = { seed, documents, tags, set, asked, exports: [form], clients: [] };
    const lab = await openLab([listenerFor('small', form, await anySigned())]);
    try {
      const found = await compareClient(lab, 'small', world, form, { ...client, questions }, new Counts());
      return found.find(({ what }) => what === known.what);
    } finally {
      await lab.stop();
    }
  } catch {
    // What does not even load shows nothing.
    return undefined;
  }
}
