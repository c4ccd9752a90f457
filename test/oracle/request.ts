import type { Request } from '../../src/pdp/model/request.ts';

/** [REQ1] [REQ3] Whether this is a request at all; only the ways to be none that the generator knows. */
export function isRequest(value: unknown): value is Request {
  if (typeof value !== 'object' || value === null) return false;
  for (const key of Object.keys(value)) {
    if (!['source', 'destination', 'request', 'at'].includes(key)) return false; // REQ2
  }
  const { destination } = value as Partial<Request>;
  if (typeof destination !== 'object' || destination === null) return false;
  const ways = [destination.dataplane, destination.service, destination.attributes];
  return ways.filter((way) => way !== undefined).length === 1;
}
