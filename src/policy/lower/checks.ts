import { canonical } from '../../pdp/model/aliases.ts';
import { limits } from '../../pdp/model/limits.ts';
import { keys, type Side } from '../../pdp/model/rule.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import type { AccessPolicySpec, Selector } from '../kinds/access-policy.ts';
import type { Path } from '../kinds/head.ts';
import type { Lists, Matcher } from '../kinds/mesh-traffic-permission.ts';
import type { Flaw } from '../schema/flaw.ts';
import { violation } from '../schema/issues.ts';
import { endsInsideSegment, withoutTrailingSlash } from '../schema/match-flaws.ts';
import { spiffeIdFlaw } from '../schema/text-flaws.ts';
import { quote } from '../schema/words.ts';
import { targetRefOf } from '../targets/target-ref.ts';
import { type Access, isPermission, type Permission, type Policy } from './policy.ts';
import { itemsOf } from './tags.ts';

/** What can be wrong with a policy whose schema holds: by its mesh or its size. */
export function policyViolations(policy: Policy, isStrict: (mesh: string) => boolean): readonly Violation[] {
  return isPermission(policy)
    ? permissionViolations(policy, isStrict(policy.head.mesh))
    : accessViolations(policy);
}

function permissionViolations({ head, spec }: Permission, strict: boolean): readonly Violation[] {
  const found: Violation[] = [];
  const { kind, labels } = targetRefOf(spec.targetRef);
  if (kind === 'MeshHTTPRoute' && labels !== undefined) {
    const message = 'got labels of a route, want its name: a request says which route it takes by name';
    found.push(violation([...head.specPath, 'targetRef', 'labels'], 'value', message));
  }
  let count = itemsOf({ head, spec })?.items.length ?? 0;
  for (const [lists, path] of listsOf({ head, spec }))
    for (const effect of ['deny', 'allowWithShadowDeny', 'allow'] as const) {
      const matchers = lists[effect] ?? [];
      count += matchers.length;
      if (strict)
        for (const [index, matcher] of matchers.entries())
          found.push(...loosePrefixes(matcher, [...path, effect, index], head.mesh));
    }
  if (count > limits.rulesPerPolicy) found.push(tooMany(count, head.specPath));
  return found;
}

function listsOf({ head, spec }: Permission): readonly (readonly [Lists, Path])[] {
  const path = head.specPath;
  return [
    ...(spec.default === undefined ? [] : [[spec.default, [...path, 'default']] as const]),
    ...(spec.rules ?? []).map((rule, index) => [rule.default, [...path, 'rules', index, 'default']] as const),
  ];
}

/** SPEC MTP10. */
function loosePrefixes(matcher: Matcher, path: Path, mesh: string): readonly Violation[] {
  const found: Violation[] = [];
  for (const field of ['spiffeId', 'spiffeID', 'path'] as const) {
    const match = matcher[field];
    if (match?.type !== 'Prefix' || !endsInsideSegment(match.value)) continue;
    const message = `got a Prefix that ends inside a segment, ${quote(match.value)}, want one that ends in "/": the mesh ${quote(mesh)} has strictPrefixes`;
    found.push(violation([...path, field, 'value'], 'value', message, 'write the type "PathPrefix"'));
  }
  return found;
}

function accessViolations({ head, spec }: Access): readonly Violation[] {
  const count = spec.from.length * spec.to.length;
  const found = count > limits.rulesPerPolicy ? [tooMany(count, head.specPath)] : [];
  for (const side of ['from', 'to'] as const)
    for (const [index, entry] of spec[side].entries())
      for (const flaw of selectorFlaws(entry.workloadSelector, side))
        found.push(
          violation(
            [...head.specPath, side, index, 'workloadSelector', ...(flaw.path ?? [])],
            flaw.code,
            flaw.message,
            flaw.hint,
          ),
        );
  return found;
}

const sides: Readonly<Record<'from' | 'to', Side>> = { from: 'source', to: 'destination' };

/** A SPIFFE ID that is none would hold for nobody in an `In`, and for everybody in a `NotIn`. */
function selectorFlaws(
  selector: Selector,
  side: keyof Pick<AccessPolicySpec, 'from' | 'to'>,
): readonly Flaw[] {
  const flaws: Flaw[] = [];
  const look = (key: string, value: string, path: Path) => {
    const flaw =
      canonical(key, sides[side]) === keys.spiffeId
        ? spiffeIdFlaw(withoutTrailingSlash(value), value)
        : undefined;
    if (flaw !== undefined) flaws.push({ ...flaw, path });
  };
  for (const [key, value] of Object.entries(selector.matchLabels ?? {}))
    look(key, value, ['matchLabels', key]);
  for (const [index, { key, values }] of (selector.matchExpressions ?? []).entries())
    for (const [at, value] of (values ?? []).entries())
      look(key, value, ['matchExpressions', index, 'values', at]);
  return flaws;
}

function tooMany(count: number, path: Path): Violation {
  return violation(path, 'limit', `got a policy of ${count} rules, want at most ${limits.rulesPerPolicy}`);
}
