import { type Condition, keys, type Rule, type Tier } from '../../pdp/model/rule.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { displayName } from '../kinds/head.ts';
import type { Lists, Matcher } from '../kinds/mesh-traffic-permission.ts';
import { type MatchType, withoutTrailingSlash } from '../schema/match-flaws.ts';
import { inboundConditions } from './inbounds.ts';
import { isShadowOnly, type Permission, type Sink } from './policy.ts';
import { joined, type Pool } from './pool.ts';

/** A MeshTrafficPermission in the SPIFFE form: one rule a matcher (SPEC MTP1–MTP9). */

/** In the order of SPEC MTP9, with the tiers of both worlds. */
const lists = [
  ['deny', 2, 2],
  ['allowWithShadowDeny', 3, 2],
  ['allow', 3, 3],
] as const satisfies readonly (readonly [keyof Lists, Tier, Tier])[];

export function lowerPermission(policy: Permission, kri: string, pool: Pool, emit: Sink): void {
  const { head, spec } = policy;
  const destination = inboundConditions(policy, pool);
  const counts = { deny: 0, allowWithShadowDeny: 0, allow: 0 };
  if (spec.default !== undefined) lowerLists(spec.default, '', [...head.specPath, 'default']);
  for (const [index, rule] of (spec.rules ?? []).entries())
    lowerLists(rule.default, `rules/${index}/`, [...head.specPath, 'rules', index, 'default']);

  function lowerLists(written: Lists, under: string, path: Path): void {
    const shadowOnly = isShadowOnly(head);
    const name = displayName(head);
    for (const [effect, tier, shadow] of lists) {
      const matchers = written[effect] ?? [];
      // Joined, not concatenated: a flat string instead of a chain of halves, kept once a rule.
      const start = [kri, '#', under, effect, '/'].join('');
      const listPath = [...path, effect];
      for (let index = 0; index < matchers.length; index++) {
        const rule: Rule = {
          id: start + index,
          tier: shadowOnly ? null : tier,
          shadow,
          when: joined(destination, matcherConditions(matchers[index]!, pool)),
          origin: {
            policy: name,
            kri,
            kind: head.kind,
            effect,
            index: counts[effect]++,
            document: head.document,
            path: pool.path(...listPath, index),
          },
        };
        emit(rule);
      }
    }
  }
}

const patterns = { Exact: 'exact', Prefix: 'prefix', PathPrefix: 'under' } as const;

function matcherConditions(matcher: Matcher, pool: Pool): Condition[] {
  const when: Condition[] = [];
  const id = matcher.spiffeId ?? matcher.spiffeID;
  if (id !== undefined) when.push(pool.is('source', keys.spiffeId, patternValue(id), patterns[id.type]));
  if (matcher.dataplaneLabels !== undefined)
    for (const label of Object.keys(matcher.dataplaneLabels).sort())
      when.push(pool.is('source', keys.k8sLabel + label, matcher.dataplaneLabels[label]!));
  if (matcher.method !== undefined) when.push(pool.is('request', keys.method, matcher.method));
  if (matcher.path !== undefined)
    when.push(pool.is('request', keys.path, patternValue(matcher.path), patterns[matcher.path.type]));
  if (matcher.sni !== undefined) when.push(pool.is('request', keys.sni, matcher.sni.value.toLowerCase()));
  return when;
}

function patternValue({ type, value }: { readonly type: MatchType; readonly value: string }): string {
  return type === 'PathPrefix' ? withoutTrailingSlash(value) : value;
}
