import { evaluate } from '../../pdp/explain/evaluate.ts';
import { absent, type Seen, unknown } from '../../pdp/explain/seen.ts';
import { neverPresent } from '../../pdp/model/aliases.ts';
import { type Condition, keys, type Pattern, serviceTag } from '../../pdp/model/rule.ts';
import { tagUri } from '../../pdp/model/tag-certificate.ts';
import { all, any, type Expression, type Leaf, not } from './expression.ts';
import { escapeRegex } from './text.ts';

/**
 * What conditions on the source come to for a peer with a certificate of tags (SPEC CERT1–CERT5): it has its mesh and
 * all tags of its workload, and no SPIFFE ID. Of what Kubernetes or its site would say of it nobody knows anything.
 */

/** The URI that names the mesh: what an identified client of a tag mesh has. */
export const anyMesh: Leaf = { of: 'san', match: 'prefix', value: 'spiffe://' };

export function tagMatches(conditions: readonly Condition[], allows: boolean): Expression {
  const meshes = meshesOf(conditions);
  return all(
    conditions.map((one) => {
      const { key } = one;
      if (key === keys.mesh || key.startsWith(keys.tag)) return tagMatch(one, meshes);
      const seen = neverPresent(key, 'source') ? absent('') : otherwise(key);
      // What is attested is above every floor.
      const { truth } = evaluate(one, seen, undefined);
      return allows ? truth === 'true' : truth !== 'false';
    }),
  );
}

function otherwise(key: string): Seen {
  return key.startsWith('spiffe:') ? absent('', 'attested') : unknown('not-given', '');
}

function tagMatch(condition: Condition, meshes: readonly string[]): Expression {
  const { key, op, values } = condition;
  if (key === keys.mesh) return holds(op, any(values.map(meshLeaf)), anyMesh);
  const tag = key.slice(keys.tag.length);
  const found = values.flatMap((pattern) => tagLeaves(tag, pattern, meshes));
  return holds(op, any(found), tagPresent(tag, meshes));
}

/** All of it is known, so that an allow and a deny ask for the same. */
function holds(op: Condition['op'], found: Expression, present: Expression): Expression {
  switch (op) {
    case 'in':
      return found;
    case 'notIn':
      return not(found);
    case 'exists':
      return present;
    case 'notExists':
      return not(present);
  }
}

/** Meshes that the conditions name outright: services are named below them. */
function meshesOf(conditions: readonly Condition[]): readonly string[] {
  const named = conditions.find(({ key, op }) => key === keys.mesh && op === 'in');
  if (named === undefined || named.values.some(({ match }) => match !== 'exact')) return [];
  return named.values.map(({ value }) => value);
}

function meshLeaf({ match, value }: Pattern): Leaf {
  const start = `spiffe://${value}`;
  return { of: 'san', match: 'prefix', value: match === 'prefix' ? start : `${start}/` };
}

function tagLeaves(tag: string, pattern: Pattern, meshes: readonly string[]): readonly Leaf[] {
  if (tag === serviceTag) return serviceLeaves(pattern, meshes);
  const { match, value } = pattern;
  if (match !== 'under') return [{ of: 'san', match, value: tagUri(tag, value) }];
  return [
    { of: 'san', match: 'exact', value: tagUri(tag, value) },
    { of: 'san', match: 'prefix', value: tagUri(tag, `${value}/`) },
  ];
}

/** Every service has its SPIFFE URI, which is a path of one segment. */
function serviceLeaves({ match, value }: Pattern, meshes: readonly string[]): readonly Leaf[] {
  if (match !== 'prefix' && value.includes('/')) return [];
  const exact = match !== 'prefix';
  if (meshes.length > 0) {
    return meshes.map((mesh) => ({
      of: 'san',
      match: exact ? 'exact' : 'prefix',
      value: `spiffe://${mesh}/${value}`,
    }));
  }
  const rest = escapeRegex(value) + (exact ? '' : '[^/]*');
  return [{ of: 'san', match: 'regex', value: `spiffe://[^/]+/${rest}`, starts: 'spiffe://' }];
}

function tagPresent(tag: string, meshes: readonly string[]): Expression {
  if (tag !== serviceTag) return { of: 'san', match: 'regex', value: `${escapeRegex(tagUri(tag, ''))}[^/]+` };
  return serviceLeaves({ match: 'prefix', value: '' }, meshes)[0] ?? anyMesh;
}
