import type { Cluster } from '../identify.ts';
import type { Api } from './client.ts';
import { controlledOf, Owners } from './owners.ts';
import { paceFor } from './pace.ts';
import { podOf } from './pod.ts';
import { Pods } from './pods.ts';
import { Reflector, type ReflectorOptions, type ReflectorStatus } from './reflector.ts';

export interface ClusterOptions extends ReflectorOptions {
  /** How long what was last known counts after the connection is lost. Milliseconds. */
  readonly maxStaleness?: number;
}

const defaultStaleness = 5 * 60_000;

/** Pods and what owns them, as the API server has them, for as long as that is known well enough. */
export class ClusterSource {
  readonly pods = new Pods();
  readonly #owners = new Owners();
  readonly #reflectors: readonly Reflector<unknown>[];
  readonly #maxStaleness: number;

  constructor(api: Api, options: ClusterOptions = {}) {
    this.#maxStaleness = options.maxStaleness ?? defaultStaleness;
    const following = { ...paceFor(this.#maxStaleness), ...options };
    const { pods } = this;
    const owners = this.#owners;
    this.#reflectors = [
      new Reflector(
        api,
        '/api/v1/pods',
        {
          read: podOf,
          replace: (items) => pods.replace(items),
          set: (pod) => pods.set(pod),
          delete: (pod) => pods.delete(pod.uid),
        },
        following,
      ) as Reflector<unknown>,
      new Reflector(
        api,
        '/apis/apps/v1/replicasets',
        {
          read: controlledOf,
          replace: (items) => {
            owners.replace(items);
            pods.ownersChanged();
          },
          set: (item) => {
            if (owners.set(item)) pods.ownersChanged();
          },
          delete: (item) => {
            if (owners.delete(item)) pods.ownersChanged();
          },
        },
        following,
      ) as Reflector<unknown>,
    ];
  }

  /** Runs until it is closed. */
  async run(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.run()));
  }

  close(): void {
    for (const reflector of this.#reflectors) reflector.close();
  }

  get status(): readonly ReflectorStatus[] {
    return this.#reflectors.map(({ status }) => status);
  }

  /** How old what is known is, by a clock that nobody sets; undefined until all of it has been seen. */
  age(): number | undefined {
    const times = this.status.map(({ freshAt }) => freshAt);
    if (times.some((time) => time === undefined)) return undefined;
    return performance.now() - Math.min(...(times as number[]));
  }

  /** Why there is nothing to believe now, in words; undefined where there is. */
  unready(): string | undefined {
    const age = this.age();
    if (age !== undefined && age <= this.#maxStaleness) return undefined;
    const errors = this.status.flatMap(({ path, error }) => (error === undefined ? [] : `${path}: ${error}`));
    const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
    const what =
      age === undefined
        ? 'the cluster has not been seen yet'
        : `what is known of the cluster is ${seconds(age)} old, want at most ${seconds(this.#maxStaleness)}`;
    return errors.length === 0 ? what : `${what} (${errors.join('; ')})`;
  }

  /** What may be believed now; nothing if it is too old, or was never whole. */
  view(now: number = Date.now()): Cluster | undefined {
    const age = this.age();
    if (age === undefined || age > this.#maxStaleness) return undefined;
    return {
      byUid: (uid) => this.pods.byUid(uid),
      ofAccount: (namespace, name) => this.pods.ofAccount(namespace, name),
      ofAddress: (address) => this.pods.ofAddress(address),
      ownerOf: (pod) => this.#owners.ownerOf(pod),
      freshAt: Math.floor(now - age),
    };
  }
}
