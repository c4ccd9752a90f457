import { type Fields, isFields } from '../../pdp/model/fields.ts';
import { placet } from '../kinds/groups.ts';
import { labelNames, systemNamespace } from '../kinds/head.ts';

/** Everybody is affected by what these say, and nothing can be put in their place. */
const ofOperator: readonly unknown[] = ['PrivilegedAccessPolicy', 'Mesh', 'Site', 'Peer'];

/** No object may be called so, since of an underscore the API server says that it is in no name. */
const name = '_unreadable';

const allows: readonly unknown[] = ['allow', 'allowWithShadowDeny'];

/**
 * What stands for an object that cannot be read and may have denied something: a deny of everything in its namespace,
 * so that its owner is the only one who notices; the same for all objects of the namespace. Null: without it nothing is allowed that was not; undefined: it is the
 * operator's, and there is no deciding without it.
 */
export function standInFor(value: Fields): Fields | null | undefined {
  const { kind } = value;
  if (ofOperator.includes(kind)) return undefined;
  if (kind !== 'AccessPolicy' && kind !== 'MeshTrafficPermission') return null;
  const metadata = isFields(value['metadata']) ? value['metadata'] : {};
  const labels = isFields(metadata['labels']) ? metadata['labels'] : {};
  if (labels[labelNames.effect] === 'shadow') return null;
  const { namespace } = metadata;
  if (kind === 'MeshTrafficPermission' && (namespace === undefined || namespace === systemNamespace))
    return undefined;
  const spec = isFields(value['spec']) ? value['spec'] : {};
  if (kind === 'AccessPolicy' && allows.includes(spec['action'])) return null;
  const everybody = [{ workloadSelector: {} }];
  return {
    apiVersion: placet,
    kind: 'AccessPolicy',
    metadata: { name, namespace },
    spec: { action: 'deny', from: everybody, to: everybody },
  };
}
