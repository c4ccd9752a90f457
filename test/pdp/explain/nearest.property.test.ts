import { describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/pdp/engine.ts';
import type { Request } from '../../../src/pdp/model/request.ts';
import { effectOf, type Rule, type Tier } from '../../../src/pdp/model/rule.ts';
import { ask, Dice, inventory, outright, rule } from './small.ts';

/** The nearest miss against all requests of a small universe, tried one after the other. */

const labels = ['a', 'b', 'c'];
const values = ['1', '2', '3', undefined];
const methods = ['GET', 'PUT', 'POST'];

type Point = readonly (string | undefined)[];

const universe: readonly Point[] = values.flatMap((a) =>
  values.flatMap((b) => values.flatMap((c) => methods.map((method) => [a, b, c, method]))),
);

function requestAt([a, b, c, method]: Point): Request {
  const given = Object.entries({ a, b, c }).filter(([, value]) => value !== undefined);
  const attributes = Object.fromEntries(
    given.map(([label, value]) => [`k8s:label:${label}`, value as string]),
  );
  return { source: { attributes }, destination: outright, request: { method: method as string } };
}

function randomRule(dice: Dice, tiers: readonly Tier[], name: string, list?: string): Rule {
  const when = Array.from({ length: dice.below(4) }, () => {
    if (dice.below(4) === 0)
      return `request:method ${dice.one(['in', 'notIn'])} ${dice.one(methods)} ${dice.one(methods)}`;
    const op = dice.one(['in', 'in', 'in', 'notIn', 'exists', 'notExists']);
    const written = op.endsWith('xists') ? '' : ` ${dice.one(['1', '2', '3'])} ${dice.one(['1', '2', '3'])}`;
    return `${dice.one(labels)} ${op}${written}`;
  });
  const strength = { id: list ?? '', strength: Number(name) };
  return rule(dice.one(tiers), when, { policy: name, ...(list === undefined ? {} : { list: strength }) });
}

function randomRules(dice: Dice, tiers: readonly Tier[], lists: boolean): Rule[] {
  return Array.from({ length: 2 + dice.below(9) }, (_, i) =>
    randomRule(dice, tiers, String(i), lists && dice.below(2) === 0 ? 'list' : undefined),
  ).filter((one) => one.list === undefined || one.tier !== 0);
}

/** By the index, which shares nothing with the search. */
function allowedBy(rules: readonly Rule[]): (request: Request) => boolean {
  const engine = createEngine(rules, inventory(), 'snapshot');
  return (request) => engine.decide(request).decision === 'allow';
}

/** (a) by its definition: fewest failing conditions, ties by policy order. */
function nearestAllow(rules: readonly Rule[], request: Request): Rule | undefined {
  const failing = (one: Rule) =>
    ask([one], request).rules[0]!.conditions.filter(({ truth }) => truth !== 'true').length;
  const allows = rules.filter(({ tier }) => effectOf(tier as Tier) === 'allow');
  return allows.sort((x, y) => failing(x) - failing(y))[0];
}

function distance(x: Point, y: Point): number {
  return x.filter((value, i) => value !== y[i]).length;
}

const wordFor: Readonly<Record<string, number>> = {
  'k8s:label:a': 0,
  'k8s:label:b': 1,
  'k8s:label:c': 2,
  'request:method': 3,
};

/** The request with all steps taken; `other` stands for whatever is not written anywhere. */
function taken(
  point: Point,
  miss: NonNullable<ReturnType<typeof ask>['nearestMiss']>,
): (string | undefined)[] {
  const moved = [...point];
  for (const step of [...miss.allow.steps, ...miss.denies.flatMap((deny) => deny.steps)]) {
    expect(step.need).toBe('change');
    const at = wordFor[step.key] as number;
    const fresh = at === 3 ? 'OTHER' : 'other';
    moved[at] = step.to?.is === 'absent' ? undefined : step.to?.is === 'value' ? step.to.value : fresh;
  }
  return moved;
}

function check(
  seed: number,
  tiers: readonly Tier[],
  lists: boolean,
  least: boolean,
  counts: Record<string, number>,
) {
  const dice = new Dice(seed);
  const rules = randomRules(dice, tiers, lists);
  const point = dice.one(universe);
  const { decision, nearestMiss } = ask(rules, requestAt(point));
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  if (decision.decision === 'allow') return expect(nearestMiss).toBeUndefined();
  const allow = nearestAllow(rules, requestAt(point));
  expect(nearestMiss?.allow.id).toBe(allow?.id);
  if (allow === undefined || nearestMiss === undefined) return count('no allow');
  const others = [
    ...universe,
    ...universe.flatMap((one) => one.map((_, i) => one.toSpliced(i, 1, i === 3 ? 'OTHER' : 'other'))),
  ];
  const allowed = allowedBy(rules);
  const matches = allowedBy([allow]);
  const ways = others.filter((other) => matches(requestAt(other)) && allowed(requestAt(other)));
  const wanted = Math.min(...ways.map((other) => distance(point, other)));
  if (!nearestMiss.possible) {
    count('impossible');
    // With privileged allows, another one can let in what no deny lets this one let in.
    if (least) expect(ways).toEqual([]);
    return;
  }
  count(`${nearestMiss.denies.length} denies`);
  const moved = taken(point, nearestMiss);
  expect(allowed(requestAt(moved))).toBe(true);
  expect(matches(requestAt(moved))).toBe(true);
  if (least) {
    expect(nearestMiss.approximate).toBeUndefined();
    expect(distance(point, moved)).toBe(wanted);
  }
}

describe('the nearest miss', () => {
  test('[NEAR1] [NEAR2] [NEAR4] is the least that would do', () => {
    const counts: Record<string, number> = {};
    for (let seed = 1; seed <= 400; seed++) check(seed, [0, 2, 3, 3], false, true, counts);
    expect(counts['impossible']).toBeGreaterThan(10);
    expect(counts['1 denies']).toBeGreaterThan(20);
    expect(counts['2 denies']).toBeGreaterThan(5);
  });

  test('[NEAR1] [NEAR2] would do, also with privileged allows and ordered lists', () => {
    const counts: Record<string, number> = {};
    for (let seed = 1001; seed <= 1400; seed++) check(seed, [0, 1, 2, 3, 4, 3], true, false, counts);
    expect(counts['1 denies']).toBeGreaterThan(10);
  });
});
