import type { z } from 'zod';
import { nameOf } from '../../pdp/model/words.ts';
import { choice, list, name, object, someOf, spiffeId, text, trust, trustDomain } from '../schema/fields.ts';
import { type Flaw, type Loose, whole } from '../schema/flaw.ts';

/** Keys for ES256 and EdDSA alone (SPEC XCH1): by type, the curve and the algorithm. */
const sorts = {
  EC: { crv: 'P-256', alg: 'ES256', coordinates: ['x', 'y'] },
  OKP: { crv: 'Ed25519', alg: 'EdDSA', coordinates: ['x'] },
} as const;

/** 32 bytes in base64url: the last digit has two bits that are zero. */
const coordinate = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

type Fields = Loose<Record<'kty' | 'crv' | 'alg' | 'x' | 'y', string>>;

function keyFlaws(key: Fields): readonly Flaw[] {
  const { kty, crv, alg, y } = key;
  if (kty !== 'EC' && kty !== 'OKP') return [];
  const sort = sorts[kty];
  const flaws: Flaw[] = [];
  const refuse = (field: string, value: unknown, want: string) =>
    flaws.push({ code: 'value', message: `got ${nameOf(value)}, want ${want}`, path: [field] });
  if (crv !== sort.crv) refuse('crv', crv, `"${sort.crv}" for a key of the type "${kty}"`);
  if (alg !== undefined && alg !== sort.alg) refuse('alg', alg, `"${sort.alg}", or no "alg"`);
  for (const field of sort.coordinates) {
    const value = key[field];
    if (typeof value !== 'string' || !coordinate.test(value))
      refuse(field, value, '32 bytes in base64url without padding');
  }
  if (kty === 'OKP' && y !== undefined) refuse('y', y, 'no "y" for a key of the type "OKP"');
  return flaws;
}

const key = object({
  kty: choice(['EC', 'OKP'], 'EC for ES256, OKP for EdDSA.'),
  crv: text('P-256 of EC, Ed25519 of OKP.'),
  kid: name('The name of the key, by which tokens call it.'),
  x: text('In base64url.'),
  y: text('In base64url; of EC alone.').optional(),
  alg: text('ES256 or EdDSA.').optional(),
  use: text('As bundles have it; not read.').optional(),
}).check(whole((value) => keyFlaws(value)));

export const peer = object(
  {
    gateway: spiffeId('The SPIFFE ID of its gateway: of its certificate, and the issuer of its tokens.'),
    trustDomains: someOf(trustDomain('A trust domain.'), 'Trust domains of the workloads it speaks for.'),
    keys: list(key, 'The public keys that its gateway signs tokens with, as JWKs.').min(1),
    trustUpTo: trust('The most that its word counts for. Not given: reported.').optional(),
  },
  'Another site, as far as its gateway is believed here. What it is like stands in the Site of its name.',
);

export type PeerSpec = z.infer<typeof peer>;
