import type { Bundles } from '../bundles/store.ts';
import type { Checked } from '../evidence.ts';
import { type BundleSort, takeBundles } from './bundle.ts';
import type { Endpoint } from './endpoint.ts';
import { call, type Method } from './grpc.ts';
import { type JwtSvidMessage, jwtSvidRequest, readJwtSvids } from './messages.ts';

/** Asks the Workload API once; `WorkloadApi` follows it. */

const patience = 10_000;

/** Tokens for an audience, one for each of our identities or for the one that is named. They are not verified here. */
export async function fetchJwtSvids(
  endpoint: Endpoint,
  audiences: readonly string[],
  spiffeId?: string,
  within = patience,
): Promise<Checked<readonly [JwtSvidMessage, ...JwtSvidMessage[]]>> {
  return readJwtSvids(await first(endpoint, 'FetchJWTSVID', jwtSvidRequest(audiences, spiffeId), within));
}

/** Bundles as they are now, into the store. */
export async function fetchBundles(
  endpoint: Endpoint,
  sort: BundleSort,
  bundles: Bundles,
  within = patience,
): Promise<Checked<true>> {
  const message = await first(endpoint, sort.method, new Uint8Array(), within);
  return takeBundles(sort, bundles)(message, Date.now());
}

async function first(
  endpoint: Endpoint,
  method: Method,
  request: Uint8Array,
  within: number,
): Promise<Uint8Array> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`got no answer within ${within} ms`)), within);
  try {
    for await (const message of call(endpoint, method, request, late.signal)) return message;
  } finally {
    clearTimeout(timer);
  }
  throw new Error('got an answer without a message, want one');
}
