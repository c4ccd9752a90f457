import { type Dataplane, type Inbound, tagsOf } from '../../pdp/model/inventory.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { serviceTag } from '../../pdp/model/rule.ts';
import type { Resources } from '../targets/resources.ts';
import { selectsInbound, selectsProxy } from '../targets/select.ts';
import type { TargetRef } from '../targets/target-ref.ts';

/** Which of many policies select a proxy, found without asking each (SPEC MRG14). */

interface Selection {
  readonly id: number;
  readonly ref: TargetRef;
  readonly mesh: string;
}

export class Selections {
  /** How many selections were compared with a proxy or an inbound. */
  compared = 0;
  readonly #resources: Resources;
  readonly #ids = new Map<string, number>();
  readonly #all: Selection[] = [];
  #filed:
    | { readonly byTrait: Map<string, Selection[]>; readonly others: Map<string, Selection[]> }
    | undefined;

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  /** The number of what a policy is for, in its most explicit form; the same for all that are for the same. */
  idOf(ref: TargetRef, mesh: string): number {
    const key = JSON.stringify([mesh, ref]);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#all.length;
    this.#ids.set(key, id);
    this.#all.push({ id, ref, mesh });
    this.#filed = undefined;
    return id;
  }

  /** Ascending. */
  ofProxy(dataplane: Dataplane): readonly number[] {
    return this.#holding(dataplane, dataplane.inbounds, (ref, mesh) =>
      selectsProxy(ref, mesh, dataplane, this.#resources),
    );
  }

  ofInbound(dataplane: Dataplane, inbound: Inbound): readonly number[] {
    return this.#holding(dataplane, [inbound], (ref, mesh) =>
      selectsInbound(ref, mesh, dataplane, inbound, this.#resources),
    );
  }

  #holding(
    dataplane: Dataplane,
    inbounds: readonly Inbound[],
    holds: (ref: TargetRef, mesh: string) => boolean,
  ): readonly number[] {
    this.#filed ??= this.#file();
    const { byTrait, others } = this.#filed;
    const found: number[] = [];
    const look = (candidates: readonly Selection[] | undefined) => {
      for (const { id, ref, mesh } of candidates ?? []) {
        this.compared++;
        if (holds(ref, mesh)) found.push(id);
      }
    };
    for (const trait of traitsOf(dataplane, inbounds)) look(byTrait.get(trait));
    look(others.get(dataplane.mesh));
    return found.sort((a, b) => a - b);
  }

  /** Each selection under the one of its traits that the fewest selections have. */
  #file() {
    const counts = new Map<string, number>();
    for (const { ref, mesh } of this.#all)
      for (const trait of wantedTraits(ref, mesh)) counts.set(trait, (counts.get(trait) ?? 0) + 1);
    const byTrait = new Map<string, Selection[]>();
    const others = new Map<string, Selection[]>();
    for (const selection of this.#all) {
      const [rarest] = wantedTraits(selection.ref, selection.mesh).sort(
        (a, b) => counts.get(a)! - counts.get(b)!,
      );
      const [under, key] = rarest === undefined ? [others, selection.mesh] : [byTrait, rarest];
      pushTo(under, key, selection);
    }
    return { byTrait, others };
  }
}

/** What a proxy must have, each of it, for the reference to select it; none where that depends on other documents. */
function wantedTraits(ref: TargetRef, mesh: string): string[] {
  const tags = Object.entries(ref.tags ?? {}).filter(([, value]) => !value.startsWith('!'));
  const labels = Object.entries(ref.labels ?? {}).map(([label, value]) =>
    traitOf(mesh, 'label', label, value),
  );
  switch (ref.kind) {
    case 'MeshSubset':
      return tags.map(([tag, value]) => traitOf(mesh, 'tag', tag, value));
    case 'MeshService':
    case 'MeshServiceSubset':
      return [[serviceTag, ref.name ?? ''] as const, ...tags].map(([tag, value]) =>
        traitOf(mesh, 'tag', tag, value),
      );
    case 'Dataplane':
      return ref.name === undefined ? labels : [traitOf(mesh, 'name', '', ref.name)];
    default:
      return [];
  }
}

function traitsOf(dataplane: Dataplane, inbounds: readonly Inbound[]): ReadonlySet<string> {
  const { mesh, name, labels } = dataplane;
  const traits = new Set([traitOf(mesh, 'name', '', name)]);
  for (const [label, value] of labels) traits.add(traitOf(mesh, 'label', label, value));
  for (const tags of [tagsOf(dataplane), ...inbounds.map((one) => tagsOf(dataplane, one))])
    for (const [tag, values] of tags)
      for (const value of values) traits.add(traitOf(mesh, 'tag', tag, value));
  return traits;
}

function traitOf(mesh: string, of: 'name' | 'label' | 'tag', key: string, value: string): string {
  return JSON.stringify([mesh, of, key, value]);
}
