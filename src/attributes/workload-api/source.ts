import type { Bundles } from '../bundles/store.ts';
import { accept, type Checked } from '../evidence.ts';
import { type BundleSort, bundleSorts, takeBundles } from './bundle.ts';
import { type Endpoint, nameOf } from './endpoint.ts';
import { Follower, type FollowerStatus } from './follower.ts';
import { call, type Method } from './grpc.ts';
import { readX509Svids } from './messages.ts';
import { type OwnSvid, readOwnSvids } from './svid.ts';

export interface WorkloadApiOptions {
  /** How long a stream may be quiet before it is opened anew. Milliseconds. */
  readonly quiet?: number;
  /** How long the first message of a stream may take. Milliseconds. */
  readonly patience?: number;
}

export interface WorkloadApiStatus {
  readonly endpoint: string;
  readonly streams: readonly FollowerStatus[];
  /** Ours, the default first, those that ended left out. */
  readonly svids: readonly { readonly spiffeId: string; readonly validUntil: number }[];
}

const mostQuiet = 300_000;
const leastQuiet = 5_000;

interface Kept {
  readonly svid: OwnSvid;
  /** Monotonic: neither does a clock that is set end an identity nor prolong one. */
  readonly endsAt: number;
}

/**
 * Our own identities and everybody's bundles as the Workload API has them, renewed as it renews them. What was good
 * is kept while nothing better comes: bundles until the server leaves them out, an identity until it ends.
 */
export class WorkloadApi {
  readonly #endpoint: Endpoint;
  readonly #followers: readonly Follower[];
  readonly #listeners = new Set<(svid: OwnSvid) => void>();
  readonly #quiet: number;
  #kept: readonly Kept[] = [];

  constructor(endpoint: Endpoint, bundles: Bundles, options: WorkloadApiOptions = {}) {
    this.#endpoint = endpoint;
    this.#quiet = options.quiet ?? mostQuiet;
    const follow = (method: Method, take: (message: Uint8Array) => Checked<number>): Follower =>
      new Follower(method, (signal) => call(endpoint, method, nothing, signal), take, options.patience);
    const followBundles = (sort: BundleSort): Follower => {
      const take = takeBundles(sort, bundles);
      return follow(sort.method, (message) => {
        const taken = take(message, Date.now());
        return taken.ok ? accept(this.#quiet) : taken;
      });
    };
    this.#followers = [
      follow('FetchX509SVID', (message) => this.#takeSvids(message)),
      followBundles(bundleSorts.x509),
      followBundles(bundleSorts.jwt),
    ];
  }

  /** Runs until it is closed, and never throws. */
  async run(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.run()));
  }

  close(): void {
    for (const follower of this.#followers) follower.close();
  }

  /** Our default identity (standard §5.3), while it is valid. */
  current(): OwnSvid | undefined {
    return this.svids()[0];
  }

  /** All identities of ours, the default first. */
  svids(): readonly OwnSvid[] {
    const now = performance.now();
    return this.#kept.flatMap(({ svid, endsAt }) => (now <= endsAt ? svid : []));
  }

  /** Told the default identity each time that one came. Returns what ends it. */
  onChange(listener: (svid: OwnSvid) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get status(): WorkloadApiStatus {
    return {
      endpoint: nameOf(this.#endpoint),
      streams: this.#followers.map(({ status }) => status),
      svids: this.svids().map(({ spiffeId, validUntil }) => ({ spiffeId: spiffeId.toString(), validUntil })),
    };
  }

  #takeSvids(message: Uint8Array): Checked<number> {
    const read = readX509Svids(message);
    if (!read.ok) return read;
    const now = Date.now();
    const at = performance.now();
    const svids = readOwnSvids(read.value, now);
    if (!svids.ok) return svids;
    const kept = svids.value.map((svid) => ({ svid, endsAt: at + svid.validUntil - now }));
    this.#kept = kept;
    for (const listener of this.#listeners) listener(svids.value[0]);
    return accept(quietFor(Math.min(...kept.map(({ endsAt }) => endsAt)) - at, this.#quiet));
  }
}

/**
 * An identity is renewed when about half of its life is over: one that is not may have been without our hearing of
 * it, so that we ask while it still lives.
 */
export function quietFor(left: number, most: number): number {
  return Math.min(most, Math.max(leastQuiet, (left * 2) / 3));
}

const nothing = new Uint8Array();
