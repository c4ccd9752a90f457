import { Folder, global, sync, zone } from './syncing.ts';

export const policy = (name: string, namespace: string, labels: object = {}) =>
  JSON.stringify({
    apiVersion: 'kuma.io/v1alpha1',
    kind: 'MeshTimeout',
    metadata: { name, namespace, labels },
    spec: { to: [{ targetRef: { kind: 'MeshService', name: 'backend' }, default: {} }] },
  });
export const together = (...texts: string[]) => texts.join('\n---\n');
export const fromOne = () => new Folder(zone('zone-1'), policy('p', 'ns'));

/** Zones that have each other's, through Global. */
export function settled(): { one: Folder; two: Folder; middle: Folder } {
  const [one, two] = [fromOne(), new Folder(zone('zone-2'), policy('q', 'ns'))];
  const middle = new Folder(global);
  sync(one, middle);
  sync(two, middle);
  sync(middle, one);
  sync(middle, two);
  return { one, two, middle };
}
