import type { Way } from '../http/ways.ts';
import type { Service } from '../service.ts';
import { asker } from './ask.ts';
import { batch } from './batch.ts';
import { one } from './one.ts';

export function decideWays(service: Service): readonly Way[] {
  const ask = asker(service);
  const { bodyBytes, batchBytes } = service.settings;
  return [
    { path: '/decide', bodyBytes, ...one(service, ask) },
    { path: '/decide/batch', bodyBytes: batchBytes, ...batch(service.live, ask) },
  ];
}
