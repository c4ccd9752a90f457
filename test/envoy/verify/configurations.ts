import { chooseChains } from '../../../src/envoy/verify/choose.ts';
import type { Destination } from '../../../src/envoy/verify/evidence.ts';
import { resourcesOf } from '../../../src/envoy/verify/resources.ts';
import { type ChainReport, verifyChain } from '../../../src/envoy/verify/verify.ts';
import { createEngine } from '../../../src/pdp/engine.ts';
import { loadValues } from '../../policy/loading.ts';
import * as spiffe from './spiffe-world.ts';

/** Whole configurations against a world's policies. */

export interface World {
  readonly documents: readonly object[];
  readonly destination: Destination;
}

export function reports(
  world: World,
  documents: readonly unknown[],
  wanted?: string,
  comparisons = 1e9,
): ChainReport[] {
  const loaded = loadValues(...world.documents);
  const engine = createEngine(loaded.rules, loaded.inventory, loaded.snapshot);
  const resources = resourcesOf(documents);
  const choice = chooseChains(resources, wanted, [8080, 9000]);
  if (choice.chains === undefined) throw new Error(choice.message);
  const decide: typeof engine.decide = (request, channel) => engine.decide(request, channel);
  return choice.chains.map((chain) =>
    verifyChain(chain, resources, {
      ...loaded,
      decide,
      destination: world.destination,
      shadow: true,
      most: 4_000,
      comparisons,
    }),
  );
}

export const inBootstrap = (listener: object) => ({ static_resources: { listeners: [listener] } });
export const filters = [{ ...spiffe.list, name: 'envoy.filters.http.rbac' }];
