import { matches } from '../../pdp/model/condition.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { isForInbounds, keys, type Pattern, type Rule } from '../../pdp/model/rule.ts';
import type { Loaded, PolicyInfo } from '../load.ts';
import type { Among } from './among.ts';
import type { Ground } from './finding.ts';
import { allows, amongInbounds, destinationConditions, type InboundOf, inboundsOf } from './inventory.ts';

/** Comparisons of denies with allows that one lint may make; of what is left then nothing is said. */
const mostComparisons = 2_000_000;

/** A policy that only denies where nothing allows: everything is denied there anyway. */
export function onlyDenies(ground: Ground): void {
  const { rules, policies } = ground.loaded;
  const allowed = new Allowed(ground.loaded);
  let left = mostComparisons;
  for (const policy of policies) {
    const mine = rules.slice(policy.first, policy.first + policy.count);
    if (mine.length === 0 || mine.some(allows)) continue;
    const isException = mine.some((deny) =>
      allowed.beside(deny).some((allow) => left-- <= 0 || allowed.meets(deny, allow)),
    );
    if (isException) continue;
    ground.report(policy.document, policy.path, {
      code: 'only-denies',
      message: `only denies, and no policy allows anything ${words(policy)} that it could deny: all of it is denied by default`,
      hint: 'add the allow that this is an exception to, or take the policy out',
    });
  }
}

/** The rules that allow, by what they are about. */
class Allowed {
  readonly #loaded: Loaded;
  readonly #inbounds: Among<InboundOf>;
  readonly #proxied: ReadonlySet<string>;
  readonly #permissions = new Map<string, Rule[]>();
  readonly #accesses: Rule[] = [];
  readonly #all: readonly Rule[];

  constructor(loaded: Loaded) {
    this.#loaded = loaded;
    const inbounds = inboundsOf(loaded.inventory);
    this.#inbounds = amongInbounds(inbounds, loaded.inventory);
    this.#proxied = new Set(inbounds.map(({ dataplane }) => dataplane.mesh));
    this.#all = loaded.rules.filter(allows);
    for (const rule of this.#all) {
      if (isForInbounds(rule)) pushTo(this.#permissions, meshOf(rule), rule);
      else this.#accesses.push(rule);
    }
  }

  /** Those that count where a deny does. An AccessPolicy also denies what permissions allow. */
  beside(deny: Rule): readonly Rule[] {
    if (!isForInbounds(deny)) return this.#all;
    const mesh = meshOf(deny);
    const own = this.#permissions.get(mesh) ?? [];
    // Where the mesh says so the allows of AccessPolicies are for inbounds too (SPEC DST2).
    return this.#loaded.inventory.meshes.get(mesh)?.accessPolicies === 'full'
      ? [...own, ...this.#accesses]
      : own;
  }

  /** Whether both may hold for one request, and the deny decides then. */
  meets(deny: Rule, allow: Rule): boolean {
    if (!goesBefore(deny, allow) || areApart(deny, allow)) return false;
    if (!isForInbounds(deny) || !isForInbounds(allow) || !this.#proxied.has(meshOf(deny))) return true;
    const both = [...destinationConditions(deny), ...destinationConditions(allow)];
    return this.#inbounds.find(both.filter(({ key }) => key !== keys.route)) !== undefined;
  }
}

function meshOf({ when }: Rule): string {
  return when.find(({ key }) => key === keys.mesh)?.values[0]?.value ?? '';
}

/** Of lists one allow is enough: an item that denies by default says what is meant. */
function goesBefore(deny: Rule, allow: Rule): boolean {
  if (deny.list !== undefined) return true;
  const enforced = deny.tier !== null && allow.tier !== null && deny.tier < allow.tier;
  return enforced || deny.shadow < allow.shadow;
}

/** Keys of which one thing may have several values. */
function isSingle(key: string): boolean {
  return key !== keys.section && key !== keys.serviceName && !key.startsWith(keys.tag);
}

/** Whether they are about different destinations. Who is barred is another matter: bans stand before there is an allow. */
function areApart(one: Rule, other: Rule): boolean {
  return one.when.some(
    ({ side, key, op, values }) =>
      side === 'destination' &&
      op === 'in' &&
      isSingle(key) &&
      other.when.some(
        (theirs) =>
          theirs.key === key &&
          theirs.side === side &&
          theirs.op === 'in' &&
          !values.some((mine) => theirs.values.some((value) => overlap(mine, value))),
      ),
  );
}

function overlap(one: Pattern, other: Pattern): boolean {
  if (one.match === 'exact') return matches(other, one.value);
  if (other.match === 'exact') return matches(one, other.value);
  return one.value.startsWith(other.value) || other.value.startsWith(one.value);
}

function words({ kind, mesh, namespace }: PolicyInfo): string {
  if (kind === 'MeshTrafficPermission') return `in mesh "${mesh}"`;
  return kind === 'AccessPolicy' ? `in namespace "${namespace ?? 'default'}"` : 'anywhere';
}
