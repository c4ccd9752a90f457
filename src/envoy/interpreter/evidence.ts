/** What a connection and a request show to Envoy, and what its RBAC filters say to that. */

export interface Peer {
  /** URI and DNS names of the certificate, each in its order. Empty without a certificate. */
  readonly uriSans: readonly string[];
  readonly dnsSans: readonly string[];
  /** As RFC 2253 writes it: `CN=client`. */
  readonly subject?: string;
  /** Whether a certificate was presented, and whether its chain was verified. */
  readonly presented: boolean;
  readonly validated: boolean;
  /** The server name of the handshake. */
  readonly sni?: string;
}

export type Metadata = null | boolean | number | string | readonly Metadata[] | MetadataStruct;
export interface MetadataStruct {
  readonly [key: string]: Metadata;
}

export interface HttpRequest {
  readonly method: string;
  /** With its query, after what the connection manager does to it. Not given for `CONNECT`, which has none. */
  readonly path?: string;
  /** Names in lower case; several values of one name joined by `,`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Dynamic metadata by filter. */
  readonly metadata?: MetadataStruct;
  readonly filterState?: Readonly<Record<string, string>>;
}

/** A network filter sees a connection only. */
export interface Seen {
  readonly peer: Peer;
  readonly request?: HttpRequest;
  readonly meter?: Meter;
}

/** Counts comparisons, for who wants to stop in time without looking at a clock. */
export interface Meter {
  steps: number;
}

export interface Result {
  /** What comes of it; a LOG allows. */
  readonly action: 'ALLOW' | 'DENY';
  /** The name of the action or policy that decided; none where nothing matched. */
  readonly policy?: string;
}

export interface Verdict {
  readonly enforced: Result;
  /** Only where the filter has a shadow part. */
  readonly shadow?: Result;
}

export type Test = (seen: Seen) => boolean;

export function metered(test: Test): Test {
  return (seen) => {
    if (seen.meter !== undefined) seen.meter.steps++;
    return test(seen);
  };
}

/** A field of an object made of foreign keys. */
export function own<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}
