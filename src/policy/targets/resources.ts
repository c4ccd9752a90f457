import type { Fields } from '../../pdp/model/fields.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { displayName, type Head, labelNames, ownNamespace, zoneOf } from '../kinds/head.ts';
import type { ResourceKind } from '../kinds/kind.ts';
import { isSystemPlace } from './role.ts';
import { matchesLabels } from './tags.ts';
import type { TargetRef } from './target-ref.ts';
import type { Targeted } from './targeted.ts';

/** What documents say there is, beside proxies: services, gateways and routes that policies name (SPEC REF5). */

export interface Resource {
  readonly kind: ResourceKind;
  readonly head: Head;
  /** As it was read; `loose` schemas let more through than they name. */
  readonly spec: Fields;
  readonly labels: ReadonlyMap<string, string>;
  /** A route is a policy too. */
  readonly targeted: Targeted | undefined;
}

/** Labels that everything has without writing them. */
export function labelsOf(head: Head): ReadonlyMap<string, string> {
  const labels = new Map(Object.entries(head.labels));
  labels.set(labelNames.displayName, displayName(head));
  if (ownNamespace(head) !== '') labels.set(labelNames.namespace, ownNamespace(head));
  if (zoneOf(head) !== '') labels.set(labelNames.zone, zoneOf(head));
  return labels;
}

export class Resources {
  readonly all: readonly Resource[];
  /** Names of Zone documents. */
  readonly zones: ReadonlySet<string>;
  readonly #byName = new Map<string, Resource[]>();
  readonly #byLabel = new Map<string, Resource[]>();
  readonly #found = new Map<string, readonly Resource[]>();

  constructor(all: readonly Resource[], zones: Iterable<string> = []) {
    this.all = all;
    this.zones = new Set(zones);
    for (const one of all) {
      const { kind, head } = one;
      pushTo(this.#byName, nameKey(kind, head.mesh, head.namespace, head.name), one);
      for (const [label, value] of one.labels) pushTo(this.#byLabel, key(kind, head.mesh, label, value), one);
    }
  }

  of(kind: ResourceKind): readonly Resource[] {
    return this.all.filter((one) => one.kind === kind);
  }

  /** What a reference in its most explicit form leads to: one thing by name, any number by labels. */
  resolve(ref: TargetRef, mesh: string): readonly Resource[] {
    if (ref.name !== undefined)
      return this.#byName.get(nameKey(ref.kind, mesh, ref.namespace, ref.name)) ?? none;
    const labels = Object.entries(ref.labels ?? {});
    if (labels.length === 0) return none;
    const asked = JSON.stringify([ref.kind, mesh, labels]);
    const known = this.#found.get(asked);
    if (known !== undefined) return known;
    // The rarest of the labels leaves the least to look through.
    const [least] = labels
      .map(([label, value]) => this.#byLabel.get(key(ref.kind, mesh, label, value)) ?? none)
      .sort((a, b) => a.length - b.length);
    const found = least!.filter((one) => matchesLabels(ref.labels!, one.labels));
    this.#found.set(asked, found);
    return found;
  }
}

const none: readonly Resource[] = [];

function nameKey(kind: string, mesh: string, namespace: string | undefined, name: string): string {
  return key(kind, mesh, isSystemPlace(namespace) ? '' : namespace!, name);
}

/** No part may hold a line break, labels apart, which come last. */
function key(...parts: readonly string[]): string {
  return parts.join('\n');
}
