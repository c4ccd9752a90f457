import { valueAt } from '../../pdp/model/fields.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { PatternWork } from '../../pdp/model/pattern-work.ts';
import { effectOf, isForInbounds, keys, type Rule, type Tier } from '../../pdp/model/rule.ts';
import type { Trust } from '../../pdp/model/trust.ts';
import type { Path } from '../../pdp/model/violation.ts';
import type { Loaded, PolicyInfo } from '../load.ts';
import { type Ground, whereabouts } from './finding.ts';
import { matchImplies } from './implies.ts';

/** Comparisons of rules and of their patterns that one lint may make; a set that needs more is looked at in part. */
const mostComparisons = 4_000_000;
/** A value that is longer is not looked up by its beginnings. */
const longestCut = 512;

/** Says which rules never decide, and because of which. */
export function covered(ground: Ground): void {
  const found = neverDeciding(ground.loaded);
  if (found.size === 0) return;
  for (const policy of ground.loaded.policies) {
    const strong = (i: number): number | undefined => found.get(policy.first + i);
    if (policy.kind === 'MeshTrafficPermission') {
      for (let i = 0; i < policy.count; i++) report(ground, policy.first + i, [strong(i)]);
    } else pairs(ground, policy, strong);
  }
}

/**
 * A place in `from` stands for as many rules as `to` is long: it can be taken out if none of them ever decides, and so
 * can one in `to`. What is left are pairs, of which nothing can be taken out but the policy be written as two.
 */
function pairs(ground: Ground, policy: PolicyInfo, strong: (i: number) => number | undefined): void {
  const value = valueAt(ground.documents[policy.document]?.value, [...policy.path, 'to']);
  const width = Array.isArray(value) ? value.length : 1;
  const row = (i: number) => Array.from({ length: width }, (_, k) => strong(i + k));
  const starts = Array.from({ length: policy.count / width }, (_, i) => i * width);
  const isWhole = (several: readonly unknown[]) => !several.includes(undefined);
  const whole = Array.from({ length: width }, (_, k) => isWhole(starts.map((i) => strong(i + k))));
  for (const i of starts) {
    const found = row(i);
    if (isWhole(found)) report(ground, policy.first + i, found);
    else {
      const rest = found.map((one, k) => (whole[k] ? undefined : one));
      report(ground, policy.first + i, rest, width);
    }
  }
  if (starts.every((i) => isWhole(row(i)))) return;
  for (const [k, isCovered] of whole.entries())
    if (isCovered) {
      const found = starts.map((i) => strong(i + k));
      report(ground, policy.first + k, found, undefined, [...policy.path, 'to', k]);
    }
}

/** `width`: how many `to` there are, where only those with a stronger rule are meant. */
function report(
  ground: Ground,
  id: number,
  strong: readonly (number | undefined)[],
  width?: number,
  path?: Path,
): void {
  const by = [...new Set(strong)].filter((one) => one !== undefined).map((one) => ground.loaded.rules[one]!);
  const [first] = by;
  if (first === undefined) return;
  const rule = ground.loaded.rules[id] as Rule;
  const { origin } = rule;
  // Where rules read paths, one that can be read in two ways is denied (SPEC PATH3), whatever decides otherwise.
  const aside = readsPath(rule) && !by.every(readsPath) ? ambiguous : '';
  const pairs =
    width === undefined ? [] : strong.flatMap((one, k) => (one === undefined ? [] : [`to[${k}]`]));
  const more = by.length === 1 ? 'is' : `and ${by.length - 1} more are`;
  const { effect, index, policy } = first.origin;
  ground.report(origin.document, path ?? origin.path, {
    code: 'never-decides',
    message: `${pairs.length === 0 ? '' : `together with ${pairs.join(', ')} it `}never decides: ${effect} ${index} of "${policy}" (${whereabouts(ground, first)}) ${more} stronger and ${by.length === 1 ? 'matches' : 'match'} whatever this matches`,
    hint: `${pairs.length === 0 ? 'take it out' : 'write its other pairs as policies of their own'}${aside}, or make the stronger ${by.length === 1 ? 'one' : 'ones'} narrower`,
  });
}

const ambiguous =
  ' (if no other rule there asks for a path, one that can be read in two ways is then no longer denied)';

function readsPath({ when }: Rule): boolean {
  return when.some(({ key }) => key === keys.path);
}

/** Rules that decide in no world, because a stronger one matches whenever they do, each with such a one. */
export function neverDeciding(
  { rules, inventory }: Loaded,
  work = new PatternWork(mostComparisons),
): ReadonlyMap<number, number> {
  const { floor } = inventory.site;
  const index = new Candidates(rules, work);
  const found = new Map<number, number>();
  rules.forEach((rule, id) => {
    const worlds: World[] = rule.tier === null ? ['shadow'] : ['tier', 'shadow'];
    let first: number | undefined;
    for (const world of worlds) {
      const strong = strongerIn(world, rule, id);
      if (strong === undefined) return;
      first ??= strong;
    }
    if (first !== undefined) found.set(id, first);
  });
  return found;

  function strongerIn(world: World, rule: Rule, id: number): number | undefined {
    for (const other of index.of(rule)) {
      work.spend(1);
      if (work.done) return undefined;
      if (other !== id && beats(rules, other, id, world, floor, work)) return other;
    }
    return undefined;
  }
}

type World = 'tier' | 'shadow';

/** Whether a rule decides before another wherever the other matches. */
function beats(
  rules: readonly Rule[],
  strong: number,
  weak: number,
  world: World,
  siteFloor: Trust,
  work: PatternWork,
): boolean {
  const [one, other] = [rules[strong] as Rule, rules[weak] as Rule];
  const [first, second] = [one[world], other[world]];
  if (first === null || second === null) return false;
  if (one.list !== undefined) {
    // An item counts only if it is the strongest of its list, which another list's rules do not know.
    if (other.list?.id !== one.list.id || one.list.strength <= other.list.strength) return false;
    // Where it is not known that a default matches, a ban below it stands.
    if (first === 4 && second === 2) return false;
  } else if (first > second || (first === second && strong > weak)) return false;
  if (elsewhere(one, other)) return false;
  if (restricted(one, first) && !restricted(other, second)) return false;
  return matchImplies({ when: other.when, tier: second }, { when: one.when, tier: first }, siteFloor, work);
}

function elsewhere(one: Rule, other: Rule): boolean {
  return isForInbounds(one) && !isForInbounds(other);
}

function restricted(rule: Rule, tier: Tier): boolean {
  return !isForInbounds(rule) && effectOf(tier) === 'allow';
}

/** Rules by a value of one of their conditions, so that few are compared. */
class Candidates {
  readonly #always: number[] = [];
  readonly #byValue = new Map<string, number[]>();

  readonly #work: PatternWork;

  constructor(rules: readonly Rule[], work: PatternWork) {
    this.#work = work;
    rules.forEach(({ when }, id) => {
      const filed = when.filter(({ op }) => op === 'in').sort((a, b) => rarity(a.key) - rarity(b.key))[0];
      if (filed === undefined) this.#always.push(id);
      else for (const { value } of filed.values) this.#add(`${filed.side} ${filed.key} ${value}`, id);
    });
    /** Few rules share a value of these. */
    function rarity(key: string): number {
      if (key === keys.spiffeId) return 0;
      return key === keys.mesh || key === keys.namespace ? 2 : 1;
    }
  }

  #add(name: string, id: number): void {
    pushTo(this.#byValue, name, id);
  }

  /** Rules that may match whenever this one does: a wider one is filed under a beginning of one of its values. */
  *of({ when }: Rule): Generator<number> {
    yield* this.#always;
    for (const { side, key, op, values } of when) {
      const value = op === 'in' ? values[0]?.value : undefined;
      if (value === undefined) continue;
      const start = `${side} ${key} `;
      yield* this.#byValue.get(start + value) ?? [];
      if (value.length > longestCut) continue;
      // A prefix, which only these have, may end anywhere; what others are under ends before a slash.
      const anywhere = key === keys.spiffeId || key === keys.path;
      for (let end = value.length - 1; end >= 0 && !this.#work.done; end--) {
        if (!anywhere && value[end] !== '/') continue;
        this.#work.spend(1);
        yield* this.#byValue.get(start + value.slice(0, end)) ?? [];
      }
    }
  }
}
