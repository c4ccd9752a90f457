import type { Api, Credentials } from '../../attributes/kubernetes/client.ts';
import { type KindStatus, KubernetesDocuments } from '../../attributes/kubernetes/documents.ts';
import { paceFor } from '../../attributes/kubernetes/pace.ts';
import { effects } from '../../attributes/kubernetes/standing.ts';
import { type Source, type SourceReport, unitsOf } from '../../gateway/live/source.ts';
import { formatViolation, type Violation } from '../../pdp/model/violation.ts';
import { resourcesOf } from '../../policy/crds/resources.ts';
import { standInFor } from '../../policy/crds/stand-in.ts';
import { shippedKinds } from '../../policy/files.ts';
import { descriptionsIn } from '../../policy/kinds/descriptions.ts';
import { withDescribed } from '../../policy/kinds/registry.ts';
import { loadShipped } from '../../policy/shipped.ts';
import { openCluster } from '../cluster.ts';
import { count } from '../terminal/wrap.ts';

/** Policies and what they are about, as objects of a cluster. */
export async function openClusterSource({ maxStaleness, ...credentials }: ClusterPlace): Promise<Source> {
  return new ClusterPolicies(await openCluster(credentials), maxStaleness);
}

export interface ClusterPlace extends Credentials {
  /** How old what is known of it may be. Milliseconds. */
  readonly maxStaleness: number;
}

/** What is not there has to be looked for while that it is not there still counts. Milliseconds. */
const mostLookAgain = 30_000;

class ClusterPolicies implements Source {
  readonly name: string;
  readonly #documents: KubernetesDocuments;
  readonly #listeners: (() => void)[] = [];

  constructor(api: Api, maxStaleness: number) {
    this.name = `policies in ${api.server}`;
    const kinds = withDescribed(descriptionsIn(shippedKinds(), []).values());
    this.#documents = new KubernetesDocuments(api, resourcesOf(kinds), {
      ...paceFor(maxStaleness),
      lookAgain: Math.min(mostLookAgain, maxStaleness / 3),
      check: (documents) => loadShipped(documents).violations,
      standIn: standInFor,
      onChange: () => {
        for (const listener of this.#listeners) listener();
      },
    });
    void this.#documents.run();
  }

  read() {
    return this.#documents.synced ? unitsOf(this.#documents.documents()) : undefined;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  report(): SourceReport {
    const { synced, kinds, broken } = this.#documents.status;
    const age = this.#documents.age();
    const more = broken.length - mostNamed;
    return {
      synced,
      ...(age === undefined ? {} : { age }),
      problems: [
        ...unfollowed(kinds),
        ...broken
          .slice(0, mostNamed)
          .map(
            ({ name, stands, violations }) =>
              `${name}: ${effects[stands]}: ${violations.map(formatViolation).slice(0, mostSaid).join('; ')}`,
          ),
        ...(more > 0 ? [`got ${more} more broken objects, which are not listed`] : []),
      ],
    };
  }

  wrong(): readonly Violation[] {
    return this.#documents.status.broken.flatMap(({ violations }) => violations);
  }

  close(): void {
    this.#documents.close();
  }
}

const mostSaid = 3;
const mostNamed = 100;

/** What keeps kinds from being followed, which is most often the same for all of them; that others' are not there is no problem. */
function unfollowed(kinds: readonly KindStatus[]): readonly string[] {
  const wanted = kinds.filter(({ state, why }) => why !== undefined && state !== 'missing');
  return [...Map.groupBy(wanted, ({ why }) => why)].map(([why, [first, ...rest]]) => {
    return `${first?.kind} of ${first?.apiVersion}${rest.length === 0 ? '' : ` and ${count(rest.length, 'more kind')}`}: ${why}`;
  });
}
