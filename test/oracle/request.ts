import type { Request } from '../../src/pdp/model/request.ts';
import { canonical } from './access.ts';

/** [REQ1] [REQ3] Whether this is a request at all; only the ways to be none that the generator knows. */
export function isRequest(value: unknown): value is Request {
  if (typeof value !== 'object' || value === null) return false;
  for (const key of Object.keys(value)) {
    if (!['source', 'destination', 'request', 'at'].includes(key)) return false; // REQ2
  }
  const { source, destination } = value as Partial<Request>;
  if (typeof destination !== 'object' || destination === null) return false;
  if (saysTwice(source?.attributes, 'source') || saysTwice(destination.attributes, 'destination'))
    return false;
  const ways = [destination.dataplane, destination.service, destination.attributes];
  return ways.filter((way) => way !== undefined).length === 1;
}

/** [REQ8] */
function saysTwice(attributes: object = {}, side: 'source' | 'destination'): boolean {
  const names = Object.keys(attributes).map((key) => canonical(key, side));
  return new Set(names).size < names.length;
}

/** [REQ8] With the canonical names of all attributes. */
export function named(request: Request): Request {
  const { source, destination } = request;
  return {
    ...request,
    ...(source?.attributes && { source: { ...source, attributes: renamed(source.attributes, 'source') } }),
    ...(destination.attributes && {
      destination: { ...destination, attributes: renamed(destination.attributes, 'destination') },
    }),
  };
}

function renamed<T>(
  attributes: Readonly<Record<string, T>>,
  side: 'source' | 'destination',
): Record<string, T> {
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [canonical(key, side), value]));
}
