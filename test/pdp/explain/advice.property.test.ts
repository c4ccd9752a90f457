import { describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/pdp/engine.ts';
import type { Step } from '../../../src/pdp/explain.ts';
import type { Inventory } from '../../../src/pdp/model/inventory.ts';
import { normalisePath } from '../../../src/pdp/model/path.ts';
import type { Request } from '../../../src/pdp/model/request.ts';
import type { Pattern, Rule, Tier } from '../../../src/pdp/model/rule.ts';
import { ask, Dice, inventory, outright, rule } from './small.ts';

/** What a nearest miss advises is done to the request, in every way that it leaves open, and `decide` is asked. */

type Change = Pick<Step, 'side' | 'key'> & { readonly value: string | undefined };

interface World {
  readonly inventory: Partial<Inventory>;
  readonly request: Request;
  /** Of a rule, one by one. */
  condition(dice: Dice): string;
}

/** Words that one condition may be about: what begins alike, what is below, what no rule writes. */
const stems: Readonly<Record<string, readonly string[]>> = {
  path: ['/', '/a', '/a/b', '/a/b/c', '/ab', '/o'],
  label: ['1', '12', '123', '1/2', '1/2/3', 'o', 'ot'],
  method: ['GET', 'GETS', 'PUT'],
};
const stemsOf = (key: string) =>
  stems[key === 'request:path' ? 'path' : key === 'request:method' ? 'method' : 'label'] as string[];

function written(dice: Dice, key: string): string {
  const op = dice.one(['in', 'in', 'in', 'notIn', 'exists']);
  const name = key.startsWith('request:') || key.startsWith('to.') ? key : key.replace('k8s:label:', '');
  if (op === 'exists') return `${name} exists`;
  const ends = key === 'request:method' ? ['', ''] : ['', '', '*', '/**'];
  const values = Array.from({ length: 1 + dice.below(2) }, () => {
    const stem = dice.one(stemsOf(key));
    const end = dice.one(ends);
    return end === '/**' && stem.endsWith('/') ? '/a/**' : stem + end;
  });
  return `${name} ${op} ${values.join(' ')}`;
}

const keys = ['k8s:label:a', 'k8s:label:b', 'request:path', 'request:method'];

/** All of the request, and nothing of an inventory. */
function plain(dice: Dice): World {
  const attributes: Record<string, string> = {};
  for (const key of ['k8s:label:a', 'k8s:label:b'])
    if (dice.below(2) === 0) attributes[key] = dice.one(stemsOf(key));
  const request = { method: dice.one(['GET', 'PUT']), path: dice.one(stemsOf('request:path')) };
  return {
    inventory: {},
    request: { source: { attributes, complete: true }, destination: outright, request },
    condition: (more) => written(more, more.one(keys)),
  };
}

/** Who is in `dev`, or nowhere, may not set what only `sec` may. */
function ruled(dice: Dice): World {
  const world = plain(dice);
  const where = dice.one(['sec', 'dev', undefined]);
  const attributes = {
    ...world.request.source?.attributes,
    ...(where === undefined ? {} : { 'k8s:ns': where }),
  };
  const attributeRules = [
    { keys: [dice.one(['k8s:label:a', 'k8s:label:*'])], from: [{ site: [], namespaces: ['sec'] }] },
  ];
  return {
    ...world,
    inventory: { site: { ...inventory().site, attributeRules } },
    request: { ...world.request, source: { attributes, complete: dice.below(4) > 0 } },
  };
}

/** Nothing of who asks. */
function unidentified(dice: Dice): World {
  const world = plain(dice);
  return { ...world, request: { ...world.request, source: dice.below(3) === 0 ? { complete: false } : {} } };
}

/** The same, where everybody may set everything. */
function believing({ site, ...more }: Partial<Inventory>): Inventory {
  return inventory({ ...more, site: { ...(site ?? inventory().site), attributeRules: [] } });
}

function randomRules(dice: Dice, world: World, tiers: readonly Tier[]): Rule[] {
  return Array.from({ length: 2 + dice.below(6) }, (_, i) => {
    const when = Array.from({ length: 1 + dice.below(3) }, () => world.condition(dice));
    const tier = dice.one(tiers);
    const listed = tiers.includes(1) && tier > 1 && dice.below(4) === 0;
    const more = listed ? { list: { id: dice.one(['l', 'm']), strength: i } } : {};
    return rule(tier, when, { policy: String(i), ...more });
  });
}

function fits({ match, value }: Pattern, one: string): boolean {
  if (match === 'exact') return one === value;
  if (match === 'prefix') return one.startsWith(value);
  return one === value || one.startsWith(`${value}/`);
}

/** What could be meant: all that rules write, what goes on from there, and what has nothing to do with it. */
function candidates(rules: readonly Rule[], { side, key }: Pick<Step, 'side' | 'key'>): string[] {
  const found = new Set(key === 'request:path' ? ['/zz'] : ['zz']);
  for (const one of rules.flatMap(({ when }) => when)) {
    if (one.side !== side || one.key !== key) continue;
    for (const { value } of one.values)
      for (const end of ['', 'zz', '/zz', 'o', '/o']) found.add(value + end);
  }
  return [...found].filter(
    (one) => key !== 'request:path' || (normalisePath(one) === one && one.startsWith('/')),
  );
}

function meant(rules: readonly Rule[], step: Step): Change[] {
  const { side, key, to } = step;
  if (to === undefined) return [];
  if (to.is === 'absent') return [{ side, key, value: undefined }];
  if (to.is === 'value') return [{ side, key, value: to.value }];
  const all = candidates(rules, step);
  const within = to.is === 'within' ? all.filter((one) => fits(to.pattern, one)) : all;
  const but = to.is === 'within' ? to.except : to.than;
  const left = within.filter((one) => !but.some((pattern) => fits(pattern, one)));
  return left.map((value) => ({ side, key, value }));
}

function changed(request: Request, { side, key, value }: Change): Request {
  if (side === 'request') return { ...request, request: { ...request.request, [key.slice(8)]: value } };
  const attributes = { ...request.source?.attributes };
  if (value === undefined) delete attributes[key];
  else attributes[key] = value;
  const { complete } = request.source ?? {};
  // Of a set that is not complete, that it lacks a key is said by itself.
  const lacking = value === undefined && complete !== true;
  const more = lacking ? { complete: { ...(complete || {}), [key]: 'attested' as const } } : {};
  return { ...request, source: { ...request.source, attributes, ...more } };
}

/** Every way, as far as there are not too many. */
function ways(dice: Dice, choices: readonly Change[][]): Change[][] {
  const total = choices.reduce((product, some) => product * some.length, 1);
  if (total > 60) return Array.from({ length: 60 }, () => choices.map((some) => dice.one(some)));
  return choices.reduce<Change[][]>(
    (before, some) => before.flatMap((taken) => some.map((one) => [...taken, one])),
    [[]],
  );
}

/** By chance, whether there is a way where it is said that there is none. */
function search(dice: Dice, rules: readonly Rule[], world: World, id: string): Request | undefined {
  const allowed = [rules, rules.filter((one) => one.id === id)].map((some) =>
    createEngine(some, inventory(world.inventory), 'snapshot'),
  );
  const choices = keys.map((key) => {
    const side = key.startsWith('request:') ? 'request' : 'source';
    const found = candidates(rules, { side, key });
    const values = side === 'source' ? [...found, undefined] : found;
    return values.map((value): Change => ({ side, key, value }));
  });
  for (let i = 0; i < 50; i++) {
    const request = choices.map((some) => dice.one(some)).reduce(changed, world.request);
    if (allowed.every((engine) => engine.decide(request).decision === 'allow')) return request;
  }
  return undefined;
}

function check(seed: number, make: (dice: Dice) => World, tiers: readonly Tier[]): string {
  const dice = new Dice(seed);
  const world = make(dice);
  const rules = randomRules(dice, world, tiers);
  const { nearestMiss: miss } = ask(rules, world.request, world.inventory);
  if (miss === undefined) return 'none';
  if (!miss.possible) {
    // With privileged allows, another one can let in what no deny lets this one let in.
    if (!tiers.includes(1))
      expect([seed, search(dice, rules, world, miss.allow.id)]).toEqual([seed, undefined]);
    return 'impossible';
  }
  const steps = [...miss.allow.steps, ...miss.denies.flatMap((deny) => deny.steps)];
  const trusted = steps.some(({ believed }) => believed === false);
  if (steps.some(({ need, believed }) => need !== 'change' && believed !== false)) return 'need';
  const choices = steps.map((step) => meant(rules, step));
  expect(choices, `seed ${seed}`).not.toContainEqual([]);
  const there = (trusted ? believing : inventory)(world.inventory);
  const engine = createEngine(rules, there, 'snapshot');
  for (const way of ways(dice, choices)) {
    const request = way.reduce(changed, world.request);
    expect([seed, way, engine.decide(request).decision]).toEqual([seed, way, 'allow']);
  }
  if (trusted) return 'trusted';
  return choices.some((some) => some.length > 1) ? 'open' : 'closed';
}

function outcomes(seeds: number, make: (dice: Dice) => World, tiers: readonly Tier[]) {
  const counts: Record<string, number> = {};
  for (let seed = 1; seed <= seeds; seed++) {
    const found = check(seed, make, tiers);
    counts[found] = (counts[found] ?? 0) + 1;
  }
  return counts;
}

describe('what a nearest miss advises makes the request allowed', () => {
  test('[NEAR2] [NEAR4] whatever is chosen where it says "anything"', () => {
    const counts = outcomes(500, plain, [0, 2, 2, 3, 3]);
    expect(counts['open']).toBeGreaterThan(100);
    expect(counts['impossible']).toBeGreaterThan(50);
  });

  test('[NEAR2] also with privileged allows and ordered lists', () => {
    const counts = outcomes(500, plain, [0, 1, 2, 2, 3, 3, 4]);
    expect(counts['open']).toBeGreaterThan(100);
  });

  test('[NEAR3] [SRC8] where it needs no trust, values are believed from where they are', () => {
    const counts = outcomes(500, ruled, [0, 2, 2, 3, 3]);
    expect(counts['open']).toBeGreaterThan(50);
    expect(counts['trusted']).toBeGreaterThan(50);
  });

  test('[NEAR2] [SRC1] from somebody of whom nothing is known', () => {
    const counts = outcomes(500, unidentified, [0, 2, 2, 3, 3]);
    expect(counts['open']).toBeGreaterThan(50);
  });
});
