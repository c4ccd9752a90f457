import { canonical } from '../../pdp/model/aliases.ts';
import { type Fields, fieldsIn, listIn } from '../../pdp/model/fields.ts';
import { limits } from '../../pdp/model/limits.ts';
import { keys, type Side } from '../../pdp/model/rule.ts';
import type { Path, Violation } from '../../pdp/model/violation.ts';
import { quote } from '../../pdp/model/words.ts';
import type { Head } from '../kinds/head.ts';
import type { Flaw } from '../schema/flaw.ts';
import { violation } from '../schema/issues.ts';
import { endsInsideSegment, withoutTrailingSlash } from '../schema/match-flaws.ts';
import { spiffeIdFlaw } from '../schema/text-flaws.ts';
import { targetRefOf } from '../targets/target-ref.ts';

/**
 * What can be wrong with a policy by its mesh or its size. Policies that their schema refused are looked at as well, so
 * that all is said at once: nothing here relies on types.
 */
export function policyViolations(
  head: Head,
  spec: unknown,
  isStrict: (mesh: string) => boolean,
): readonly Violation[] {
  switch (head.kind) {
    case 'MeshTrafficPermission':
      return permissionViolations(head, fieldsIn(spec), isStrict(head.mesh));
    case 'AccessPolicy':
    case 'PrivilegedAccessPolicy':
      return accessViolations(head, fieldsIn(spec));
    default:
      return [];
  }
}

function permissionViolations(head: Head, spec: Fields, strict: boolean): readonly Violation[] {
  const found: Violation[] = [];
  const { kind, labels } = targetRefOf(fieldsIn(spec['targetRef']));
  if (kind === 'MeshHTTPRoute' && labels !== undefined) {
    const message = 'got labels of a route, want its name: a request says which route it takes by name';
    found.push(violation([...head.specPath, 'targetRef', 'labels'], 'value', message));
  }
  let count = listIn(spec['conf'] === undefined ? spec['from'] : fieldsIn(spec['conf'])['from']).length;
  for (const [lists, path] of listsOf(head, spec))
    for (const effect of ['deny', 'allowWithShadowDeny', 'allow']) {
      const matchers = listIn(lists[effect]);
      count += matchers.length;
      if (strict)
        for (const [index, matcher] of matchers.entries())
          found.push(...loosePrefixes(matcher, [...path, effect, index], head.mesh));
    }
  if (count > limits.rulesPerPolicy) found.push(tooMany(count, head.specPath));
  return found;
}

function listsOf({ specPath }: Head, spec: Fields): readonly (readonly [Fields, Path])[] {
  const rules = listIn(spec['rules']).map(
    (rule, index) => [fieldsIn(fieldsIn(rule)['default']), [...specPath, 'rules', index, 'default']] as const,
  );
  return [[fieldsIn(spec['default']), [...specPath, 'default']], ...rules];
}

/** SPEC MTP10. */
function loosePrefixes(matcher: unknown, path: Path, mesh: string): readonly Violation[] {
  const found: Violation[] = [];
  for (const field of ['spiffeId', 'spiffeID', 'path']) {
    const { type, value } = fieldsIn(fieldsIn(matcher)[field]);
    if (type !== 'Prefix' || typeof value !== 'string' || !endsInsideSegment(value)) continue;
    const message = `got a Prefix that ends inside a segment, ${quote(value)}, want one that ends in "/": the mesh ${quote(mesh)} has strictPrefixes`;
    found.push(violation([...path, field, 'value'], 'value', message, 'write the type "PathPrefix"'));
  }
  return found;
}

function accessViolations(head: Head, spec: Fields): readonly Violation[] {
  const count = listIn(spec['from']).length * listIn(spec['to']).length;
  const found = count > limits.rulesPerPolicy ? [tooMany(count, head.specPath)] : [];
  for (const side of ['from', 'to'] as const)
    for (const [index, entry] of listIn(spec[side]).entries())
      for (const flaw of selectorFlaws(fieldsIn(fieldsIn(entry)['workloadSelector']), side))
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
function selectorFlaws(selector: Fields, side: keyof typeof sides): readonly Flaw[] {
  const flaws: Flaw[] = [];
  const look = (key: unknown, value: unknown, path: Path) => {
    if (typeof key !== 'string' || typeof value !== 'string') return;
    const flaw =
      canonical(key, sides[side]) === keys.spiffeId
        ? spiffeIdFlaw(withoutTrailingSlash(value), value)
        : undefined;
    if (flaw !== undefined) flaws.push({ ...flaw, path });
  };
  for (const [key, value] of Object.entries(fieldsIn(selector['matchLabels'])))
    look(key, value, ['matchLabels', key]);
  for (const [index, expression] of listIn(selector['matchExpressions']).entries()) {
    const { key, values } = fieldsIn(expression);
    for (const [at, value] of listIn(values).entries())
      look(key, value, ['matchExpressions', index, 'values', at]);
  }
  return flaws;
}

function tooMany(count: number, path: Path): Violation {
  return violation(path, 'limit', `got a policy of ${count} rules, want at most ${limits.rulesPerPolicy}`);
}
