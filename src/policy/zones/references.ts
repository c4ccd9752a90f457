import { type Fields, isFields } from '../../pdp/model/fields.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { spellings } from '../targets/target-ref.ts';
import type { Resource } from './resource.ts';

/** What a policy or a route refers to, wherever it is written (SPEC ZON9). */
export interface Reference {
  /** From the root of the document. */
  readonly path: Path;
  readonly at: 'top' | 'to' | 'backend';
  readonly kind: string;
  readonly ref: Fields;
}

/** Deep enough for a mirror below a filter below a rule; what is deeper is nobody's route. */
const deepest = 8;

export function referencesOf({ value }: Pick<Resource, 'value'>): readonly Reference[] {
  const found: Reference[] = [];
  const body = isFields(value['spec']) ? value['spec'] : value;
  const bodyPath: Path = body === value ? [] : ['spec'];
  add(body['targetRef'], [...bodyPath, 'targetRef'], 'top');
  list(body['to'], [...bodyPath, 'to']);
  if (isFields(body['conf'])) list(body['conf']['to'], [...bodyPath, 'conf', 'to']);
  return found;

  function add(ref: unknown, path: Path, at: Reference['at']): void {
    if (!isFields(ref)) return;
    const kind = typeof ref['kind'] === 'string' ? ref['kind'] : 'Mesh';
    found.push({ path, at, kind: Object.hasOwn(spellings, kind) ? spellings[kind]! : kind, ref });
  }

  function list(items: unknown, path: Path): void {
    if (!Array.isArray(items)) return;
    for (const [index, item] of items.entries()) {
      if (!isFields(item)) continue;
      add(item['targetRef'], [...path, index, 'targetRef'], 'to');
      backends(item['rules'], [...path, index, 'rules'], deepest);
    }
  }

  function backends(here: unknown, path: Path, levels: number): void {
    if (levels === 0) return;
    if (Array.isArray(here))
      for (const [index, item] of here.entries()) backends(item, [...path, index], levels - 1);
    else if (isFields(here))
      for (const [key, below] of Object.entries(here)) {
        const at = [...path, key];
        if (key === 'backendRef') add(below, at, 'backend');
        else if (key === 'backendRefs' && Array.isArray(below))
          for (const [index, one] of below.entries()) add(one, [...at, index], 'backend');
        else backends(below, at, levels - 1);
      }
  }
}

/** What a reference of a kind is to: of a part of a service, the service. */
export function referred(kind: string): string {
  return kind === 'MeshServiceSubset' ? 'MeshService' : kind;
}

/** A copy of `value` with something else at each path; what is not on the way to one is shared. */
export function replacedAt(value: unknown, changes: readonly { path: Path; value: unknown }[]): unknown {
  if (changes.length === 0) return value;
  const whole = changes.find(({ path }) => path.length === 0);
  if (whole !== undefined) return whole.value;
  const below = new Map<string | number, { path: Path; value: unknown }[]>();
  for (const { path, value: put } of changes) {
    const [first, ...rest] = path;
    const group = below.get(first!) ?? [];
    group.push({ path: rest, value: put });
    below.set(first!, group);
  }
  if (Array.isArray(value)) return value.map((one, index) => replacedAt(one, below.get(index) ?? []));
  const fields = value as Fields;
  return Object.fromEntries(
    Object.entries(fields).map(([key, one]) => [key, replacedAt(one, below.get(key) ?? [])]),
  );
}
