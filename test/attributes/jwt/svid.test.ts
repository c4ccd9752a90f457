import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Expected } from '../../../src/attributes/jwt/claims.ts';
import { verifyJwtSvid } from '../../../src/attributes/jwt/svid.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import { type Signer, signer, unsigned } from './tokens.ts';

const now = Date.UTC(2026, 0, 1);
const seconds = now / 1000;
const expected: Expected = { audiences: ['spiffe://td/placet'], skew: 30_000 };
const good = { sub: 'spiffe://td/ns/a/sa/b', aud: ['spiffe://td/placet'], exp: seconds + 60 };

let key: Signer;
beforeAll(() => {
  key = signer();
});

async function verify(token: string, by: readonly Signer[] = [key]) {
  const keys = new Map(by.map((one) => [one.kid, [one.publicKey]]));
  const result = await verifyJwtSvid(token, (name) => (name === 'td' ? keys : undefined), expected, now);
  return result.ok ? result.value.spiffeId.toString() : result.refusal;
}

const refused = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) });

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Of a last character: the one that differs in the bit that is left over. */
const neighbour = (last: string) => alphabet[alphabet.indexOf(last) ^ 1];

describe('[J1] algorithms', () => {
  it.each(['ES256', 'ES384', 'ES512', 'RS256', 'PS384'] as const)('[J1] %s is accepted', async (alg) => {
    const one = signer(alg);
    expect(await verify(await one.sign(good), [one])).toBe(good.sub);
  });

  it('[J1] none is refused, signed by nobody', async () => {
    const token = unsigned({ alg: 'none', kid: 'key-1' }, good);
    expect(await verify(token)).toEqual(refused('algorithm', /"none", want one of RS256/));
  });

  it('[J1] a shared secret is refused, the public key as the secret too', async () => {
    const start = unsigned({ alg: 'HS256', kid: 'key-1' }, good).split('.').slice(0, 2).join('.');
    const secret = key.publicKey.export({ type: 'spki', format: 'pem' });
    const mac = createHmac('sha256', secret).update(start).digest('base64url');
    expect(await verify(`${start}.${mac}`)).toEqual(refused('algorithm', /"HS256"/));
  });

  it('[J1] an algorithm that the standard does not list is refused', async () => {
    const one = signer('EdDSA');
    expect(await verify(await one.sign(good), [one])).toEqual(refused('algorithm', /"EdDSA"/));
  });

  it('[J1] the algorithm of another kind of key is refused', async () => {
    const rsa = signer('RS256');
    const token = await key.sign(good);
    expect(await verify(token, [{ ...rsa, kid: 'key-1' }])).toEqual(
      refused('encoding', /cannot be verified/),
    );
  });
});

describe('[J2] the form', () => {
  it.each([
    ['', 'encoding'],
    ['a.b', 'encoding'],
    ['a.b.c.d', 'encoding'],
    ['..', 'encoding'],
    ['{"payload":"e30"}', 'encoding'],
  ])('[J2] %j is refused', async (token, code) => {
    expect(await verify(token)).toEqual(refused(code, /./));
  });

  it('[J2] standard base64, white space and padding are refused', async () => {
    const [header, claims, signature] = (await key.sign(good)).split('.');
    for (const token of [`${header}=.${claims}.${signature}`, ` ${header}.${claims}.${signature}`])
      expect(await verify(token)).toEqual(refused('encoding', /header/));
  });

  it.each([
    ['padding', (signature: string) => `${signature}==`],
    ['a line break', (signature: string) => `${signature}\n`],
    ['a blank inside', (signature: string) => `${signature.slice(0, -5)} ${signature.slice(-5)}`],
    ['characters of standard base64', (signature: string) => `+/${signature.slice(2)}`],
    ['bits that say nothing', (signature: string) => signature.slice(0, -1) + neighbour(signature.at(-1)!)],
  ])('[J2] a signature with %s is refused', async (_, change) => {
    const [header, claims, signature = ''] = (await key.sign(good)).split('.');
    expect(await verify(`${header}.${claims}.${change(signature)}`)).toEqual(
      refused('encoding', /signature is not in base64url/),
    );
  });

  it('[J2] a byte order mark before the claims is refused', async () => {
    const mark = Buffer.from('\u{feff}');
    const token = await key.sign(Buffer.concat([mark, Buffer.from(JSON.stringify(good))]));
    expect(await verify(token)).toEqual(refused('encoding', /claims are no JSON/));
  });

  it('[J2] a type other than JWT and JOSE is refused', async () => {
    expect(await verify(await key.sign(good, { typ: 'JWT' }))).toBe(good.sub);
    expect(await verify(await key.sign(good, { typ: 'JOSE' }))).toBe(good.sub);
    expect(await verify(await key.sign(good, { typ: 'at+jwt' }))).toEqual(refused('token-type', /"at\+jwt"/));
  });

  it('[J2] a critical header that is not understood is refused', async () => {
    const [, claims, signature] = (await key.sign(good)).split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'key-1', crit: ['b64'], b64: false }));
    expect(await verify(`${header.toString('base64url')}.${claims}.${signature}`)).toEqual(
      refused('encoding', /"crit"/),
    );
  });

  it('[J2] a token at the limit is read, one above it is not', async () => {
    const token = await key.sign({ ...good, pad: '' });
    const room = limits.tokenBytes - token.length;
    const pad = (more: number) => key.sign({ ...good, pad: 'x'.repeat(Math.floor((room * 3) / 4) + more) });
    expect(await verify(await pad(-4))).toBe(good.sub);
    expect(await verify(await pad(8))).toEqual(refused('limit', /want at most 16384/));
  });
});

describe('[J3] whose it is', () => {
  it.each([
    [undefined, 'claim', /"sub"/],
    ['https://td/x', 'spiffe-id', /no SPIFFE ID/],
    ['spiffe://TD/x', 'spiffe-id', /no SPIFFE ID/],
    ['spiffe://other/x', 'no-bundle', /trust domain other/],
    ['spiffe://td', 'spiffe-id', /names a trust domain, want the ID of a workload/],
  ])('[J3] the subject %j is refused', async (sub, code, message) => {
    expect(await verify(await key.sign({ ...good, sub }))).toEqual(refused(code, message));
  });

  it('[J3] the key has to be one of the subject’s own trust domain, by its name', async () => {
    expect(await verify(await key.sign(good, { kid: 'key-2' }))).toEqual(
      refused('unknown-authority', /not in the bundle/),
    );
    expect(await verify(await key.sign(good, { kid: undefined }))).toEqual(
      refused('unknown-authority', /"kid"/),
    );
    const thief = signer('ES256', 'key-1');
    expect(await verify(await thief.sign(good))).toEqual(refused('signature', /not that of the key "key-1"/));
  });
});

describe('[J4] for whom and when', () => {
  it.each([
    [undefined, /without an audience/],
    [[], /without an audience/],
    ['', /another audience/],
    [['someone'], /another audience, want "spiffe:\/\/td\/placet"/],
    [[7], /without an audience/],
  ])('[J4] the audience %j is refused', async (aud, message) => {
    expect(await verify(await key.sign({ ...good, aud }))).toEqual(refused('audience', message));
  });

  it('[J4] one of several audiences is enough, a string too', async () => {
    expect(await verify(await key.sign({ ...good, aud: ['x', 'spiffe://td/placet'] }))).toBe(good.sub);
    expect(await verify(await key.sign({ ...good, aud: 'spiffe://td/placet' }))).toBe(good.sub);
  });

  it.each([
    [{ exp: undefined }, 'claim', /"exp"/],
    [{ exp: String(seconds + 60) }, 'claim', /"exp"/],
    [{ exp: seconds - 30 }, 'expired', /2025-12-31T23:59:30/],
    [{ nbf: seconds + 31 }, 'not-yet-valid', /valid from/],
    [{ iat: seconds + 31 }, 'not-yet-valid', /valid from/],
    [{ nbf: 'soon' }, 'claim', /"nbf"/],
  ])('[J4] %j is refused', async (more, code, message) => {
    expect(await verify(await key.sign({ ...good, ...more }))).toEqual(refused(code, message));
  });

  it('[J4] clocks may differ by the skew and no more', async () => {
    expect(await verify(await key.sign({ ...good, exp: seconds - 29 }))).toBe(good.sub);
    expect(await verify(await key.sign({ ...good, nbf: seconds + 30 }))).toBe(good.sub);
  });
});

describe('[J5] mutations', () => {
  let state = 20_260;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 4) % below;
  };

  it('[J5] no token that differs in a decoded byte is accepted, and none throws', {
    timeout: 120_000,
  }, async () => {
    const token = await key.sign(good);
    const parts = token.split('.').map((part) => Buffer.from(part, 'base64url'));
    for (let i = 0; i < 10_000; i++) {
      const changed = parts.map((part) => Buffer.from(part));
      const part = changed[random(3)]!;
      const at = random(part.length);
      part[at] = (part[at]! + 1 + random(255)) & 0xff;
      const outcome = await verify(changed.map((one) => one.toString('base64url')).join('.'));
      expect(outcome, `mutation ${i}`).not.toBeTypeOf('string');
    }
  });

  it('[J5] nor one with a character more, or with another', async () => {
    const token = await key.sign(good);
    const characters = `${alphabet}=+/ \n\t.~\u{feff}`;
    for (let i = 0; i < 2_000; i++) {
      const at = i < 1_000 ? random(token.length) : token.length - 1 - random(4);
      const one = characters[random(characters.length)]!;
      for (const changed of [
        token.slice(0, at) + one + token.slice(at + 1),
        token.slice(0, at + 1) + one + token.slice(at + 1),
      ])
        if (changed !== token)
          expect(await verify(changed), JSON.stringify([at, one])).not.toBeTypeOf('string');
    }
  });
});
