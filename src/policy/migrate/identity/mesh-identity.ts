import { type Fields, isFields } from '../../../pdp/model/fields.ts';
import { byText } from '../../../pdp/model/text.ts';
import type { Document } from '../../document.ts';
import { labelNames } from '../../kinds/head.ts';
import { itemsOf } from '../../kinds/list.ts';

/** What Kuma's MeshIdentity documents say of the SPIFFE IDs of a mesh's proxies. The rest of them is not read. */
export interface MeshIdentity {
  readonly mesh: string;
  readonly name: string;
  /** A synchronised copy is for the proxies of its zone. */
  readonly zone: string | undefined;
  /** Labels that the dataplane must have. Undefined: it selects none. */
  readonly selector: ReadonlyMap<string, string> | undefined;
  readonly trustDomain: string | undefined;
  readonly path: string | undefined;
}

/** The more labels a selector has the earlier it is, then by name: the first one that fits is the dataplane's. */
export function meshIdentitiesOf(documents: readonly Document[]): readonly MeshIdentity[] {
  const found: MeshIdentity[] = [];
  for (const { value } of documents)
    for (const item of itemsOf(value)) {
      const one = read(item.value);
      if (one !== undefined) found.push(one);
    }
  return found.sort(
    (a, b) =>
      (b.selector?.size ?? 0) - (a.selector?.size ?? 0) || byText(a.name, b.name) || byText(a.mesh, b.mesh),
  );
}

function read(value: unknown): MeshIdentity | undefined {
  if (!isFields(value) || (value['type'] ?? value['kind']) !== 'MeshIdentity') return undefined;
  const metadata = field(value, 'metadata') ?? value;
  const labels = texts(metadata['labels']);
  const spec = field(value, 'spec') ?? value;
  const dataplane = field(field(spec, 'selector'), 'dataplane');
  const spiffe = field(spec, 'spiffeID') ?? field(spec, 'spiffeId');
  return {
    mesh: text(value['mesh']) ?? labels.get(labelNames.mesh) ?? 'default',
    name: text(metadata['name']) ?? '',
    zone: labels.get(labelNames.zone),
    selector: dataplane && texts(dataplane['matchLabels']),
    trustDomain: text(spiffe?.['trustDomain']),
    path: text(spiffe?.['path']),
  };
}

function field(value: Fields | undefined, name: string): Fields | undefined {
  const found = value?.[name];
  return isFields(found) ? found : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function texts(value: unknown): ReadonlyMap<string, string> {
  const entries = isFields(value) ? Object.entries(value) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
