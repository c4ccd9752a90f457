import { type Fields, fieldsIn } from '../../pdp/model/fields.ts';
import { limits } from '../../pdp/model/limits.ts';
import { groupOf, type ResourceKind } from './resource-kind.ts';

/** What is kept of an object: what its owner says, and which state of it that is. */
export interface KeptObject {
  /** `AccessPolicy/shop/web`, the same for no two objects. */
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** As a file would have it: nothing in it that the server says, so that it changes when its owner changes it. */
  readonly value: Fields;
  readonly text: string;
}

/** The first of several groups that have the kind, Kubernetes' own before all, is meant by the kind alone. */
export function wordFor(kind: ResourceKind, all: readonly ResourceKind[]): string {
  const named = all.filter((one) => one.kind === kind.kind);
  const first = named.find((one) => groupOf(one) === '') ?? named[0];
  return first?.apiVersion === kind.apiVersion ? kind.kind : `${kind.kind}.${groupOf(kind)}`;
}

/** Undefined: it is no object. */
export function keptObject(object: unknown, kind: ResourceKind, word: string): KeptObject | undefined {
  const { metadata, status: _, ...rest } = fieldsIn(object);
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels } = fieldsIn(metadata);
  if (typeof name !== 'string' || typeof uid !== 'string') return undefined;
  const place = typeof namespace === 'string' ? `${namespace}/${name}` : name;
  // What Kubernetes has itself is known by its metadata alone.
  const own = groupOf(kind) === '' ? {} : rest;
  const value = {
    ...own,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: {
      name,
      ...(typeof namespace === 'string' ? { namespace } : {}),
      ...(labels === undefined ? {} : { labels }),
    },
  };
  const created = Date.parse(String(creationTimestamp));
  const said = isDeeper(value, mostLevels) ? (cut(value, mostLevels) as Fields) : value;
  return {
    name: `${word}/${place}`,
    uid,
    version: typeof resourceVersion === 'string' ? resourceVersion : '',
    created: Number.isNaN(created) ? 0 : created,
    value: said,
    text: JSON.stringify(said),
  };
}

/** One more than a document may have, by which it is refused; whoever may store objects decides how deep they are. */
const mostLevels = limits.nesting + 1;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((one) => cut(one, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cut(one, levels - 1)]));
}
