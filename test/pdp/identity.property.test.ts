import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compile } from '../../src/pdp/index/compile.ts';
import { Identity } from '../../src/pdp/index/identity.ts';
import { keys, type Pattern, type Rule } from '../../src/pdp/model/rule.ts';
import { spiffeIdFault } from '../../src/pdp/model/spiffe-id.ts';

/** Of few pieces, so that IDs share with patterns what they begin with, in all places that they can end in. */
const piece = fc.constantFrom(
  '/',
  '/a',
  '/ab',
  '/a.b',
  '.',
  '/.',
  '/..',
  'a',
  'b',
  '%',
  'é',
  'td',
  '/ns/x',
  '//',
);
const text = fc
  .tuple(
    fc.constantFrom('spiffe://td', 'spiffe://td/a', 'spiffe://td/ns/', 'spiffe://', 'Spiffe://td/', 'x/', ''),
    fc.array(piece, { maxLength: 5 }),
  )
  .map(([scheme, pieces]) => scheme + pieces.join(''));
const pattern = fc.record({ match: fc.constantFrom('exact', 'prefix', 'under'), value: text });

function rule(value: Pattern, index: number): Rule {
  return {
    id: `${index}`,
    tier: 3,
    shadow: 3,
    when: [{ side: 'source', key: keys.spiffeId, op: 'in', values: [value] }],
    origin: { policy: 'p', kri: 'p', kind: 'p', effect: 'allow', index, document: 0, path: [] },
  };
}

function holds({ match, value }: Pattern, id: string): boolean {
  if (match === 'prefix') return id.startsWith(value);
  return match === 'under' && (id === value || id.startsWith(`${value}/`));
}

const isSound = (one: string): boolean => spiffeIdFault(one) === undefined;

test('[ID1] [ID2] [ID3] [OP1] what an ID has in common with patterns is as legal as they are', () => {
  const counts = { ids: 0, sound: 0, met: 0, short: 0 };
  const begins = (value: string): boolean => isSound(`${value}a`);
  const check = (patterns: readonly Pattern[], texts: readonly string[]): void => {
    const compiled = compile(patterns.map(rule), 'reported', () => false);
    const identity = new Identity(compiled);
    if (compiled.idsBegin) counts.short++;
    for (const id of [
      ...texts,
      ...patterns.flatMap(({ value }) => [value, `${value}/c`, value.slice(0, -1)]),
    ]) {
      const sound = isSound(id);
      expect(identity.read(id), JSON.stringify([id, patterns])).toBe(sound);
      expect(identity.text).toBe(id);
      counts.ids++;
      if (!sound) continue;
      counts.sound++;
      const met = new Set(patterns.filter((one) => holds(one, id)).map(({ match, value }) => match + value));
      expect(identity.end, JSON.stringify([id, patterns])).toBe(met.size);
      if (met.size > 0) counts.met++;
    }
  };
  const several = fc.array(pattern, { minLength: 1, maxLength: 8 });
  const asked = fc.array(text, { maxLength: 8 });
  fc.assert(fc.property(several, asked, check), { numRuns: 1_000, seed: 20_27 });
  // Such as policies have them.
  const legal = several.map((all) => all.filter(({ value }) => begins(value)));
  fc.assert(fc.property(legal, asked, check), { numRuns: 2_000, seed: 20_28 });
  for (const [what, least] of Object.entries({ ids: 30_000, sound: 6_000, met: 2_000, short: 1_000 }))
    expect(counts[what as keyof typeof counts], what).toBeGreaterThan(least);
});
