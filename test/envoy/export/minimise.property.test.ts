import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/envoy/export/json.ts';
import type { Exported } from '../../../src/envoy/export/types.ts';
import { channelOf } from '../../../src/pdp/model/request.ts';
import { Random } from '../../oracle/random.ts';
import { both, Chain } from './world.ts';

/** What the minimiser leaves out, on sets made to hold much that decides nothing. */

const destination = { mesh: 'm', dataplane: 'd' };
const world = [
  { type: 'Mesh', name: 'm', trustDomains: ['td'] },
  { type: 'Dataplane', mesh: 'm', name: 'd', inbounds: [{ port: 80, protocol: 'http' }] },
];

const ids = ['a', 'a/b', 'a/b/c', 'ab', 'b', 'b/c'].map((path) => `spiffe://td/${path}`);
const paths = ['/m', '/m/n', '/mn', '/m/n/o', '/x'];

function redundant(random: Random, rules: number): object[] {
  const matcher = () => ({
    ...(random.chance(0.9)
      ? {
          spiffeId: {
            type: random.pick(['Exact', 'Prefix', 'PathPrefix']),
            value: random.pick(ids),
          },
        }
      : { method: random.pick(['GET', 'POST']) }),
    ...(random.chance(0.4)
      ? { path: { type: random.pick(['Exact', 'Prefix', 'PathPrefix']), value: random.pick(paths) } }
      : {}),
    ...(random.chance(0.2) ? { method: random.pick(['GET', 'POST']) } : {}),
  });
  const list = (most: number) => Array.from({ length: random.between(0, most) }, matcher);
  return Array.from({ length: rules }, (_, i) => ({
    type: 'MeshTrafficPermission',
    mesh: 'm',
    name: `p${i}`,
    spec: { default: { deny: list(1), allowWithShadowDeny: list(1), allow: list(6) } },
  }));
}

function requestFor(random: Random) {
  const id = random.pick(ids) + random.pick(['', '', '/z', 'z']);
  const path = random.pick(paths) + random.pick(['', '', '/z', 'z']);
  return { id, method: random.pick(['GET', 'POST', 'PUT']), path };
}

function namesIn(value: unknown): Set<string> {
  const text = JSON.stringify(value);
  return new Set([...text.matchAll(/"name":"(kri_[^"]*)"/g)].map(([, name]) => name as string));
}

describe('the minimiser', () => {
  test('[ENV11] verdicts of both worlds stay, in trees and in lists', { timeout: 120_000 }, () => {
    const relay = channelOf('relay');
    let [before, after] = [0, 0];
    for (let seed = 1; seed <= 150; seed++) {
      const random = new Random(seed);
      const { engine, exporter } = both(...world, ...redundant(random, random.between(1, 6)));
      for (const form of ['tree', 'list'] as const) {
        const whole = exporter.export(destination, { form, minimise: false });
        const small = exporter.export(destination, { form });
        before += whole.report.size.bytes;
        after += small.report.size.bytes;
        expect(small.report.size.bytes).toBeLessThanOrEqual(whole.report.size.bytes);
        const chains = [Chain.of(whole), Chain.of(small)];
        for (let i = 0; i < 40; i++) {
          const { id, method, path } = requestFor(random);
          const peer = { uriSans: [id], dnsSans: [], presented: true, validated: true };
          const question = { source: { spiffeId: id }, destination, request: { method, path } };
          const { decision, shadow } = engine.decide(question, relay);
          for (const chain of chains) {
            const verdict = chain.decide(peer, { method, path });
            expect([seed, form, question, verdict.enforced, verdict.shadow]).toEqual([
              seed,
              form,
              question,
              decision,
              shadow,
            ]);
          }
        }
      }
    }
    expect(after / before).toBeLessThan(0.7);
  });

  test('[ENV11] a rule with a shadow effect keeps its name, covered or not', () => {
    const permission = (name: string, lists: object) => ({
      type: 'MeshTrafficPermission',
      mesh: 'm',
      name,
      spec: { default: lists },
    });
    const prefix = (value: string) => ({ spiffeId: { type: 'Prefix', value } });
    const { exporter } = both(
      ...world,
      permission('a', { allow: [prefix('spiffe://td/')] }),
      permission('b', { allow: [prefix('spiffe://td/x/'), prefix('spiffe://td/x/')] }),
      permission('c', { allowWithShadowDeny: [prefix('spiffe://td/x/')] }),
    );
    for (const form of ['tree', 'list'] as const) {
      const { typed_config } = exporter.export(destination, { form }).filters[0]!;
      const wide = ['kri_mtp_m___a_', 'kri_mtp_m___c_'];
      expect([...namesIn(typed_config['matcher'])].sort()).toEqual(wide);
      expect([...namesIn(typed_config['shadow_matcher'])].sort()).toEqual(wide);
    }
  });

  test('[ENV11] methods and paths of one policy and ID stand together', () => {
    const id = { spiffeId: { type: 'Exact', value: 'spiffe://td/a' } };
    const at = (value: string, type = 'Exact') => ({ ...id, path: { type, value } });
    const { exporter } = both(...world, {
      type: 'MeshTrafficPermission',
      mesh: 'm',
      name: 'p',
      spec: {
        default: {
          allow: [
            { ...id, method: 'GET' },
            { ...id, method: 'POST' },
            at('/m'),
            at('/m/n', 'PathPrefix'),
            at('/m/n/o'),
          ],
        },
      },
    });
    const entriesOf = ({ filters }: Exported) => {
      const { on_no_match } = filters[0]!.typed_config['matcher'] as Record<'on_no_match', JsonObject>;
      const tree = (on_no_match['matcher'] as JsonObject)['matcher_tree'] as JsonObject;
      const { map } = tree['exact_match_map'] as Record<'map', JsonObject>;
      const { matcher } = map['spiffe://td/a'] as Record<'matcher', JsonObject>;
      expect(matcher).not.toHaveProperty('on_no_match');
      return (matcher['matcher_list'] as Record<'matchers', JsonObject[]>).matchers;
    };
    const small = entriesOf(exporter.export(destination));
    expect(small).toHaveLength(1);
    expect(JSON.stringify(small)).not.toContain('/m/n/o');
    expect(entriesOf(exporter.export(destination, { minimise: false }))).toHaveLength(5);
  });

  test('[ENV11] [ENV12] prefixes within prefixes do not make it slow', () => {
    const nested = Array.from({ length: 4 }, (_, part) => ({
      type: 'MeshTrafficPermission',
      mesh: 'm',
      name: `p${part}`,
      spec: {
        default: {
          allow: Array.from({ length: 1_000 }, (_, i) => ({
            spiffeId: { type: 'Prefix', value: `spiffe://td/${'a'.repeat(part + 2 * i)}` },
            path: { type: 'Exact', value: `/${part}/${i}` },
          })),
        },
      },
    }));
    const timed = (minimise: boolean) => {
      const { exporter } = both(...world, ...nested);
      const start = performance.now();
      const { size } = exporter.export(destination, { minimise }).report;
      return { took: performance.now() - start, matchers: size.matchers };
    };
    timed(false);
    const [all, minimal] = [timed(false), timed(true)];
    // None of them covers another one.
    expect(minimal.matchers).toBe(all.matchers);
    expect(minimal.took / all.took).toBeLessThan(12);
  });
});
