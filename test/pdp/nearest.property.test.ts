import { expect, test } from 'vitest';
import { createEngine } from '../../src/pdp/engine.ts';
import { explain } from '../../src/pdp/explain-request.ts';
import { operatorChannel, type Request } from '../../src/pdp/model/request.ts';
import { effectOf, type Rule, type Tier } from '../../src/pdp/model/rule.ts';
import type { Change } from '../../src/pdp/nearest-miss.ts';
import { Random } from '../oracle/random.ts';
import { inboundAt, rule } from './nearest-world.ts';

/** Against all ways to change a small universe, decided by the index. */

const inventory = inboundAt(undefined);
const id = 'spiffe://td/ns/a/sa/b';
const options: Readonly<Record<string, readonly (string | undefined)[]>> = {
  'source role': ['1', '2', '3', undefined],
  'source tier': ['1', '2', '3', undefined],
  'request request:method': ['GET', 'POST', 'PUT'],
  'request request:path': ['/a', '/a/b', '/ab', '/ad', '/c', '/z'],
};
const names = Object.keys(options);

type Values = Readonly<Record<string, string | undefined>>;

function requestOf(values: Values): Request {
  const { 'source role': role, 'source tier': tier } = values;
  const { 'request request:method': method, 'request request:path': path } = values;
  return {
    source: {
      spiffeId: id,
      attributes: { ...(role === undefined ? {} : { role }), ...(tier === undefined ? {} : { tier }) },
    },
    destination: { dataplane: 'dp' },
    request: { ...(method === undefined ? {} : { method }), ...(path === undefined ? {} : { path }) },
  };
}

function conditionFor(random: Random): string {
  const name = random.pick(names);
  if (random.chance(0.1))
    return `source spiffe:id ${random.pick(['in', 'notIn'])} ${random.pick([id, 'spiffe://td/x'])}`;
  if (name.startsWith('source') && random.chance(0.25))
    return `${name} ${random.pick(['exists', 'notExists'])}`;
  const value = () =>
    name.endsWith('path')
      ? random.pick(['/a', '/a*', '/a/...', '/c', '/ab'])
      : (random.pick((options[name] as string[]).filter((one) => one !== undefined).slice(0, 2)) as string);
  const values = [...new Set([value(), ...(random.chance(0.4) ? [value()] : [])])];
  return `${name} ${name.startsWith('source') && random.chance(0.3) ? 'notIn' : 'in'} ${values.join('|')}`;
}

function rulesFor(random: Random): Rule[] {
  const strengths = random.shuffled([1, 2, 3, 4, 5, 6, 7, 8]);
  return Array.from({ length: random.between(2, 8) }, (_, i) => {
    const tier = random.pick([0, 1, 2, 2, 2, 3, 3, 4] as Tier[]);
    const conditions = Array.from({ length: random.between(1, 3) }, () => conditionFor(random));
    // A deny that puts out a stronger deny is a way too, but none that anybody should be told.
    const strength = (tier === 4 ? -10 : 0) + (strengths[i] as number);
    const list = tier >= 2 && random.chance(0.3) ? { list: { id: 'l', strength } } : {};
    return rule(`r${i}`, tier, conditions, list);
  });
}

const snapshot = 's';
const allows = (rules: readonly Rule[], request: Request) =>
  createEngine(rules, inventory, snapshot).decide(request).decision === 'allow';

/** The allow with the fewest conditions that do not hold alone. */
function nearestOf(rules: readonly Rule[], request: Request): Rule | undefined {
  let best: { rule: Rule; failing: number } | undefined;
  for (const one of rules) {
    if (effectOf(one.tier as Tier) === 'deny') continue;
    const failing = one.when.filter((condition) => !allows([{ ...one, when: [condition] }], request)).length;
    if (best === undefined || failing < best.failing) best = { rule: one, failing };
  }
  return best?.rule;
}

function* everyChange(values: Values): Generator<{ changed: number; values: Values }> {
  const all = names.map((name) => [...new Set([...(options[name] as readonly string[]), values[name]])]);
  for (const role of all[0]!)
    for (const tier of all[1]!)
      for (const method of all[2]!)
        for (const path of all[3]!) {
          const next: Record<string, string | undefined> = {};
          [role, tier, method, path].forEach((value, i) => {
            next[names[i] as string] = value;
          });
          yield { changed: names.filter((name) => next[name] !== values[name]).length, values: next };
        }
}

function smallest(rules: readonly Rule[], allow: Rule, values: Values): number | undefined {
  const whole = createEngine(rules, inventory, snapshot);
  const alone = createEngine([allow], inventory, snapshot);
  let least: number | undefined;
  for (const next of everyChange(values)) {
    if (least !== undefined && next.changed >= least) continue;
    const request = requestOf(next.values);
    if (alone.decide(request).decision === 'allow' && whole.decide(request).decision === 'allow')
      least = next.changed;
  }
  return least;
}

function changed(values: Values, changes: readonly Change[]): Values {
  const next: Record<string, string | undefined> = { ...values };
  for (const { side, key, to } of changes) next[`${side} ${key}`] = to ?? undefined;
  return next;
}

test('[NEAR1] [NEAR2] [NEAR3] the smallest of all changes, where there is one', () => {
  const counts = { denied: 0, possible: 0, several: 0, free: 0 };
  for (let seed = 1; seed <= 1_500; seed++) {
    const random = new Random(seed);
    const rules = rulesFor(random);
    const values: Values = {
      'source role': random.pick(options['source role'] as string[]),
      'source tier': random.pick(options['source tier'] as string[]),
      'request request:method': random.pick(['GET', 'POST', undefined as unknown as string]),
      'request request:path': random.pick(['/a', '/c', '/ab', undefined as unknown as string]),
    };
    const request = requestOf(values);
    const { decision, nearestMiss } = explain(rules, inventory, snapshot, request, operatorChannel);
    expect(decision, `seed ${seed}`).toEqual(createEngine(rules, inventory, snapshot).decide(request));
    if (decision.decision === 'allow') {
      expect(nearestMiss).toBeUndefined();
      continue;
    }
    counts.denied++;
    const allow = nearestOf(rules, request);
    expect(nearestMiss?.allow?.id, `seed ${seed}`).toBe(allow?.id);
    const least = allow === undefined ? undefined : smallest(rules, allow, values);
    const found = nearestMiss?.possible === true ? nearestMiss.changes.length : undefined;
    expect(
      found,
      `seed ${seed} ${JSON.stringify({ rules: rules.map((r) => [r.id, r.tier, r.when, r.list]), values, nearestMiss })}`,
    ).toBe(least);
    if (nearestMiss?.possible !== true) continue;
    counts.possible++;
    if (nearestMiss.changes.length > 1) counts.several++;
    expect(nearestMiss.approximate).toBeUndefined();
    expect(allows(rules, requestOf(changed(values, nearestMiss.changes))), `seed ${seed}`).toBe(true);
  }
  console.log(counts);
  expect(counts.possible).toBeGreaterThan(300);
  expect(counts.several).toBeGreaterThan(100);
});
