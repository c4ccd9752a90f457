import { describe, expect } from 'vitest';
import type { Metadata, MetadataStruct } from '../../../src/envoy/interpreter/evidence.ts';
import type { Difference } from '../../../src/envoy/verify/compare.ts';
import { both } from '../../envoy/export/world.ts';
import { verifyFilters } from '../../envoy/verify/exported.ts';
import type { Json } from '../../envoy/verify/planting.ts';
import { tokenMutants } from '../../envoy/verify/token-mutants.ts';
import { destination, documentsWith, peerDocument } from '../../envoy/verify/token-world.ts';
import { live } from '../../live.ts';
import { authority, svid } from '../../support/certificates/index.ts';
import { type Lab, openLab, type Said } from '../../support/envoy/lab.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { trustedCa } from '../../support/envoy/trust.ts';
import { type SigningKey, signed, signingKey, thumbprintOf } from '../../support/tokens.ts';

/** Mistakes with tokens: the requests that verify finds them by are decided wrongly by a real Envoy. */

const keys: Readonly<Record<string, SigningKey>> = {
  'us-1': signingKey('u', 'ES256'),
  'ap-1': signingKey('a', 'EdDSA'),
};
const names = Object.keys(keys);
const documents = documentsWith([
  peerDocument('us-1', [keys['us-1']!.jwk], 'observed'),
  peerDocument('ap-1', [keys['ap-1']!.jwk], 'reported'),
]);
const most = 6;

type Callers = Awaited<ReturnType<typeof callersOf>>;

async function callersOf() {
  const authorities = await Promise.all(names.map((name) => authority(`${name}.example`)));
  const certificates = await Promise.all(
    authorities.map((one) => svid(one, `spiffe://${one.trustDomain}/gateway`)),
  );
  return { authorities, certificates };
}

/** The token of a difference as a gateway would sign it; undefined where only an odd Envoy lets it so far. */
function tokenOf({ peer: { uriSans, token } }: Difference, { certificates }: Callers): string | undefined {
  const at = names.findIndex((name) => token?.claims['iss'] === `spiffe://${name}.example/gateway`);
  const caller = names.findIndex((name) => uriSans.join() === `spiffe://${name}.example/gateway`);
  if (token === undefined || at < 0 || caller < 0) return undefined;
  const aud = token.claims['aud'];
  const attributes = token.claims['attributes'] as MetadataStruct;
  const strings = Object.values(attributes).every((value: Metadata) => typeof value === 'string');
  // What the script did not pass has to be wrong in just that.
  const now = Math.floor(Date.now() / 1000);
  const passed = (word: 'binding' | 'times' | 'claims') => token.passed.includes(word);
  return signed(keys[names[at]!]!, {
    ...token.claims,
    aud: aud as never,
    ...(!passed('claims') && strings ? { jti: '' } : {}),
    iat: now,
    exp: passed('times') ? now + 60 : now + 61,
    cnf: { 'x5t#S256': passed('binding') ? thumbprintOf(certificates[caller]!) : 'A'.repeat(43) },
  } as never);
}

async function say(
  lab: Lab,
  listener: string,
  difference: Difference,
  callers: Callers,
): Promise<Said | undefined> {
  const text = tokenOf(difference, callers);
  const certificate =
    callers.certificates[
      names.findIndex((name) => difference.peer.uriSans[0] === `spiffe://${name}.example/gateway`)
    ];
  if (text === undefined || certificate === undefined) return undefined;
  const { method = 'GET', path = '/' } = difference.request;
  const [said] = await lab.ask(listener, { certificate }, [
    { method, path, headers: { 'x-placet-token': text } },
  ]);
  return said;
}

describe('planted mistakes with tokens', () => {
  live(
    envoyMissing,
    '[VER11] [VER16] each is caught by a real Envoy too, on the requests that were found',
    async () => {
      const set = both(...documents);
      const callers = await callersOf();
      const planted = tokenMutants.map(({ name, form, plant }) => {
        const { filters } = set.exporter.export(destination, { attributes: 'jwt', form });
        const front = filters.slice(0, -1);
        const rbac = [structuredClone(filters.at(-1))] as unknown as Json[];
        plant(rbac);
        const { compared } = verifyFilters(set, destination, rbac, 100_000, true);
        return {
          name,
          filters: [...front, ...rbac],
          differences: compared.flatMap((one) => one.differences),
        };
      });
      const lab = await openLab(
        planted.map(({ filters }, at) => ({
          name: `m${at}`,
          kind: 'http',
          filters: filters as never,
          trust: trustedCa(...callers.authorities),
        })),
      );
      const caught: string[] = [];
      try {
        for (const [at, { name, differences }] of planted.entries()) {
          let tried = 0;
          for (const difference of differences) {
            if (tried === most) break;
            const said = await say(lab, `m${at}`, difference, callers);
            // jwt_authn stops some of them, whatever RBAC forgets.
            if (said?.metadata === undefined) continue;
            const shadow = said.rbac['shadow_engine_result'];
            const inShadow = difference.world === 'shadow' && shadow !== undefined;
            const verdict = inShadow ? (shadow === 'allowed' ? 'allow' : 'deny') : said.verdict;
            const told = JSON.stringify({ name, difference, said });
            expect(verdict, told).toBe(difference.envoy.action === 'ALLOW' ? 'allow' : 'deny');
            expect(verdict, told).not.toBe(difference.policies.decision);
            tried++;
          }
          if (tried > 0) caught.push(name);
        }
      } finally {
        await lab.stop();
      }
      console.log(
        `${caught.length} of ${planted.length} planted mistakes with a request on which Envoy is wrong`,
      );
      expect(caught).toEqual(tokenMutants.map(({ name }) => name));
    },
    240_000,
  );
});
