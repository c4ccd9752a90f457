import { type Api, type Credentials, connect } from '../../attributes/kubernetes/client.ts';
import { KubernetesDocuments } from '../../attributes/kubernetes/documents.ts';
import { effects } from '../../attributes/kubernetes/settle.ts';
import { type Source, type SourceReport, unitsOf } from '../../gateway/live/source.ts';
import { formatViolation } from '../../pdp/model/violation.ts';
import { resourcesOf } from '../../policy/crds/resources.ts';
import { standInFor } from '../../policy/crds/stand-in.ts';
import { shippedKinds } from '../../policy/files.ts';
import { descriptionsIn } from '../../policy/kinds/descriptions.ts';
import { withDescribed } from '../../policy/kinds/registry.ts';
import { loadDocuments } from '../set.ts';

/** Policies and what they are about, as objects of a cluster. */
export async function openClusterSource(credentials: Credentials): Promise<Source> {
  return new ClusterPolicies(await connect(credentials));
}

class ClusterPolicies implements Source {
  readonly name: string;
  readonly #documents: KubernetesDocuments;
  readonly #listeners: (() => void)[] = [];

  constructor(api: Api) {
    this.name = `policies in ${api.server}`;
    const kinds = withDescribed(descriptionsIn(shippedKinds(), []).values());
    this.#documents = new KubernetesDocuments(api, resourcesOf(kinds), {
      check: (documents) => loadDocuments(documents).violations,
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
    return {
      synced,
      ...(age === undefined ? {} : { age }),
      problems: [
        // That others' kinds are not there is no problem.
        ...kinds.flatMap(({ kind, state, why }) =>
          why === undefined || state === 'missing' ? [] : [`${kind}: ${why}`],
        ),
        ...broken.map(
          ({ name, stands, violations }) =>
            `${name}: ${effects[stands]}: ${violations.map(formatViolation).slice(0, mostSaid).join('; ')}`,
        ),
      ],
    };
  }

  close(): void {
    this.#documents.close();
  }
}

const mostSaid = 3;
