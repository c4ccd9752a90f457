import type { Reason } from './model/decision.ts';
import { pathAmbiguity } from './model/path.ts';
import type { Request } from './model/request.ts';
import { keys } from './model/rule.ts';
import { spiffeIdFault } from './model/spiffe-id.ts';
import type { Change, NearestMiss } from './nearest-miss.ts';

/** What is missing where a request is denied before any rule. */
export function guardMiss(guard: Reason, conflicts: readonly string[], request: Request): NearestMiss {
  const changes = guard === 'incomplete-request' ? missingParts(request) : [];
  return { possible: false, reason: wordsFor(guard, conflicts, request), changes, needs: [], denies: [] };
}

function wordsFor(
  guard: Reason,
  conflicts: readonly string[],
  { source, destination, request }: Request,
): string {
  switch (guard) {
    case 'unknown-destination':
      return destination.dataplane === undefined
        ? 'the inventory has no such service'
        : 'the inventory has no such dataplane or inbound';
    case 'invalid-source':
      return `the SPIFFE ID is not one: ${spiffeIdFault(source?.spiffeId ?? '')?.message ?? 'it is empty'}`;
    case 'unidentified':
      return 'at an inbound the client must show an identity';
    case 'conflict':
      return `the SPIFFE ID says otherwise than what is stated: ${conflicts.join(', ')}`;
    case 'incomplete-request':
      return 'the inbound speaks http, so method and path must be given';
    default:
      return `the path must be one that can be read in one way only: ${pathAmbiguity(request?.path ?? '')}`;
  }
}

function missingParts({ request = {} }: Request): Change[] {
  const parts: Change[] = [];
  const add = (key: string, to: string) =>
    parts.push({ side: 'request', key, what: `${key} must be given`, to });
  if (request.method === undefined) add(keys.method, 'GET');
  if (request.path === undefined) add(keys.path, '/');
  return parts;
}
