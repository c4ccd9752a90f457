import type { Asked } from '../../pdp/governing.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import type { ExportFlags } from './flags.ts';
import { fileOf } from './write.ts';

/** Every inbound of every dataplane. */
export function everyInbound({ dataplanes }: Inventory): readonly Asked[] {
  return [...dataplanes.values()].flatMap(({ mesh, name, inbounds }) =>
    inbounds.map((inbound) => ({ mesh, dataplane: name, inbound: inbound.name ?? inbound.port })),
  );
}

/** Each has a file of its own. */
export function fileFor(asked: Asked, { json }: Pick<ExportFlags, 'json'>): string {
  const parts =
    'service' in asked
      ? asked.service.split('/')
      : [asked.mesh, asked.dataplane, ...(asked.inbound === undefined ? [] : [String(asked.inbound)])];
  return `${fileOf(...parts)}.${json ? 'json' : 'yaml'}`;
}
