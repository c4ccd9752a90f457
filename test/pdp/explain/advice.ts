import { expect } from 'vitest';
import { createEngine } from '../../../src/pdp/engine.ts';
import type { Step } from '../../../src/pdp/explain.ts';
import type { Inventory } from '../../../src/pdp/model/inventory.ts';
import { normalisePath } from '../../../src/pdp/model/path.ts';
import type { Request } from '../../../src/pdp/model/request.ts';
import type { Pattern, Rule, Tier } from '../../../src/pdp/model/rule.ts';
import { ask, Dice, inventory, rule } from './small.ts';

/** What a nearest miss advises is done to the request, in every way that it leaves open, and `decide` is asked. */

type Place = Pick<Step, 'side' | 'key'>;
type Change = Place & { readonly value: string | undefined };

export interface World {
  readonly inventory: Partial<Inventory>;
  readonly request: Request;
  /** What the request may say otherwise. */
  readonly free: readonly Place[];
  /** Of a rule, one by one. */
  condition(dice: Dice): string;
}

/** The same, where everybody may set everything. */
function believing({ site, ...more }: Partial<Inventory>): Inventory {
  return inventory({ ...more, site: { ...(site ?? inventory().site), attributeRules: [] } });
}

function randomRules(dice: Dice, world: World, tiers: readonly Tier[]): Rule[] {
  return Array.from({ length: 2 + dice.below(6) }, (_, i) => {
    const all = Array.from({ length: 1 + dice.below(3) }, () => world.condition(dice));
    // Policies write one condition on a part of the destination.
    const when = all.filter((one, at) => {
      const [key = ''] = one.split(' ');
      return !key.startsWith('to.') || all.findIndex((other) => other.startsWith(`${key} `)) === at;
    });
    const tier = dice.one(tiers);
    const listed = tiers.includes(1) && tier > 1 && dice.below(4) === 0;
    const more = listed ? { list: { id: dice.one(['l', 'm']), strength: i } } : {};
    return rule(tier, when, { policy: String(i), ...more });
  });
}

const routeKey = 'kuma:route';

/** [DST8] Of routes: a name without a namespace is that name in each. */
function fitsAt({ key }: Place, pattern: Pattern, one: string): boolean {
  return key === routeKey ? one === pattern.value || one.endsWith(`/${pattern.value}`) : fits(pattern, one);
}

/** Whether it may be one that is left out: a route that is given by its name alone may be any of that name. */
function mayFit(place: Place, pattern: Pattern, one: string): boolean {
  return fitsAt(place, pattern, one) || (place.key === routeKey && pattern.value.endsWith(`/${one}`));
}

function fits({ match, value }: Pattern, one: string): boolean {
  if (match === 'exact') return one === value;
  if (match === 'prefix') return one.startsWith(value);
  return one === value || one.startsWith(`${value}/`);
}

/** What could be meant: all that rules write, what goes on from there, and what has nothing to do with it. */
function candidates(rules: readonly Rule[], { side, key }: Place): string[] {
  const found = new Set(key === 'request:path' ? ['/zz'] : ['zz']);
  for (const one of rules.flatMap(({ when }) => when)) {
    if (one.side !== side || one.key !== key) continue;
    for (const { value } of one.values)
      for (const end of ['', 'zz', '/zz', 'o', '/o']) found.add(value + end);
    if (key === routeKey)
      for (const { value } of one.values) found.add(`zz/${value.slice(value.indexOf('/') + 1)}`);
  }
  if (side === 'destination')
    return [...found].filter((one) => key !== routeKey || one.split('/').length < 3);
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
  const within = to.is === 'within' ? all.filter((one) => fitsAt(step, to.pattern, one)) : all;
  const but = to.is === 'within' ? to.except : to.than;
  const left = within.filter((one) => !but.some((pattern) => mayFit(step, pattern, one)));
  return left.map((value) => ({ side, key, value }));
}

function changed(request: Request, { side, key, value }: Change): Request {
  if (side === 'request') return { ...request, request: { ...request.request, [key.slice(8)]: value } };
  if (side === 'destination') {
    const field = ({ [routeKey]: 'route', 'kuma:section': 'inbound' } as const)[key] ?? 'namespace';
    return value === undefined
      ? request
      : { ...request, destination: { ...request.destination, [field]: value } };
  }
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
  const choices = world.free.map(({ side, key }) => {
    const found = candidates(rules, { side, key });
    const values = side === 'request' ? found : [...found, undefined];
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

export function outcomes(seeds: number, make: (dice: Dice) => World, tiers: readonly Tier[]) {
  const counts: Record<string, number> = {};
  for (let seed = 1; seed <= seeds; seed++) {
    const found = check(seed, make, tiers);
    counts[found] = (counts[found] ?? 0) + 1;
  }
  return counts;
}
