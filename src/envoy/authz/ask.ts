import type { Decision } from '../../pdp/model/decision.ts';
import { isFields } from '../../pdp/model/fields.ts';
import type { Mutable } from '../../pdp/model/mutable.ts';
import { pathBefore } from '../../pdp/model/path.ts';
import type { Headers } from '../../pdp/model/proxies.ts';
import type { RequestDestination, RequestParts } from '../../pdp/model/request.ts';
import { isSpiffeId } from '../../pdp/model/spiffe-id.ts';
import { jwtFilter } from '../export/exchange/token.ts';
import type { Call } from '../grpc/call.ts';
import type { Check, Http } from './check-request.ts';
import { type Destinations, destinationOf } from './destination.ts';
import type { Struct } from './struct.ts';

/** What a proxy asks, in words that anybody who decides understands. */
export interface Asked {
  /** PEM, percent-encoded as Envoy has it: whoever keeps what was read of it need not decode it again. */
  readonly certificate?: string | undefined;
  /** A SPIFFE ID that the proxy vouches for, without the certificate that has it. */
  readonly spiffeId?: string | undefined;
  readonly address?: string | undefined;
  readonly claims?: Struct | undefined;
  /** Undefined: a proxy that does not say what it asks for asks for nothing that could be allowed. */
  readonly destination: RequestDestination | undefined;
  readonly request: RequestParts;
  /** That nothing is said of the TLS session, which may have had a server name. */
  readonly serverNames?: 'untold' | undefined;
}

export interface Reading {
  readonly destinations: Destinations;
  /**
   * Whether a principal is believed without the certificate: Envoy puts DNS names and subjects there too, and text
   * that looks like a SPIFFE ID may be either. Only a listener that admits nothing but SPIFFE IDs makes it safe.
   */
  readonly principals: 'certificate-only' | 'only-spiffe-ids-are-admitted';
  /** Whether the address that calls is the client's own, and no other proxy's. */
  readonly addresses: boolean;
  /** The key below which jwt_authn leaves claims (`payload_in_metadata`). */
  readonly claims?: string;
}

export function askedIn(check: Check, headers: Headers, reading: Reading): Asked {
  const { certificate, principal, address } = check.source;
  const spiffeId =
    certificate === undefined && principal !== undefined ? believed(principal, reading) : undefined;
  const claims = reading.claims === undefined ? undefined : check.metadata.get(jwtFilter)?.[reading.claims];
  return {
    destination: destinationOf(check, headers, reading.destinations),
    request: partsOf(check.http, check.sni),
    serverNames: check.sni === undefined ? 'untold' : undefined,
    certificate,
    spiffeId,
    address: reading.addresses ? address : undefined,
    claims: isFields(claims) ? claims : undefined,
  };
}

function partsOf(http: Http | undefined, sni: string | undefined): RequestParts {
  const parts: Mutable<RequestParts> = {};
  if (http?.method !== undefined) parts.method = http.method;
  if (http?.path !== undefined) parts.path = pathBefore(http.path);
  if (sni !== undefined && sni !== '') parts.sni = sni;
  return parts;
}

function believed(principal: string, { principals }: Reading): string | undefined {
  if (principals === 'certificate-only') return undefined;
  return isSpiffeId(principal) ? principal : undefined;
}

/** Whoever answers for everything that is asked; it does not throw for data. The call says who the proxy is. */
export type Answerer = (asked: Asked, call: Call) => Answered | Promise<Answered>;

export interface Answered {
  readonly decision: Decision;
  /** By which logs and people find it again. */
  readonly id: string;
}
