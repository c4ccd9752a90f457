import type { Fields } from '../../pdp/model/fields.ts';
import type { Dataplane } from '../../pdp/model/inventory.ts';
import type { Condition } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import { quote } from '../../pdp/model/words.ts';
import { labelNames } from '../kinds/head.ts';
import type { InboundOf } from '../lint/inventory.ts';
import { inboundConditions } from '../lower/inbounds.ts';
import type { Permission } from '../lower/policy.ts';
import { Pool } from '../lower/pool.ts';
import { ownTags } from '../targets/explicit.ts';
import { type TargetRef, targetRefOf, type WrittenTargetRef } from '../targets/target-ref.ts';
import type { Inbounds } from './inbounds.ts';

/** What a permission governs, in the words of the form that Kuma ships: the mesh, or dataplanes (SPEC MIG8). */
export type Target =
  /** `same`: it selects what it did, whatever comes; else the same inbounds of the inventory. */
  | { readonly ok: true; readonly same: boolean; readonly targetRef: Fields | undefined }
  | { readonly ok: false; readonly reason: string };

/** `head`: that of the policy, which its document keeps, and which binds it to a namespace and a zone. */
export function targetOf(
  written: Fields | undefined,
  head: Permission['head'],
  conditions: readonly Condition[],
  inbounds: Inbounds,
): Target {
  const ref = targetRefOf(written as WrittenTargetRef | undefined);
  if (ref.proxyTypes !== undefined && ref.proxyTypes.length > 0)
    return lost('it is only for some types of proxies, which the SPIFFE form cannot say');
  switch (ref.kind) {
    case 'Mesh':
      return { ok: true, same: true, targetRef: written };
    case 'Dataplane':
      return { ok: true, same: true, targetRef: { ...written, kind: 'Dataplane' } };
    case 'MeshSubset':
      if (Object.keys(ref.tags ?? {}).length === 0)
        return { ok: true, same: true, targetRef: { kind: 'Mesh' } };
      return byLabels(ref, head, conditions, inbounds);
    case 'MeshService':
    case 'MeshServiceSubset':
      return byLabels(ref, head, conditions, inbounds);
    default:
      return lost(`it targets a ${ref.kind}, and the SPIFFE form targets inbounds, not routes or gateways`);
  }
}

function lost(reason: string): Target {
  return { ok: false, reason };
}

/** Labels that all dataplanes with these inbounds have and no others, as few as will do. */
function byLabels(
  ref: TargetRef,
  head: Permission['head'],
  conditions: readonly Condition[],
  inbounds: Inbounds,
): Target {
  const selected = inbounds.select(conditions).map((number) => inbounds.all[number]!);
  const [first] = selected;
  if (first === undefined)
    return lost('it governs no inbound of the inventory, so that there is nothing to compare');
  const chosen = new Set(selected.map(({ dataplane }) => dataplane));
  const section = sectionOf(selected, chosen);
  if (section === undefined)
    return lost(`no name or port tells its inbounds from others of the same dataplanes: ${sayTarget(ref)}`);
  const written = (labels: readonly Label[]) => ({
    kind: 'Dataplane',
    ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }),
    ...(section === '' ? {} : { sectionName: section }),
  });
  // As it will be read: what binds the policy is looked for in labels too, where by tags an inbound could say it.
  const pool = new Pool();
  const isExact = (labels: readonly Label[]) => {
    const when = inboundConditions({ head, spec: { targetRef: written(labels) } }, pool);
    return inbounds.selectsSame(when, conditions);
  };
  const shared = [...first.dataplane.labels].filter(([label, value]) =>
    [...chosen].every(({ labels }) => labels.get(label) === value),
  );
  if (!isExact(shared)) {
    const unsaid = Object.entries(ownTags(head)).find(
      ([label, value]) => !shared.some(([own, said]) => own === label && said === value),
    );
    const why =
      unsaid === undefined
        ? ''
        : `, since it is bound to ${quote(unsaid.join('='))}, which no label says of some`;
    return lost(`no labels select the inbounds that ${sayTarget(ref)} does${why}`);
  }
  return { ok: true, same: false, targetRef: written(fewest(shared, isExact)) };
}

type Label = readonly [string, string];

function sayTarget({ kind, name, tags }: TargetRef): string {
  const said = [
    ...(name === undefined ? [] : [name]),
    ...Object.entries(tags ?? {}).map((tag) => tag.join('=')),
  ];
  return `${kind} ${quote(said.join(', '))}`;
}

/** Empty where all inbounds of their dataplanes are meant. */
function sectionOf(selected: readonly InboundOf[], chosen: ReadonlySet<Dataplane>): string | undefined {
  let all = 0;
  for (const { inbounds } of chosen) all += inbounds.length;
  if (all === selected.length) return '';
  const { name, port } = selected[0]!.inbound;
  return [name, String(port)].find(
    (section) =>
      section !== undefined &&
      selected.every(({ inbound }) => inbound.name === section || String(inbound.port) === section),
  );
}

/** Labels that change with every release, or that the mesh sets, go first. */
function fewest(labels: readonly Label[], isExact: (labels: readonly Label[]) => boolean): readonly Label[] {
  const order = [...labels].sort(([a], [b]) => passing(a) - passing(b) || byText(b, a));
  let kept = [...labels].sort(([a], [b]) => byText(a, b));
  for (const [label] of order) {
    const without = kept.filter(([one]) => one !== label);
    if (without.length > 0 && isExact(without)) kept = without;
  }
  return kept;
}

function passing(label: string): number {
  if (label.includes('hash') || label.includes('revision')) return 0;
  if (label === labelNames.namespace) return 2;
  return label.includes('kuma.io/') ? 1 : 3;
}
