import { expect } from 'vitest';
import { connect } from '../../../src/attributes/kubernetes/client.ts';
import { type ClusterOptions, ClusterSource } from '../../../src/attributes/kubernetes/cluster.ts';
import { checker } from './checker.ts';
import type { TestCluster } from './cluster.ts';

/** A source that follows a cluster, and whoever compares it with what is there. */
export interface Following {
  readonly source: ClusterSource;
  /** Waits until nothing differs from a list made then. */
  agrees(): Promise<void>;
  /** How often pods were listed. */
  lists(): number;
  /** Why it does not go on, of all that it follows. */
  errors(): string;
  stop(): Promise<void>;
}

export interface FollowOptions extends ClusterOptions {
  readonly user?: string;
  /** Of somebody on the way to the server. */
  readonly server?: string;
}

export async function follow(cluster: TestCluster, options: FollowOptions = {}): Promise<Following> {
  const { user, server, ...rest } = options;
  const source = new ClusterSource(await connect({ kubeconfig: cluster.kubeconfig(user, server) }), rest);
  const running = source.run();
  const { differences } = checker(source, cluster.api);
  return {
    source,
    agrees: () => expect.poll(differences, { timeout: 90_000, interval: 100 }).toEqual([]),
    lists: () => source.status[0]?.lists ?? 0,
    errors: () => source.status.map(({ error }) => error ?? '').join('; '),
    async stop() {
      source.close();
      await running;
    },
  };
}
