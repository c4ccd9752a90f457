import type { Governing, World } from '../../pdp/governing.ts';
import { byText } from '../../pdp/model/text.ts';
import { type Clause, clausesOf, type Meaning } from './clauses.ts';
import { all, any, assuming, type Expression, not } from './expression.ts';
import { ambiguousPath, asksForWholeRequests, incomplete, incompleteRequest, unclearPath } from './guards.ts';
import { implies } from './implies.ts';
import type { JsonObject } from './json.ts';
import { permission, principal } from './principal.ts';
import { sameWorlds } from './spiffe-filter.ts';
import { anyMesh } from './tag-evidence.ts';
import type { ShadowForm } from './types.ts';
import { waysOf } from './ways.ts';

/**
 * RBAC for peers with certificates of tags, in two filters: the first denies, the second allows, and what neither names
 * is denied. A certificate has several URIs, which Envoy's matchers read as one text and its principals one by one.
 */
export interface TagRules {
  /** Tier 0, and tier 2 where tier 1 does not hold; alone, all that the second does not allow besides. */
  readonly deny: JsonObject;
  /** Tiers 1 and 3, of clients that say their mesh. */
  readonly allow: JsonObject;
  /** Beside the first: what would be allowed. Not there where that is what is. */
  readonly shadow?: JsonObject;
}

/** A rule by the name that Envoy reports. */
interface Named {
  readonly name: string;
  readonly when: Expression;
}

export const shadowName = 'ShadowMeshTrafficPermission';

/** Behind all other names: of policies that match, Envoy names the first. */
const aloneName = '~default';

interface TagRendering {
  readonly shadow: ShadowForm;
  readonly http: boolean;
  /** The first filter may stand alone, or beside the second one of other policies. */
  readonly alone: boolean;
}

export function tagRules(
  governing: Governing,
  meaning: Meaning,
  { shadow, http, alone }: TagRendering,
): TagRules {
  const enforced = partsOf('enforced', governing, meaning, http);
  const allowed = enforced.allows.map(identified);
  const others = { name: aloneName, when: not(any(allowed.map(({ when }) => when))) };
  const rules = {
    deny: rulesOf('DENY', alone ? [...enforced.denies, others] : enforced.denies),
    allow: rulesOf('ALLOW', allowed),
  };
  if (shadow === 'paper') return { ...rules, shadow: rulesOf('ALLOW', paperShadow(governing, meaning)) };
  if (sameWorlds(governing)) return rules;
  const would = partsOf('shadow', governing, meaning, http);
  const denied = any(would.denies.map(({ when }) => when));
  const allows = would.allows.map(({ name, when }) =>
    identified({ name, when: all([when, assuming(not(denied), when)]) }),
  );
  return { ...rules, shadow: rulesOf('ALLOW', allows) };
}

function partsOf(world: World, governing: Governing, meaning: Meaning, http: boolean) {
  const clauses = clausesOf(governing, world, meaning);
  const tier = (wanted: number) => clauses.filter((one) => one.tier === wanted);
  const final = not(any(tier(1).map(({ when }) => when)));
  const whole = asksForWholeRequests(governing, http);
  const clear = http && governing.readsPaths.includes(world);
  return {
    denies: [
      ...(whole ? [{ name: incompleteRequest, when: incomplete }] : []),
      ...(clear ? [{ name: ambiguousPath, when: unclearPath }] : []),
      ...tier(0),
      ...tier(2).map(({ name, when }) => ({ name, when: all([when, assuming(final, when)]) })),
    ],
    allows: [...tier(1), ...tier(3)],
  };
}

/** Every negation stands beside a URI that names the mesh: a peer without a certificate meets none. */
function identified({ name, when }: Named): Named {
  return { name, when: implies(when, anyMesh) ? when : all([anyMesh, when]) };
}

/** The tag paper's: of the items that count now, those that deny and would allow. */
function paperShadow(governing: Governing, meaning: Meaning): readonly Named[] {
  return clausesOf(governing, 'enforced', meaning)
    .filter(({ governed }: Clause) => governed.rule.origin.effect === 'denyWithShadowAllow')
    .map(({ when }) => identified({ name: shadowName, when }));
}

function rulesOf(effect: 'ALLOW' | 'DENY', named: readonly Named[]): JsonObject {
  const policies = new Map<string, { readonly permission: Expression; readonly principals: Expression[] }>();
  for (const { name, when } of named) {
    if (when === false) continue;
    for (const way of waysOf(when)) {
      // What asks for another server name is another policy, beside the one that has the name alone.
      const suffix = way.permission === true ? '' : `#${JSON.stringify(permission(way.permission))}`;
      const same = policies.get(name + suffix);
      if (same === undefined)
        policies.set(name + suffix, { permission: way.permission, principals: [way.principal] });
      else same.principals.push(way.principal);
    }
  }
  const sorted = [...policies].sort(([a], [b]) => byText(a, b));
  const map: JsonObject = Object.create(null);
  for (const [name, { permission: asked, principals }] of sorted) {
    const distinct = any(principals);
    const list = typeof distinct === 'object' && 'any' in distinct ? distinct.any : [distinct];
    map[name] = { permissions: [permission(asked)], principals: list.map(principal) };
  }
  return { action: effect, policies: map };
}
