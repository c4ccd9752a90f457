import type { Random } from '../../oracle/random.ts';
import type {
  AccessSpec,
  Expression,
  FromItem,
  Match,
  Matcher,
  PermissionSpec,
  Selector,
  Shape,
} from '../../oracle/shapes.ts';
import * as universe from '../../oracle/universe.ts';

/** Sets in which rules stand in each other's way: copies of policies, some of them a little wider or narrower. */

const kinds = ['MeshTrafficPermission', 'AccessPolicy', 'PrivilegedAccessPolicy'];

export function withVariants(random: Random, shapes: readonly Shape[]): Shape[] {
  const policies = shapes.filter(({ type, kind }) => kinds.includes(type ?? kind ?? ''));
  const more = policies.flatMap((shape, i) =>
    Array.from({ length: random.below(3) }, (_, j) => variant(random, shape, `v${i}-${j}`)),
  );
  return random.shuffled([...shapes, ...more]);
}

function variant(random: Random, shape: Shape, suffix: string): Shape {
  const copy = structuredClone(shape) as Shape & { labels?: Record<string, string> };
  if (copy.metadata === undefined) copy.name = `${copy.name}-${suffix}`;
  else copy.metadata = { ...copy.metadata, name: `${copy.metadata.name}-${suffix}` };
  const labels = copy.metadata?.labels ?? copy.labels;
  if (labels !== undefined && 'kuma.io/display-name' in labels)
    Object.assign(labels, { 'kuma.io/display-name': `${labels['kuma.io/display-name']}-${suffix}` });
  if (labels !== undefined && random.chance(0.1)) Object.assign(labels, { 'kuma.io/effect': 'shadow' });
  const spec = copy.spec as PermissionSpec & AccessSpec;
  if (spec.default !== undefined) changeLists(random, spec);
  else if (Array.isArray(spec.from) && 'to' in spec) changeAccess(random, copy, spec);
  else if (Array.isArray(spec.from)) changeItems(random, spec.from as unknown as FromItem[]);
  return copy;
}

function changeLists(random: Random, spec: PermissionSpec): void {
  if (random.chance(0.15)) delete spec.targetRef;
  const names = ['deny', 'allowWithShadowDeny', 'allow'] as const;
  const all = names.flatMap((name) => spec.default?.[name] ?? []);
  for (const matcher of all) if (random.chance(0.5)) changeMatcher(random, matcher);
  if (all.length > 0 && random.chance(0.06)) spec.default = { [random.pick(names)]: all };
}

function changeMatcher(random: Random, matcher: Matcher): void {
  const spelling = matcher.spiffeId === undefined ? 'spiffeID' : 'spiffeId';
  const id = matcher[spelling];
  const drawn = random.below(4);
  if (drawn === 0 && id !== undefined) {
    const narrower = universe.spiffeIds.filter((one) => one.startsWith(id.value));
    const wider = universe.spiffePrefixes.filter((one) => id.value.startsWith(one));
    const match: Match | undefined =
      random.chance(0.5) && narrower.length > 0
        ? { type: 'Exact', value: random.pick(narrower) }
        : wider.length > 0
          ? { type: 'Prefix', value: random.pick(wider) }
          : undefined;
    if (match !== undefined) matcher[spelling] = match;
  } else if (drawn === 1 && matcher.method === undefined) matcher.method = 'GET';
  else if (drawn === 2 && matcher.path === undefined)
    matcher.path = {
      type: random.pick(['Exact', 'Prefix', 'PathPrefix']),
      value: random.pick(universe.policyPaths),
    };
  else if (Object.keys(matcher).length > 1) {
    for (const field of random.some(['path', 'method', 'sni', 'dataplaneLabels'] as const, 1, 2))
      if (Object.keys(matcher).length > 1) delete matcher[field];
  }
}

function changeItems(random: Random, items: FromItem[]): void {
  for (const item of items) {
    if (random.chance(0.3)) item.default = { action: random.pick(['Allow', 'Deny', 'AllowWithShadowDeny']) };
    if (item.targetRef?.tags !== undefined && random.chance(0.3))
      item.targetRef.tags = { ...item.targetRef.tags, version: random.pick(['v1', 'v2', '!v1']) };
  }
  if (random.chance(0.3)) items.push(structuredClone(random.pick(items)));
}

function changeAccess(random: Random, shape: Shape, spec: AccessSpec): void {
  const foreign = shape.apiVersion?.startsWith('clusterlink') === true;
  const actions = ['allow', 'deny', 'allowWithShadowDeny', 'denyWithShadowAllow'] as const;
  if (random.chance(0.3)) spec.action = random.pick(foreign ? actions.slice(0, 2) : actions);
  if (!foreign && random.chance(0.3)) spec.trust = random.pick(universe.trusts);
  if (random.chance(0.1)) spec.to = [{ workloadSelector: {} }];
  for (const { workloadSelector } of [...spec.from, ...spec.to])
    if (random.chance(0.5)) changeSelector(random, workloadSelector, foreign);
}

function changeSelector(random: Random, selector: Selector, foreign: boolean): void {
  const expressions: Expression[] = selector.matchExpressions ?? [];
  const labels = Object.entries(selector.matchLabels ?? {});
  const drawn = random.below(4);
  if (drawn === 0 && labels.length > 0) {
    const [key, value] = random.pick(labels);
    const operator = random.pick(['In', 'Exists', 'NotIn'] as const);
    const values = operator === 'Exists' ? {} : { values: operator === 'In' ? [value, 'more'] : ['other'] };
    selector.matchLabels = Object.fromEntries(labels.filter(([other]) => other !== key));
    selector.matchExpressions = [...expressions, { key, operator, ...values }];
  } else if (drawn === 1 && expressions.length > 0) selector.matchExpressions = expressions.slice(1);
  else if (drawn === 2 && expressions.length > 0) {
    const one = random.pick(expressions);
    if (one.values !== undefined && random.chance(0.5)) one.values = [...new Set([...one.values, 'more'])];
    else if (!foreign) one.trust = random.pick(universe.trusts);
  } else {
    const key = random.pick(['k8s:label:app', 'k8s:ns']);
    selector.matchExpressions = [...expressions, { key, operator: 'Exists' }];
  }
}
