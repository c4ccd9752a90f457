import { describe, expect, test } from 'vitest';
import { toldByClaims } from '../../../src/envoy/authz/claims.ts';
import type { Struct } from '../../../src/envoy/authz/struct.ts';
import { draw, sorts } from '../../live/envoy/tokens/drawn.ts';
import { told } from '../../live/envoy/tokens/rules.ts';
import { callersOf, gateways, worldOf } from '../../live/envoy/tokens/world.ts';
import { Random } from '../../oracle/random.ts';
import { passed } from './passed.ts';

/** What of XCH1 is left to us: the signature, its algorithm and its key are the proxy's to verify. */

describe('claims that a proxy has verified', () => {
  test('[XCH1] no name of an attribute says what a peer may not', async () => {
    const callers = await callersOf(2);
    const { set, services } = worldOf(1);
    const { inventory } = set.loaded;
    const [service] = services;
    const toldOf = (sort?: string) => {
      const now = Date.now();
      const drawn = draw(new Random(7), callers, service ?? '', now, sort);
      const { token, peer } = passed(drawn, inventory)!;
      const { thumbprint } = drawn.caller;
      const { gateway: audience } = inventory.site;
      return toldByClaims(token.claims as unknown as Struct, peer, { thumbprint, audience, service, now });
    };
    expect(toldOf()).toBeDefined();
    const names = sorts.filter((sort) => /^(site|cl|spiffe|kuma):|^cl:fabric|ClusterLink/.test(sort));
    expect(names).toHaveLength(10);
    for (const name of names) expect(toldOf(name), name).toBeUndefined();
    expect(toldOf('sub without a path')).toBeUndefined();
  });

  test('[AUTHZ15] say what XCH2 says of them, and nothing where XCH1 refuses them', async () => {
    const callers = await callersOf(2);
    const random = new Random(44);
    let [compared, refused] = [0, 0];
    for (let seed = 1; seed <= 5; seed++) {
      const { set, services } = worldOf(seed);
      const { inventory } = set.loaded;
      for (const sort of sorts)
        for (let i = 0; i < 4; i++) {
          const now = Date.now();
          const service = random.pick(services);
          const drawn = draw(random, callers, service, now, sort);
          const letThrough = passed(drawn, inventory);
          if (letThrough === undefined) continue;
          const { token, peer } = letThrough;
          const mine = toldByClaims(token.claims as unknown as Struct, peer, {
            thumbprint: drawn.caller.thumbprint,
            audience: inventory.site.gateway,
            service,
            now,
          });
          const theirs = told(drawn, gateways, inventory, service, now);
          expect(mine, `${sort} ${JSON.stringify(token.claims)}`).toEqual(theirs);
          compared++;
          if (theirs === undefined) refused++;
        }
    }
    console.log(`${compared} tokens, ${refused} refused`);
    expect(compared).toBeGreaterThan(800);
    expect(refused / compared).toBeGreaterThan(0.3);
    expect(refused / compared).toBeLessThan(0.9);
  });
});
