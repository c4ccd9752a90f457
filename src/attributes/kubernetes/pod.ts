import { type Fields, fieldsIn, listIn } from '../../pdp/model/fields.ts';
import { addImages, type ContainerImage, imageKeys } from '../../pdp/model/images.ts';
import { keys } from '../../pdp/model/rule.ts';
import { normalAddress } from './address.ts';

/** What is kept of a pod: ten thousand of them have to stay small. */
export interface Pod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly serviceAccount: string;
  /** In normal form; empty until it has one. */
  readonly addresses: readonly string[];
  /** It shares its node's addresses with whatever else runs there. */
  readonly hostNetwork: boolean;
  /** It runs, or may come to: neither finished nor failed nor on its way out. */
  readonly live: boolean;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly containers: readonly ContainerImage[];
  readonly initContainers: readonly ContainerImage[];
  /** What controls it, as it says itself: `ReplicaSet/web-5d4f`. */
  readonly owner: { readonly kind: string; readonly name: string } | undefined;
}

/** A pod as the API server writes it in JSON; undefined if it is none. */
export function podOf(value: unknown): Pod | undefined {
  const { metadata, spec, status } = fieldsIn(value);
  const meta = fieldsIn(metadata);
  const { uid, namespace, name, resourceVersion } = meta;
  if (!isText(uid) || !isText(namespace) || !isText(name)) return undefined;
  const said = fieldsIn(spec);
  const seen = fieldsIn(status);
  const phase = seen['phase'];
  const created = Date.parse(String(meta['creationTimestamp']));
  return {
    uid,
    namespace,
    name,
    resourceVersion: isText(resourceVersion) ? resourceVersion : '',
    serviceAccount: text(said['serviceAccountName']) ?? 'default',
    addresses: addressesOf(seen),
    hostNetwork: said['hostNetwork'] === true,
    live: phase !== 'Succeeded' && phase !== 'Failed' && meta['deletionTimestamp'] === undefined,
    created: Number.isNaN(created) ? 0 : created,
    labels: labelsOf(meta['labels']),
    containers: [
      ...imagesOf(said['containers'], seen['containerStatuses']),
      ...imagesOf(said['ephemeralContainers'], seen['ephemeralContainerStatuses']),
    ],
    initContainers: imagesOf(said['initContainers'], seen['initContainerStatuses']),
    owner: controllerOf(meta['ownerReferences']),
  };
}

function addressesOf(status: Fields): readonly string[] {
  const listed = listIn(status['podIPs']).map((one) => fieldsIn(one)['ip']);
  const all = [...listed, status['podIP']].flatMap((one) => (isText(one) ? (normalAddress(one) ?? []) : []));
  return [...new Set(all)];
}

function labelsOf(value: unknown): Readonly<Record<string, string>> {
  const labels: Record<string, string> = Object.create(null);
  for (const [key, label] of Object.entries(fieldsIn(value)))
    if (typeof label === 'string') labels[key] = label;
  return labels;
}

function imagesOf(containers: unknown, statuses: unknown): readonly ContainerImage[] {
  const digests = new Map(
    listIn(statuses).map((one) => [fieldsIn(one)['name'], digestOf(fieldsIn(one)['imageID'])]),
  );
  return listIn(containers).flatMap((one) => {
    const { name, image } = fieldsIn(one);
    return isText(name) && isText(image) ? [{ name, image, digest: digests.get(name) }] : [];
  });
}

/** Runtimes write `repo@sha256:…`, `docker-pullable://repo@sha256:…` or the digest alone. */
function digestOf(imageId: unknown): string | undefined {
  if (!isText(imageId)) return undefined;
  const digest = imageId.slice(imageId.lastIndexOf('@') + 1);
  return /^sha(256:[0-9a-f]{64}|512:[0-9a-f]{128})$/.test(digest) ? digest : undefined;
}

function controllerOf(value: unknown): Pod['owner'] {
  const controller = listIn(value)
    .map(fieldsIn)
    .find((one) => one['controller'] === true);
  const { kind, name } = controller ?? {};
  return isText(kind) && isText(name) ? { kind, name } : undefined;
}

interface Made {
  readonly owner: string | undefined;
  readonly attributes: ReadonlyMap<string, string>;
}

/** A pod that changes is another object, so what was made of one holds for as long as it is there. */
const made = new WeakMap<Pod, Made>();

/** What Kubernetes says of a workload (paper 004); `owner` with ReplicaSets resolved. */
export function attributesOf(pod: Pod, owner: string | undefined): ReadonlyMap<string, string> {
  const known = made.get(pod);
  if (known !== undefined && known.owner === owner) return known.attributes;
  const attributes = makeAttributes(pod, owner);
  made.set(pod, { owner, attributes });
  return attributes;
}

function makeAttributes(pod: Pod, owner: string | undefined): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>([
    [keys.k8sNamespace, pod.namespace],
    [keys.k8sServiceAccount, pod.serviceAccount],
    [keys.k8sPod, pod.name],
  ]);
  if (owner !== undefined) attributes.set(keys.k8sOwner, owner);
  for (const [label, value] of Object.entries(pod.labels)) attributes.set(keys.k8sLabel + label, value);
  addImages(attributes, imageKeys.containers, pod.containers);
  addImages(attributes, imageKeys.initContainers, pod.initContainers);
  return attributes;
}

function text(value: unknown): string | undefined {
  return isText(value) ? value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
