import { expect, it } from 'vitest';
import { verifyServiceAccountToken } from '../../../src/attributes/jwt/service-account.ts';
import { type Signer, signer } from './tokens.ts';

const now = Date.UTC(2026, 0, 1);
const key: Signer = signer('RS256', 'sa');
const issuer = { name: 'https://kubernetes.default.svc', keys: new Map([['sa', key.publicKey]]) };
const good = {
  iss: issuer.name,
  aud: ['placet'],
  sub: 'system:serviceaccount:shop:web',
  exp: now / 1000 + 600,
  'kubernetes.io': {
    namespace: 'shop',
    serviceaccount: { name: 'web', uid: 'u-1' },
    pod: { name: 'web-0', uid: 'u-2' },
  },
};

async function verify(claims: object) {
  const result = await verifyServiceAccountToken(
    await key.sign(claims),
    issuer,
    { audiences: ['placet'], skew: 0 },
    now,
  );
  return result.ok ? result.value : result.refusal;
}

it('[J6] a token says namespace, service account and pod', async () => {
  expect(await verify(good)).toEqual({
    namespace: 'shop',
    name: 'web',
    pod: { name: 'web-0', uid: 'u-2' },
    validUntil: now + 600_000,
  });
});

it('[J6] a token that is bound to no pod has none', async () => {
  const { pod: _, ...rest } = good['kubernetes.io'];
  expect(await verify({ ...good, 'kubernetes.io': rest })).not.toHaveProperty('pod');
});

it.each([
  [{ iss: 'https://elsewhere' }, 'unknown-authority'],
  [{ aud: ['other'] }, 'audience'],
  [{ exp: now / 1000 - 1 }, 'expired'],
  [{ sub: 'system:serviceaccount:shop:other' }, 'claim'],
  [{ sub: undefined }, 'claim'],
  [{ 'kubernetes.io': undefined }, 'claim'],
  [{ 'kubernetes.io': { namespace: 'shop' } }, 'claim'],
  [{ 'kubernetes.io': { namespace: 7, serviceaccount: { name: 'web', uid: 'u' } } }, 'claim'],
])('[J6] %j is refused', async (more, code) => {
  expect(await verify({ ...good, ...more })).toMatchObject({ code });
});

it('[J6] a key that is not the issuer’s is refused', async () => {
  const thief = signer('RS256', 'sa');
  const result = await verifyServiceAccountToken(
    await thief.sign(good),
    issuer,
    { audiences: ['placet'], skew: 0 },
    now,
  );
  expect(result).toMatchObject({ ok: false, refusal: { code: 'signature' } });
});
