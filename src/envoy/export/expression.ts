import { byText } from '../../pdp/model/text.ts';

/**
 * What must be true of a peer and its request for a rule to match: no unknown is left in here. Sources of evidence
 * make these of conditions, renderers make Envoy's predicates and principals of them.
 */
export interface Leaf {
  /**
   * `id`: the only URI SAN. `san`: any one of several. `metadata`: what an earlier filter left. The others are of the
   * request and the handshake.
   */
  readonly of: 'id' | 'san' | 'method' | 'path' | 'sni' | 'metadata';
  /** Of metadata, the filter and the keys below it. */
  readonly at?: readonly string[];
  /** `under`: the value itself and all below it by whole segments. `regex`: RE2 over the whole. */
  readonly match: 'exact' | 'prefix' | 'under' | 'regex';
  readonly value: string;
  /** What every text that a regex matches begins with. */
  readonly starts?: string;
}

export interface All {
  readonly all: readonly Expression[];
}
export interface Any {
  readonly any: readonly Expression[];
}
export interface Not {
  readonly not: Expression;
}
export type Expression = boolean | Leaf | All | Any | Not;

export function isLeaf(one: Expression): one is Leaf {
  return typeof one === 'object' && 'of' in one;
}
export function isAll(one: Expression): one is All {
  return typeof one === 'object' && 'all' in one;
}
export function isAny(one: Expression): one is Any {
  return typeof one === 'object' && 'any' in one;
}
export function isNot(one: Expression): one is Not {
  return typeof one === 'object' && 'not' in one;
}

export function all(parts: readonly Expression[]): Expression {
  const kept = distinct(parts.flatMap((one) => (isAll(one) ? one.all : [one])).filter((one) => one !== true));
  if (kept.includes(false)) return false;
  if (kept.length === 0) return true;
  return kept.length === 1 ? (kept[0] as Expression) : { all: kept };
}

export function any(parts: readonly Expression[]): Expression {
  const kept = distinct(
    parts.flatMap((one) => (isAny(one) ? one.any : [one])).filter((one) => one !== false),
  );
  if (kept.includes(true)) return true;
  if (kept.length === 0) return false;
  return kept.length === 1 ? (kept[0] as Expression) : { any: kept };
}

export function not(one: Expression): Expression {
  if (typeof one === 'boolean') return !one;
  return isNot(one) ? one.not : { not: one };
}

function distinct(parts: readonly Expression[]): readonly Expression[] {
  if (parts.length < 2) return parts;
  const seen = new Map<string, Expression>();
  for (const one of parts) {
    const name = nameOf(one);
    if (!seen.has(name)) seen.set(name, one);
  }
  return seen.size === parts.length ? parts : [...seen.values()];
}

const names = new WeakMap<object, string>();

/** Equal for expressions that are written alike. */
export function nameOf(one: Expression): string {
  if (typeof one === 'boolean') return String(one);
  let name = names.get(one);
  if (name === undefined) {
    name = written(one);
    names.set(one, name);
  }
  return name;
}

/** What a leaf reads, by name. */
export function readOf({ of, at }: Leaf): string {
  return at === undefined ? of : `${of}${JSON.stringify(at)}`;
}

function written(one: Exclude<Expression, boolean>): string {
  if (isLeaf(one)) return `${readOf(one)}.${one.match} ${JSON.stringify(one.value)}`;
  if (isNot(one)) return `!${nameOf(one.not)}`;
  const [sign, parts] = isAll(one) ? ['&', one.all] : ['|', one.any];
  return `(${parts.map(nameOf).sort(byText).join(sign)})`;
}

/** Replaces leaves by what is known of them; undefined leaves them as they are. */
export function fold(one: Expression, known: (leaf: Leaf) => boolean | undefined): Expression {
  if (typeof one === 'boolean') return one;
  if (isLeaf(one)) return known(one) ?? one;
  if (isNot(one)) return not(fold(one.not, known));
  return isAll(one)
    ? all(one.all.map((part) => fold(part, known)))
    : any(one.any.map((part) => fold(part, known)));
}

/** What is left to ask where something else is asked for beside it. */
export function assuming(one: Expression, held: Expression): Expression {
  const known = new Set(
    (isAll(held) ? held.all : [held]).filter((part) => typeof part === 'object').map(nameOf),
  );
  return fold(one, (leaf) => (known.has(nameOf(leaf)) ? true : undefined));
}

const compiled = new WeakMap<object, RegExp>();

export function matchesText(leaf: Pick<Leaf, 'match' | 'value'>, text: string): boolean {
  const { match, value } = leaf;
  if (match === 'exact') return text === value;
  if (match === 'prefix') return text.startsWith(value);
  if (match === 'under') return text === value || text.startsWith(`${value}/`);
  let regex = compiled.get(leaf);
  if (regex === undefined) {
    regex = new RegExp(`^(?:${value})$`);
    compiled.set(leaf, regex);
  }
  return regex.test(text);
}

/** Folds what is asked of the only URI SAN, once that is known. */
export function foldId(one: Expression, id: string): Expression {
  return fold(one, (leaf) => (leaf.of === 'id' ? matchesText(leaf, id) : undefined));
}
