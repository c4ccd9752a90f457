import { describe, expect, test } from 'vitest';
import type { Asked } from '../../../src/envoy/authz/ask.ts';
import type { Caller } from '../../../src/gateway/service.ts';
import { passed } from '../../envoy/authz/passed.ts';
import type { Both } from '../../envoy/export/world.ts';
import { answererFor, authoritiesOf, relay } from '../../live/envoy/authz/placet.ts';
import { draw, sorts } from '../../live/envoy/tokens/drawn.ts';
import { told } from '../../live/envoy/tokens/rules.ts';
import { type Callers, callersOf, gateways, worldOf } from '../../live/envoy/tokens/world.ts';
import { Random } from '../../oracle/random.ts';

const plain: Caller = { name: 'envoy', roles: new Set(['decide']) };

function answerer(set: Both, { trusted }: Callers, caller: Caller) {
  return answererFor(set, authoritiesOf(trusted), caller, true);
}

describe('ext_authz for peers’ gateways', () => {
  test('[AUTHZ15] who comes with a token is decided by what it says, and refused where it does not hold', async () => {
    const callers = await callersOf(2);
    const random = new Random(45);
    let [allowed, refused, compared] = [0, 0, 0];
    for (let seed = 1; seed <= 6; seed++) {
      const { set, services } = worldOf(seed);
      const { inventory } = set.loaded;
      const answer = answerer(set, callers, relay);
      for (let i = 0; i < 40; i++) {
        const service = random.pick(services);
        const drawn = draw(
          random,
          callers,
          service,
          Date.now(),
          i % 2 === 0 ? random.pick(sorts) : undefined,
        );
        const letThrough = passed(drawn, inventory);
        if (letThrough === undefined) continue;
        const { claims } = letThrough.token;
        const request = { method: 'GET', path: '/' };
        const asked: Asked = {
          certificate: drawn.caller.certificate.chain,
          claims: claims as unknown as NonNullable<Asked['claims']>,
          destination: { service },
          request,
        };
        const { decision } = await answer(asked, {} as never);
        const wanted = told(drawn, gateways, inventory, service, Date.now());
        if (wanted === undefined)
          expect(decision).toMatchObject({ decision: 'deny', reason: 'token-refused' });
        else
          expect(decision).toEqual(
            set.engine.decide({ source: wanted.source, destination: { service }, request }, wanted.channel),
          );
        compared++;
        if (wanted === undefined) refused++;
        if (decision.decision === 'allow') allowed++;
      }
    }
    expect(compared).toBeGreaterThan(60);
    expect(refused).toBeGreaterThan(5);
    expect(allowed).toBeGreaterThan(5);
  });

  test('[AUTHZ15] a gateway without a token is refused; claims of others, or by whom nobody believes, are none', async () => {
    const callers = await callersOf(1);
    const { set, services } = worldOf(3);
    const [own] = callers.gateways.get('us-1')!;
    const claims = {
      iss: gateways[0]!.id,
      attributes: { 'k8s:ns': 'shop' },
      trust: { 'k8s:ns': 'attested' },
    };
    const ask = async (certificate: string, caller: Caller, more: Partial<Asked> = {}) =>
      (
        await answerer(
          set,
          callers,
          caller,
        )({ certificate, destination: { service: services[0]! }, request: {}, ...more }, {} as never)
      ).decision;
    expect(await ask(own!.certificate.chain, relay)).toMatchObject({ reason: 'token-refused' });
    const stranger = callers.stranger.certificate.chain;
    expect(await ask(stranger, relay, { claims })).toEqual(await ask(stranger, relay));
    expect((await ask(own!.certificate.chain, plain, { claims })).reason).not.toBe('token-refused');
  });
});
