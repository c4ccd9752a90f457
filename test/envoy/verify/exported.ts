import { filterDocument } from '../../../src/envoy/export/documents.ts';
import { ExportRefused } from '../../../src/envoy/export/refused.ts';
import type { ExportOptions } from '../../../src/envoy/export/types.ts';
import { looseChain } from '../../../src/envoy/verify/chains.ts';
import { chooseChains } from '../../../src/envoy/verify/choose.ts';
import type { DataplaneInbound, Destination } from '../../../src/envoy/verify/evidence.ts';
import { verifyLimits } from '../../../src/envoy/verify/limits.ts';
import { resourcesOf } from '../../../src/envoy/verify/resources.ts';
import { type ChainReport, verifyChain } from '../../../src/envoy/verify/verify.ts';
import { type Asked, type Both, both } from '../export/world.ts';

/** Random sets, exported and then verified: exporter, interpreter and `decide` have to agree. */

export function inboundsOf({ loaded }: Both): Required<DataplaneInbound>[] {
  return [...loaded.inventory.dataplanes.values()].flatMap(({ mesh, name, inbounds }) =>
    inbounds.map(({ port }) => ({ mesh, dataplane: name, inbound: port })),
  );
}

/** Undefined where there is no exact export: what lets in less is another question. */
export function exportAndVerify(
  set: Both,
  destination: Asked & Destination,
  options: ExportOptions,
  most: number,
  change: (document: unknown) => unknown = (document) => document,
): ChainReport | undefined {
  try {
    const exported = set.exporter.export(destination, options);
    const resources = resourcesOf([change(structuredClone(filterDocument(exported)))]);
    const choice = chooseChains(resources, undefined, []);
    if (choice.chains?.[0] === undefined) throw new Error('nothing to verify');
    return verifyChain(choice.chains[0], resources, {
      ...set.loaded,
      decide: (request, channel) => set.engine.decide(request, channel),
      destination,
      shadow: options.shadow !== 'paper',
      tokens: options.attributes === 'jwt',
      most,
      comparisons: verifyLimits.comparisons,
    });
  } catch (error) {
    if (error instanceof ExportRefused) return undefined;
    throw error;
  }
}

/** Filters by themselves, whoever wrote them. */
export function verifyFilters(
  set: Both,
  destination: Destination,
  filters: readonly unknown[],
  most: number,
  tokens = false,
): ChainReport {
  return verifyChain(looseChain(filters), resourcesOf([]), {
    ...set.loaded,
    decide: (request, channel) => set.engine.decide(request, channel),
    destination,
    shadow: true,
    tokens,
    most,
    comparisons: verifyLimits.comparisons,
  });
}

export function differs(report: ChainReport | undefined): boolean {
  return (
    report !== undefined &&
    (report.violations.length > 0 || report.compared.some(({ differing }) => differing > 0))
  );
}

export { both };
