import { describe, expect, test } from 'vitest';
import { destinationOf } from '../../src/pdp/explain/destination.ts';
import { evaluate } from '../../src/pdp/explain/evaluate.ts';
import { type Asked, type Governing, Governor, type World } from '../../src/pdp/governing.ts';
import { floorOf } from '../../src/pdp/model/condition.ts';
import type { Inventory } from '../../src/pdp/model/inventory.ts';
import { operatorChannel } from '../../src/pdp/model/request.ts';
import { type Condition, effectOf, type Rule, type Tier } from '../../src/pdp/model/rule.ts';
import type { Loaded } from '../../src/policy/load.ts';
import { generate } from '../oracle/generate.ts';
import { loadValues } from '../policy/loading.ts';

/** What governs, by reading all rules one by one. */

interface Plain {
  id: string;
  worlds: readonly World[];
  tier: Tier;
  when: readonly Condition[];
  open: readonly string[];
}

function worlds(rule: Rule): [Tier, World[]][] {
  if (rule.tier === rule.shadow) return [[rule.tier, ['enforced', 'shadow']]];
  const shadow: [Tier, World[]] = [rule.shadow, ['shadow']];
  return rule.tier === null ? [shadow] : [[rule.tier, ['enforced']], shadow];
}

function bruteForce({ rules, inventory }: Loaded, asked: Asked): Plain[] {
  const seen = destinationOf(asked, inventory, operatorChannel);
  if (seen === undefined) return [];
  const found: Plain[] = [];
  for (const rule of rules) {
    const mesh = rule.origin.kind === 'MeshTrafficPermission';
    if (mesh && seen.inbounds === undefined) continue;
    for (const [tier, of] of worlds(rule)) {
      const allows = effectOf(tier) === 'allow';
      if (allows && !mesh && !seen.full) continue;
      const asks = rule.when.filter(({ side }) => side === 'destination');
      const truths = asks.map(
        (one) => evaluate(one, seen.see(one.key), floorOf(one, allows, inventory.site.floor)).truth,
      );
      if (truths.includes('false') || (allows && truths.includes('unknown'))) continue;
      const open = asks.filter((_, i) => truths[i] === 'unknown').map(({ key }) => key);
      const when = rule.when.filter(({ side }) => side !== 'destination');
      found.push({ id: rule.id, worlds: of, tier, when, open });
    }
  }
  return found.sort((a, b) => a.tier - b.tier);
}

function plain({ entries }: Governing): Plain[] {
  return entries.map(({ rule, worlds: of, tier, when, open }) => ({
    id: rule.id,
    worlds: of,
    tier,
    when,
    open: open.map(({ key }) => key),
  }));
}

function destinations({ dataplanes, services }: Inventory): Asked[] {
  const routes = [undefined, 'api', 'shop/api', 'none'];
  return [
    ...[...services.keys()].map((service) => ({ service })),
    ...[...dataplanes.values()].flatMap(({ mesh, name, inbounds }) =>
      [undefined, ...inbounds.map(({ port }) => port)].flatMap((inbound) =>
        routes.map((route) => ({
          mesh,
          dataplane: name,
          ...(inbound === undefined ? {} : { inbound }),
          ...(route === undefined ? {} : { route }),
        })),
      ),
    ),
  ];
}

describe('what governs a destination', () => {
  test('[ENV1] is what reading all rules one by one finds, with the same ranks', { timeout: 120_000 }, () => {
    let [compared, open] = [0, 0];
    for (let seed = 1; seed <= 300; seed++) {
      const loaded = loadValues(...generate(seed, 0, seed % 10 === 0 ? 600 : 60).documents);
      const governor = new Governor(loaded.rules, loaded.inventory);
      for (const asked of destinations(loaded.inventory)) {
        const governing = governor.of(asked);
        const wanted = bruteForce(loaded, asked);
        expect([seed, asked, governing === undefined ? undefined : plain(governing)]).toEqual([
          seed,
          asked,
          wanted,
        ]);
        compared += wanted.length;
        open += wanted.filter((one) => one.open.length > 0).length;
      }
    }
    expect(compared).toBeGreaterThan(20_000);
    expect(open).toBeGreaterThan(200);
  });

  test('[XDS11] is the same where it is looked for alike', () => {
    let [asks, shared] = [0, 0];
    for (let seed = 1; seed <= 150; seed++) {
      const loaded = loadValues(...generate(seed, 0, 60).documents);
      const governor = new Governor(loaded.rules, loaded.inventory);
      const seen = new Map<string, Governing>();
      for (const asked of destinations(loaded.inventory)) {
        const governing = governor.of(asked) as Governing;
        const likeness = governor.likeness(asked) as string;
        const before = seen.get(likeness);
        asks++;
        if (before === undefined) seen.set(likeness, governing);
        else {
          shared++;
          expect([seed, asked, governing]).toEqual([seed, asked, before]);
        }
      }
    }
    expect(shared).toBeGreaterThan(asks / 3);
  });

  test('[ENV1] is nothing where the inventory does not have it', () => {
    const loaded = loadValues(...generate(1).documents);
    const governor = new Governor(loaded.rules, loaded.inventory);
    expect(governor.of({ mesh: 'default', dataplane: 'nobody' })).toBeUndefined();
    expect(governor.of({ service: 'shop/nothing' })).toBeUndefined();
    expect(governor.likeness({ mesh: 'default', dataplane: 'nobody' })).toBeUndefined();
    expect(governor.of({ mesh: '__proto__', dataplane: 'constructor' })).toBeUndefined();
  });
});

test('[DST5] of a group that has paths and no rules there is nothing to list', { timeout: 10_000 }, () => {
  const permission = (name: string, namespace: string, match: object) => ({
    type: 'MeshTrafficPermission',
    mesh: 'default',
    name,
    labels: { 'k8s.kuma.io/namespace': namespace },
    spec: { rules: [{ default: { allow: [match] } }] },
  });
  const inbound = (port: number, name: string, namespace: string) => ({
    port,
    name,
    tags: { 'kuma.io/service': name, 'k8s.kuma.io/namespace': namespace },
  });
  const networking = { address: '10.0.0.1', inbound: [inbound(80, 'a', 'shop'), inbound(81, 'b', 'other')] };
  const loaded = loadValues(
    { type: 'Mesh', name: 'default' },
    ...Array.from({ length: 150 }, (_, i) =>
      permission(`all-${i}`, 'kuma-system', { spiffeId: { type: 'Exact', value: `spiffe://x/${i}` } }),
    ),
    permission('own', 'shop', { path: { type: 'Exact', value: '/a' } }),
    { type: 'Dataplane', mesh: 'default', name: 'd', networking },
  );
  const governor = new Governor(loaded.rules, loaded.inventory);
  const counts = ['a', 'b', undefined].map((name) => {
    const section = name === undefined ? {} : { inbound: name };
    return governor.of({ mesh: 'default', dataplane: 'd', ...section })?.entries.length;
  });
  expect(counts).toEqual([151, 150, 150]);
});
