import type { Governed, Governing } from '../../pdp/governing.ts';
import { effectOf, keys, serviceTag } from '../../pdp/model/rule.ts';
import type { JsonObject } from './json.ts';
import { exportLimits } from './limits.ts';
import { refused } from './refused.ts';
import { shadowName } from './tag-filters.ts';

/** The tag paper's full table: a row for each combination of tags, written or negated, with principals to the letter. */

interface Tag {
  readonly key: string;
  readonly value: string;
}

/** An item of the list as the table reads it: tags that must be there, and tags that must not. */
interface TagItem {
  readonly governed: Governed;
  readonly wanted: readonly number[];
  readonly unwanted: readonly number[];
}

interface Row {
  /** Per tag, whether a client of this row has it. */
  readonly has: readonly boolean[];
  readonly item: TagItem | undefined;
}

export interface Table {
  readonly rules: JsonObject;
  readonly shadow: JsonObject;
}

const tableName = 'MeshTrafficPermission';

export function tableOf(governing: Governing, mesh: string): Table {
  const tags: Tag[] = [];
  const strength = ({ list }: Governed) => list?.strength ?? 0;
  // Tags are named in the order of the concatenated items, of which the last one that holds counts.
  const items = governing.entries
    .filter(({ worlds }) => worlds.includes('enforced'))
    .sort((a, b) => strength(a) - strength(b))
    .map((governed) => itemOf(governed, mesh, tags))
    .reverse();
  if (tags.length > exportLimits.tableTags)
    throw refused(
      'too-many-tags',
      `got ${tags.length} distinct tags, want at most ${exportLimits.tableTags} in the table form: it would have 2^${tags.length} rows`,
      'the form list has one principal for each item',
    );
  const rows = rowsOf(tags).map((has): Row => ({ has, item: items.find((item) => holds(item, has)) }));
  const isAllowed = ({ item }: Row) => item !== undefined && effectOf(item.governed.tier) === 'allow';
  const wouldBe = ({ item }: Row) => item?.governed.rule.origin.effect === 'denyWithShadowAllow';
  return {
    rules: rulesOf(tableName, rows.filter(isAllowed), tags),
    shadow: rulesOf(shadowName, rows.filter(wouldBe), tags),
  };
}

function itemOf(governed: Governed, mesh: string, tags: Tag[]): TagItem {
  const wanted: number[] = [];
  const unwanted: number[] = [];
  const { rule, list } = governed;
  if (list === undefined)
    throw refused(
      'form',
      `got ${rule.origin.kri}, which selects no tags, want tag permissions alone in a table`,
    );
  const service = (key: string) => Number(key === keys.tag + serviceTag);
  for (const { key, op, values } of governed.when.toSorted((a, b) => service(a.key) - service(b.key))) {
    const value = values[0]?.value ?? '';
    if (key === keys.mesh) {
      if (value === mesh) continue;
      throw refused(
        'form',
        `got an item of ${rule.origin.kri} for clients of the mesh ${JSON.stringify(value)}, want clients of one mesh in a table`,
        'the form list has clients of every mesh',
      );
    }
    (op === 'in' ? wanted : unwanted).push(tagIndex(tags, { key: key.slice(keys.tag.length), value }));
  }
  return { governed, wanted, unwanted };
}

function tagIndex(tags: Tag[], { key, value }: Tag): number {
  const found = tags.findIndex((tag) => tag.key === key && tag.value === value);
  return found >= 0 ? found : tags.push({ key, value }) - 1;
}

function holds({ wanted, unwanted }: TagItem, has: readonly boolean[]): boolean {
  return wanted.every((tag) => has[tag]) && !unwanted.some((tag) => has[tag]);
}

/**
 * In the paper's order: services change last and begin without, the others change from the last to the first and begin
 * with. Nobody has two values of one tag, says the paper, so such rows are left out.
 */
function rowsOf(tags: readonly Tag[]): readonly (readonly boolean[])[] {
  const indices = tags.map((_, index) => index);
  const isService = (index: number) => tags[index]?.key === serviceTag;
  const slowest = [...indices.filter(isService), ...indices.filter((index) => !isService(index))];
  let rows: Map<number, boolean>[] = [new Map()];
  for (const index of slowest) {
    const values = isService(index) ? [false, true] : [true, false];
    rows = rows.flatMap((row) => values.map((value) => new Map(row).set(index, value)));
  }
  return rows
    .map((row) => indices.map((index) => row.get(index) === true))
    .filter((has) => {
      const own = indices.filter((index) => has[index]).map((index) => tags[index]?.key);
      return new Set(own).size === own.length;
    });
}

function rulesOf(name: string, rows: readonly Row[], tags: readonly Tag[]): JsonObject {
  const action = 'ALLOW';
  if (rows.length === 0) return { action, policies: {} };
  const principals = rows.map(({ has }) => {
    const ids = tags.flatMap((tag, index): JsonObject[] => {
      const authenticated = { principal_name: { exact: `kuma://${tag.key}/${tag.value}` } };
      if (has[index]) return [{ authenticated }];
      // A value that is there says already that no other one is.
      const another = tags.some((other, at) => other.key === tag.key && has[at]);
      return another ? [] : [{ not_id: { authenticated } }];
    });
    return ids.length === 0 ? { any: true } : { and_ids: { ids } };
  });
  return { action, policies: { [name]: { permissions: [{ any: true }], principals } } };
}
