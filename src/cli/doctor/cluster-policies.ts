import type { Api } from '../../attributes/kubernetes/client.ts';
import { KubernetesDocuments } from '../../attributes/kubernetes/documents.ts';
import type { ResourceKind } from '../../attributes/kubernetes/resource-kind.ts';
import type { Check } from '../../attributes/kubernetes/settle.ts';
import { type BrokenObject, effects } from '../../attributes/kubernetes/standing.ts';
import { standInFor } from '../../policy/crds/stand-in.ts';
import type { Document } from '../../policy/document.ts';
import { loadShipped } from '../../policy/shipped.ts';
import { count } from '../terminal/wrap.ts';
import { type Finding, several } from './finding.ts';
import { counted } from './policies.ts';

const patience = 30_000;

/** Objects of the cluster, loaded together with the documents of files. */
export async function checkClusterPolicies(
  api: Api,
  kinds: readonly ResourceKind[],
  files: readonly Document[],
): Promise<readonly Finding[]> {
  const check = 'policies in the cluster';
  if (kinds.length === 0) return [];
  const look: Check = (documents) => loadShipped([...files, ...documents]).violations;
  const changed = Promise.withResolvers<void>();
  const source = new KubernetesDocuments(api, kinds, {
    check: look,
    standIn: standInFor,
    onChange: () => {
      if (source.synced) changed.resolve();
    },
  });
  const timer = setTimeout(() => changed.resolve(), patience);
  void source.run();
  try {
    await changed.promise;
    const { synced, sound, broken, kinds: followed } = source.status;
    if (!synced) {
      const why = several(
        followed.flatMap(({ kind, why }) => (why === undefined ? [] : [`${kind}: ${why}`])),
      );
      return [
        { check, outcome: 'fail', says: `they cannot be read: ${why || 'the API server does not answer'}` },
      ];
    }
    const says = count(source.documents().length, 'object');
    if (broken.length === 0 && sound) return [{ check, outcome: 'ok', says }];
    if (broken.length === 0) {
      const wrong = counted(look(source.documents()));
      return [{ check, outcome: 'fail', says: `${says}, which contradict each other: ${wrong}` }];
    }
    return broken.map((one) => brokenObject(one, sound));
  } finally {
    clearTimeout(timer);
    source.close();
  }
}

function brokenObject({ name, violations, stands }: BrokenObject, sound: boolean): Finding {
  const todo = sound ? effects[stands] : effects.newest;
  return { check: name, outcome: 'fail', says: counted(violations), todo: `correct it: ${todo}` };
}
