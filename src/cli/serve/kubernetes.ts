import type { Cluster } from '../../attributes/identify.ts';
import { connect } from '../../attributes/kubernetes/client.ts';
import { ClusterSource } from '../../attributes/kubernetes/cluster.ts';
import { TokenReviewer } from '../../attributes/kubernetes/token-review.ts';
import type { SourceStatus } from '../../gateway/service.ts';
import { exit, Failure } from '../failure.ts';
import type { Review } from './callers.ts';
import type { Config } from './config-schema.ts';

/** The cluster beside which the service runs: its pods, and its word for tokens. */
export interface KubernetesSide {
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
  const api = await connect(kubernetes).catch((error: Error) => {
    throw new Failure(exit.problems, `kubernetes: ${error.message}`);
  });
  const source = new ClusterSource(api, { maxStaleness: maxStaleness * 1_000 });
  const reviewer = new TokenReviewer(api, { audiences });
  return {
    start: () => void source.run(),
    review: (token) => reviewer.verify(token),
    view: () => source.view(),
    status() {
      const [age, unready] = [source.age(), source.unready()];
      return [
        {
          name: 'cluster pods',
          synced: age !== undefined,
          fresh: unready === undefined,
          ...(age === undefined ? {} : { age }),
          problems: unready === undefined ? [] : [unready],
        },
      ];
    },
    close: () => source.close(),
  };
}
