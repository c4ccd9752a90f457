import { describe, expect } from 'vitest';
import * as build from '../../envoy/interpreter/build.ts';
import { live } from '../../live.ts';
import { authority, svid } from '../../support/certificates/index.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';
import { asFilter, labOf } from './facts.ts';

/** What the shadow part of a filter leaves behind, and what its counters count. */

type Json = Readonly<Record<string, unknown>>;
const allow = (name: string) => build.action(name, 'ALLOW');
const deny = (name: string) => build.action(name, 'DENY');
const from = (value: string) => build.single(build.uri, { exact: `spiffe://td/${value}` });
const to = (value: string) => build.single(build.header(':path'), { exact: value });

const enforced = build.list([[from('b'), deny('b')]], allow('rest'));
const shadowMatcher = build.list([[to('/s'), deny('s')]], allow('shadow-rest'));
/** Only what has a shadow effect, then a deny: as Kuma writes it. */
const kumas = build.list([[to('/s'), deny('s')]], deny('no_match'));

const prefixed = (prefix: string, more: Json) =>
  build.http({ ...more, rules_stat_prefix: prefix, shadow_rules_stat_prefix: prefix });
const chains: Readonly<Record<string, readonly Json[]>> = {
  one: [build.http({ matcher: enforced, shadow_matcher: shadowMatcher })],
  kuma: [build.http({ matcher: enforced, shadow_matcher: kumas })],
  two: [
    prefixed('first_', { matcher: enforced, shadow_matcher: shadowMatcher }),
    prefixed('second_', { matcher: build.list([[to('/d'), deny('d')]], allow('rest')) }),
  ],
  network: [
    build.network({
      matcher: build.list([[from('b'), deny('b')]], allow('rest')),
      shadow_matcher: build.list([[from('a'), deny('a')]], allow('r')),
    }),
  ],
};

const lab = labOf(async () => {
  const trust = spiffeBundles(await authority('td'));
  return Object.entries(chains).map(([name, filters]) => ({
    name,
    kind: name === 'network' ? ('network' as const) : ('http' as const),
    filters: filters.map(asFilter),
    trust,
  }));
});
const client = async (name: string) => ({
  certificate: await svid(await authority('td'), `spiffe://td/${name}`),
});
async function left(listener: string, name: string, path: string): Promise<Json> {
  const [said] = await (await lab()).ask(listener, await client(name), [{ path }]);
  return { verdict: said?.verdict, ...said?.rbac };
}
async function counted(filter: string): Promise<Record<string, number>> {
  const lines = (await (await lab()).envoy.admin(`/stats?filter=${filter}`)).trim().split('\n');
  return Object.fromEntries(lines.map((line) => [line.split(': ')[0]!, Number(line.split(': ')[1])]));
}

describe('an HTTP filter', () => {
  live(envoyMissing, '[FACT12] leaves both verdicts in the metadata', async () => {
    expect(await left('one', 'a', '/s')).toEqual({
      verdict: 'allow',
      enforced_engine_result: 'allowed',
      enforced_effective_policy_id: 'rest',
      shadow_engine_result: 'denied',
      shadow_effective_policy_id: 's',
    });
    expect(await left('one', 'b', '/')).toMatchObject({
      verdict: 'deny',
      enforced_engine_result: 'denied',
      shadow_engine_result: 'allowed',
      shadow_effective_policy_id: 'shadow-rest',
    });
  });

  live(
    envoyMissing,
    '[FACT12] puts its prefixes before the keys, so that filters are told apart',
    async () => {
      expect(await left('two', 'a', '/d')).toEqual({
        verdict: 'deny',
        first_enforced_engine_result: 'allowed',
        first_enforced_effective_policy_id: 'rest',
        first_shadow_engine_result: 'allowed',
        first_shadow_effective_policy_id: 'shadow-rest',
        second_enforced_engine_result: 'denied',
        second_enforced_effective_policy_id: 'd',
      });
    },
  );

  live(
    envoyMissing,
    '[FACT13] counts a full shadow policy as it is, and a fragment as denied for all',
    async () => {
      const before = await counted('^http.kuma.rbac.shadow');
      for (const listener of ['one', 'kuma']) {
        await (await lab()).ask(listener, await client('a'), Array(10).fill({ path: '/' }));
      }
      const after = await counted('^http.(kuma|one).rbac.shadow');
      expect(after['http.kuma.rbac.shadow_denied']! - before['http.kuma.rbac.shadow_denied']!).toBe(10);
      expect(after['http.kuma.rbac.shadow_allowed']).toBe(0);
      expect(after['http.one.rbac.shadow_allowed']).toBeGreaterThanOrEqual(10);
    },
  );
});

live(
  envoyMissing,
  '[FACT12] a filter of the network leaves what its shadow said, and nothing else',
  async () => {
    const said = await (await lab()).knock('network', await client('a'));
    expect(said).toEqual({
      verdict: 'allow',
      status: 200,
      rbac: { shadow_engine_result: 'denied', shadow_effective_policy_id: 'a' },
    });
    const other = await (await lab()).knock('network', await client('b'));
    expect([other.verdict, other.policy, other.rbac['shadow_engine_result']]).toEqual([
      'deny',
      'b',
      'allowed',
    ]);
  },
);
