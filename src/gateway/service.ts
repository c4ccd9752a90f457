import type { Refusal } from '../attributes/evidence.ts';
import type { Identified } from '../attributes/identify.ts';
import type { Explanation } from '../pdp/explain.ts';
import type { Scan } from '../pdp/index/scan.ts';
import type { Sheet, Written } from '../pdp/index/written.ts';
import type { By, Decision } from '../pdp/model/decision.ts';
import type { Inventory } from '../pdp/model/inventory.ts';
import type { Channel, Request, RequestSource, Role } from '../pdp/model/request.ts';
import type { Place } from '../pdp/model/violation.ts';
import type { Envoys } from './inspect/envoys.ts';
import type { Answer, Question } from './inspect/questions.ts';
import type { Overview, SourceStatus } from './live/overview.ts';

export type { SourceStatus } from './live/overview.ts';

/** What the service is made of. It makes none of it: whoever wires it brings each part. */
export interface Service {
  readonly live: Live;
  readonly identify: Identify;
  readonly callers: Callers;
  readonly observer: Observer;
  readonly settings: Settings;
  /** Not given: there is nobody to ask about documents. */
  readonly inspector?: Inspector;
  /** What Prometheus is told; of all workers, where there are several. */
  readonly metrics?: () => Promise<Page>;
}

export interface Page {
  readonly type: string;
  readonly text: string;
}

/** What decides now, and what there is to say about it. */
export interface Live {
  /** Undefined until everything was read once. */
  current(): Snapshot | undefined;
  /** Where the documents are, which is not where decisions are made. */
  explain(request: Request, channel: Channel, snapshot?: string): Promise<Explanation>;
  readiness(): Readiness;
  /** Whether the policies are older than may be: everything is denied then. Asked at every request. */
  stale?(): boolean;
}

/** Answers what only documents can: what a proxy has, what a policy selects, when it last decided. */
export interface Inspector {
  /** What decides now, and how it stands with where it comes from. */
  overview(): Promise<Overview>;
  /** Rejects with NotNow while nobody has the documents; with anything else it is our mistake. */
  ask(question: Question): Promise<Answer>;
  /** Milliseconds since the epoch at which each policy last decided, by identifier; those that did not are not there. */
  lastDecided(): Promise<ReadonlyMap<string, number>>;
  /** Not given: no Envoy gets its filters here. */
  readonly envoys?: Envoys;
}

/** One set of policies and what it is about, whole and never changed. */
export interface Snapshot {
  readonly name: string;
  /** Milliseconds since the epoch at which it took over. */
  readonly since: number;
  readonly inventory: Inventory;
  decide(request: unknown, channel: Channel): Decision;
  /** Reads requests that `decide` takes as they stand in a body. Not given: all of them are made objects. */
  scan?(sheet: Sheet): Scan;
  /** The values that rules compare a key with as they are, in order. */
  named(key: string): readonly string[];
  /** Where the deciding rule is written. */
  placeOf(by: By): Place | undefined;
}

export interface Readiness {
  readonly ready: boolean;
  /** It takes nothing new any more. */
  readonly draining?: boolean;
  readonly sources: readonly SourceStatus[];
  /** How much is wrong with policies now: what is broken decides as it last was. */
  readonly problems?: number;
}

/** What a caller hands over about the client it asks for. */
export interface Evidence {
  /** PEM, or base64 of DER: the leaf first. */
  readonly certificate?: string;
  /** The header of an Envoy, as it is. */
  readonly xfcc?: string;
  readonly jwt?: string;
  readonly ip?: string;
}

export interface Identification {
  /** As `decide` takes it, with the trust of each value. */
  readonly source: RequestSource;
  /** Identity keys on which sources contradict each other: the request is denied. */
  readonly conflicts: readonly string[];
  /** Evidence that does not count, and why. */
  readonly refused: readonly { readonly evidence: keyof Evidence; readonly refusal: Refusal }[];
  /** The first moment at which some of the evidence no longer counts, in milliseconds since the epoch. */
  readonly validUntil?: number;
  /** Whether the cluster could have been asked, and what is known of it is too old. */
  readonly stale?: boolean;
  /** Each value with who says so, for people. */
  readonly found?: Identified;
}

/**
 * As if the evidence was the client's beyond doubt: who hands it over is asked about apart (`believed`). `stated`: what
 * that caller itself says of the client, which proves nothing and binds what an address may give (SPEC WHO2).
 */
export type Identify = (
  evidence: Evidence,
  stated?: RequestSource,
) => Identification | Promise<Identification>;

export interface Caller {
  /** For logs: who it proved to be. */
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
}

/** What a connection and its head say of who calls. */
export interface Calling {
  /** DER of the client's certificate and what came with it, which TLS has not judged. */
  readonly certificates: readonly Uint8Array[];
  /** Of the header `authorization: Bearer`. */
  readonly token?: string;
  readonly address?: string;
}

/** Who calls and cannot prove who it is, and why, in words that it may read. */
export interface Unproved {
  readonly unproved: string;
}

export type Called = Caller | Unproved | undefined;

export interface Callers {
  /** Undefined: it hands over nothing. One that is known for nothing has no role. */
  caller(calling: Calling): Called | Promise<Called>;
}

/** Told of everything that happens; never throws, never waits. */
export interface Observer {
  decided(event: Decided): void;
  shed(): void;
  /** Something that nobody thought of; whoever asked got a 500 without it. */
  failed?(error: unknown): void;
  /** Documents were read again and were others than before. */
  reloaded?(event: Reloaded): void;
}

export interface Reloaded {
  /** `taken`: all of it; `partly`: of what is broken the last good version; `held`: nothing of it. */
  readonly outcome: 'taken' | 'partly' | 'held';
  /** What decides now. */
  readonly snapshot: string;
  readonly problems: number;
  /** Spent by the thread that reads and compiles, and by the one that decides. */
  readonly milliseconds: number;
  readonly paused: number;
}

export interface Decided {
  readonly id: string;
  /** Which of the service's ways asked: `decide`, `batch`, `authzen`. */
  readonly via: string;
  readonly caller: string;
  /** As it was decided: what evidence said is in it. With `channel` and the snapshot it can be decided again. */
  readonly request: Request | Written;
  readonly channel: Channel;
  readonly decision: Decision;
  /** SHA-256 of the evidence, never the evidence; made for whoever writes it down. */
  readonly evidence?: (() => string) | undefined;
  /** Refused for what was shown of the client: no policy was asked, and deciding again tells nothing. */
  readonly refused?: boolean;
  /** The trace it belongs to, in hex. */
  readonly trace?: string | undefined;
  /** By a clock that nobody sets. */
  readonly milliseconds: number;
}

export interface Settings {
  /** Seconds for which a reply may be used again. */
  readonly ttl: number;
  readonly bodyBytes: number;
  /** Of a batch. */
  readonly batchBytes: number;
  /** What proxies that ask by `/ext_authz` are answered. */
  readonly extAuthz: ExtAuthz;
  /** How callers name this service, without a slash at its end; not given, as each one calls it. */
  readonly publicUrl?: string;
}

export interface ExtAuthz {
  /** Of the reply that the proxy passes on to a client that is denied. */
  readonly denial: { readonly status: number; readonly body: string };
  /** Whether upstreams get the reason and the trust. */
  readonly tellUpstream: boolean;
}
