import type { Fields } from '../../pdp/model/fields.ts';
import type { Place } from '../../pdp/model/violation.ts';
import type { Standing } from './standing.ts';

/** An object as a document: its place is itself. */
export interface ResourceDocument {
  readonly value: Fields;
  readonly file: string;
  place(): Place;
}

/** A document, and the objects that it is made of. */
export interface Written {
  readonly document: ResourceDocument;
  readonly of: readonly Standing[];
}

export function writtenOf(order: readonly Standing[]): readonly Written[] {
  const there = order.filter(({ value }) => value !== undefined);
  const services = new Map<string, { own?: Standing; core?: Standing }>();
  for (const one of there) {
    const value = one.value as Fields;
    if (value['kind'] !== 'Service') continue;
    const known = services.get(placeOf(value)) ?? {};
    services.set(placeOf(value), { ...known, [isCore(value) ? 'core' : 'own']: one });
  }
  const standIns = new Set<string>();
  return there.flatMap((one) => {
    const value = one.value as Fields;
    if (one.isStandIn) {
      const text = JSON.stringify(value);
      if (standIns.has(text)) return [];
      standIns.add(text);
    }
    const { own, core } = value['kind'] === 'Service' ? (services.get(placeOf(value)) ?? {}) : {};
    if (own === undefined || core === undefined)
      return [{ document: documentOf(one.name, value), of: [one] }];
    if (one === core) return [];
    const both = withLabels(value, core.value as Fields);
    return [{ document: documentOf(one.name, both), of: [own, core] }];
  });
}

/** A document that did not change is the same one, so that others can tell. */
const known = new WeakMap<Fields, ResourceDocument>();

function documentOf(file: string, value: Fields): ResourceDocument {
  const document = known.get(value) ?? { value, file, place: () => ({ file, line: 0, column: 0 }) };
  known.set(value, document);
  return document;
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Fields;
}

function placeOf({ metadata }: Fields): string {
  const { namespace, name } = metadata as Metadata;
  return `${namespace}/${name}`;
}

function isCore({ apiVersion }: Fields): boolean {
  return apiVersion === 'v1';
}

const joined = new WeakMap<Fields, { readonly core: Fields; readonly value: Fields }>();

/** A Service of Kubernetes of which a document of ours says more is one service with it, and has the labels of both. */
function withLabels(own: Fields, core: Fields): Fields {
  const before = joined.get(own);
  if (before?.core === core) return before.value;
  const metadata = own['metadata'] as Metadata;
  const labels = { ...(core['metadata'] as Metadata).labels, ...metadata.labels };
  const value = { ...own, metadata: { ...metadata, labels } };
  joined.set(own, { core, value });
  return value;
}
