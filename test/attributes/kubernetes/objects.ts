import type { Entries } from '../../../src/attributes/kubernetes/entries.ts';
import { keptObject } from '../../../src/attributes/kubernetes/kept-object.ts';
import { type Check, type Settled, settle } from '../../../src/attributes/kubernetes/settle.ts';
import { standInFor } from '../../../src/policy/crds/stand-in.ts';
import { shippedKinds } from '../../../src/policy/files.ts';
import { load } from '../../../src/policy/load.ts';
import { digest } from '../../policy/loading.ts';

/** Objects as an API server has them, without one; live tests ask a real one. */

export const check: Check = (documents) => load(documents, digest, shippedKinds).violations;
const placet = 'placet.dev/v1alpha1';
export const everybody = [{ workloadSelector: {} }];

export interface More {
  readonly apiVersion?: string;
  /** Null: it has none. */
  readonly namespace?: string | null;
  readonly labels?: object;
  readonly uid?: string;
  readonly created?: string;
  readonly spec?: object;
  readonly status?: object;
}

let count = 0;
export function object(kind: string, name: string, more: More = {}) {
  const { apiVersion = placet, namespace = 'shop', labels, uid = `u-${name}`, created, ...rest } = more;
  const metadata = {
    name,
    ...(namespace === null ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    uid,
    resourceVersion: String(++count),
    creationTimestamp: created,
  };
  const resource = { apiVersion, kind, plural: '', namespaced: namespace !== null };
  const word = apiVersion === 'clusterlink.net/v1alpha1' ? `${kind}.clusterlink.net` : kind;
  return keptObject({ ...rest, apiVersion, kind, metadata }, resource, word)!;
}

export const policy = (name: string, action: string, more: More = {}) =>
  object('AccessPolicy', name, { spec: { action, from: everybody, to: everybody }, ...more });
export const cluster = (kind: string, name: string, spec: object) =>
  object(kind, name, { spec, namespace: null });

export function settled(entries: Entries): Settled {
  return settle(entries.values(), check, standInFor);
}
export const stands = ({ broken }: Settled) => broken.map((one) => `${one.name}: ${one.stands}`);
export const namesIn = ({ documents }: Settled) => documents.map(({ file }) => file).sort();
