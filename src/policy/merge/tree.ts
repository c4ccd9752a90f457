import { type Fields, isFields } from '../../pdp/model/fields.ts';
import { limits } from '../../pdp/model/limits.ts';
import type { Path } from '../../pdp/model/violation.ts';

/** Confs merged field by field (SPEC MRG1 to MRG4), with who said what of every field. */

export type Node<O> = Leaf<O> | List<O> | Branch<O>;

export interface Leaf<O> {
  readonly as: 'leaf';
  readonly value: unknown;
  readonly origin: O;
}

/** Lists that add up, the weakest first. */
export interface List<O> {
  readonly as: 'list';
  readonly parts: { readonly entries: readonly unknown[]; readonly origin: O }[];
}

export interface Branch<O> {
  readonly as: 'branch';
  /** Keys are the user's: a map knows no `__proto__`. */
  readonly fields: Map<string, Node<O>>;
  /** Of who said last that there is such an object: all that an empty one has. */
  origin: O;
}

/** What one item says. */
export interface Part<O> {
  readonly conf: Fields;
  readonly origin: O;
}

/** Fields whose lists add up beside those named `append…`: paths from the conf, joined with dots. */
export type Concat = ReadonlySet<string>;

/** `parts` weakest first; of none there is no conf. */
export function merge<O>(parts: readonly Part<O>[], concat: Concat): Branch<O> | undefined {
  return mergeWatching(parts, concat, () => {});
}

/** `covered` is told what is no object, or no list that adds up, where a stronger part says one. */
function mergeWatching<O>(
  parts: readonly Part<O>[],
  concat: Concat,
  covered: (leaf: O) => void,
): Branch<O> | undefined {
  if (parts.length === 0) return undefined;
  const root: Branch<O> = { as: 'branch', fields: new Map(), origin: parts[0]!.origin };
  const path: string[] = [];
  for (const { conf, origin } of parts) overlay(root, conf, origin);
  return root;

  function overlay(into: Branch<O>, conf: Fields, origin: O): void {
    into.origin = origin;
    for (const key of Object.keys(conf)) {
      const value = conf[key];
      // A key with nothing behind it says nothing of the field, as in Kuma.
      if (value === null || value === undefined) continue;
      const before = into.fields.get(key);
      path.push(key);
      const deep = isFields(value) && path.length < limits.nesting;
      const adds = Array.isArray(value) && (key.startsWith('append') || concat.has(path.join('.')));
      if ((deep || adds) && before?.as === 'leaf') covered(before.origin);
      if (deep) {
        if (before?.as === 'list') for (const part of before.parts) covered(part.origin);
        const branch: Branch<O> =
          before?.as === 'branch' ? before : { as: 'branch', fields: new Map(), origin };
        overlay(branch, value, origin);
        if (branch !== before) into.fields.set(key, branch);
      } else if (adds) {
        if (before?.as === 'branch') coverAll(before);
        if (before?.as === 'list') before.parts.push({ entries: value, origin });
        else into.fields.set(key, { as: 'list', parts: [{ entries: value, origin }] });
      } else into.fields.set(key, { as: 'leaf', value, origin });
      path.pop();
    }
  }

  function coverAll(node: Node<O>): void {
    for (const origin of sayers(node)) covered(origin);
  }
}

/** Everybody who has a say in a merged conf, those who only say that there is an object among them. */
function* sayers<O>(node: Node<O>): Generator<O> {
  if (node.as === 'list') for (const part of node.parts) yield part.origin;
  else yield node.origin;
  if (node.as === 'branch') for (const below of node.fields.values()) yield* sayers(below);
}

/**
 * The parts that can still matter among others: merged with any further parts, weaker, stronger or between, they come
 * to the same as all `parts` do. A part of which every field is said anew by stronger ones cannot.
 */
export function lasting<P extends Part<unknown>>(parts: readonly P[], concat: Concat): readonly P[] {
  const kept = new Set<unknown>();
  const own = parts.map((part) => ({ conf: part.conf, origin: part }));
  const root = mergeWatching<P>(own, concat, (part) => kept.add(part));
  if (root !== undefined) for (const part of sayers(root)) kept.add(part);
  return parts.filter((part) => kept.has(part));
}

/** The conf alone, keys in code unit order so that it is the same whatever the order of documents. */
export function plain<O>(node: Node<O>): unknown {
  if (node.as === 'leaf') return node.value;
  if (node.as === 'list') return node.parts.flatMap(({ entries }) => entries);
  const conf: Record<string, unknown> = Object.create(null);
  for (const key of sortedKeys(node)) conf[key] = plain(node.fields.get(key)!);
  return conf;
}

export interface FieldOrigin<O> {
  /** From the conf; of a list that adds up, down to each entry. */
  readonly field: Path;
  /** Where the conf of its origin has it: an entry of a list that adds up has another index there. */
  readonly said: Path;
  readonly origin: O;
}

/** Who said each leaf of the conf; objects and adding lists that are empty are leaves too. */
export function origins<O>(root: Node<O>): readonly FieldOrigin<O>[] {
  const found: FieldOrigin<O>[] = [];
  visit(root, []);
  return found;

  function visit(node: Node<O>, field: Path): void {
    if (node.as === 'leaf') push(field, node.origin);
    else if (node.as === 'list') visitList(node, field);
    else if (node.fields.size > 0)
      for (const key of sortedKeys(node)) visit(node.fields.get(key)!, [...field, key]);
    else if (field.length > 0) push(field, node.origin);
  }

  function visitList({ parts }: List<O>, field: Path): void {
    let index = 0;
    for (const { entries, origin } of parts)
      for (const at of entries.keys()) push([...field, index++], origin, [...field, at]);
    if (index === 0) push(field, parts.at(-1)!.origin);
  }

  function push(field: Path, origin: O, said: Path = field): void {
    found.push({ field, said, origin });
  }
}

function sortedKeys<O>({ fields }: Branch<O>): readonly string[] {
  return [...fields.keys()].sort();
}
