import type { Explanation } from '../pdp/explain.ts';
import type { Decision } from '../pdp/model/decision.ts';
import type { Request, RequestSource } from '../pdp/model/request.ts';
import type { Place } from '../pdp/model/violation.ts';

/** What `POST /decide` takes: evidence about the client, or what is known of it. */
export interface Question extends Omit<Request, 'source'> {
  readonly source?: RequestSource & {
    readonly certificate?: string;
    readonly xfcc?: string;
    readonly jwt?: string;
    readonly ip?: string;
  };
}

/** What it answers. Names of policies are there only for callers with the role `explain`. */
export interface Reply extends Omit<Decision, 'violations'> {
  readonly decisionId: string;
  /** Seconds for which it may be used again. */
  readonly ttl: number;
  /** Of a denial: what the client may be told. */
  readonly message?: string;
  readonly place?: Place;
  readonly explanation?: Explanation;
  /** Of one in a batch that is no request. */
  readonly violations?: readonly Flaw[];
}

export interface Flaw {
  readonly field: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Enough of `fetch`, so that another one can take its place. */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'GET' | 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly redirect: 'error';
    /** An `AbortSignal`, which not every program knows by name. */
    readonly signal: object;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;
