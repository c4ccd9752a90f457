import type { Cluster } from '../../attributes/identify.ts';
import { ClusterSource } from '../../attributes/kubernetes/cluster.ts';
import { leastStaleness } from '../../attributes/kubernetes/pace.ts';
import { TokenReviewer } from '../../attributes/kubernetes/token-review.ts';
import type { SourceStatus } from '../../gateway/service.ts';
import { openCluster } from '../cluster.ts';
import { exit, Failure } from '../failure.ts';
import type { Review } from './callers.ts';
import type { Config } from './config-schema.ts';

/** The cluster beside which the service runs: its pods, and its word for tokens. */
export interface KubernetesSide {
  readonly server: string;
  /** From now on it is followed, until it is closed. */
  start(): void;
  readonly review: Review;
  /** What may be believed of it now. */
  view(): Cluster | undefined;
  status(): readonly SourceStatus[];
  close(): void;
}

export async function openKubernetes({
  kubernetes,
  audiences,
  maxStaleness,
}: Config): Promise<KubernetesSide | undefined> {
  if (kubernetes === undefined) return undefined;
  const least = leastStaleness / 1_000;
  if (maxStaleness < least)
    throw new Failure(
      exit.usage,
      `got maxStaleness ${maxStaleness} and a cluster, want at least ${least}`,
      'an API server says only so often that nothing has changed',
    );
  const api = await openCluster(kubernetes);
  const source = new ClusterSource(api, { maxStaleness: maxStaleness * 1_000 });
  const reviewer = new TokenReviewer(api, { audiences });
  return {
    server: api.server,
    start: () => void source.run(),
    review: (token) => reviewer.verify(token),
    view: () => source.view(),
    status() {
      const age = source.age();
      return [
        {
          name: 'cluster pods',
          synced: age !== undefined,
          fresh: source.unready() === undefined,
          ...(age === undefined ? {} : { age: Math.round(age) }),
          problems: source.status.flatMap(({ path, error }) =>
            error === undefined ? [] : [`${path}: ${error}`],
          ),
        },
      ];
    },
    close: () => source.close(),
  };
}
