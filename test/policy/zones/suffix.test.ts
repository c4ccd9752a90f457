import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Identity, suffixOf, syncedName } from '../../../src/policy/zones/suffix.ts';
import { digest } from './syncing.ts';

const backend: Identity = { mesh: 'default', name: 'backend', zone: 'zone-1', namespace: 'backend-ns' };
const name = (change: Partial<Identity> = {}, longest = 253) =>
  syncedName({ ...backend, ...change }, longest, digest);

/** RFC 1123. */
const dnsName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

describe('the suffix of a copy', () => {
  test('[ZON1] is written down here, so that no change of the code renames the copies that there are', () => {
    expect(name()).toBe('backend-59rf3w8eds1e6cbv');
    expect(name({ zone: '', namespace: '' })).toBe('backend-hb3qgdkxmrg6pk69');
  });

  test.each<Partial<Identity>>([
    { mesh: 'other' },
    { name: 'backends' },
    { zone: 'zone-2' },
    { namespace: 'ns' },
  ])('[ZON2] is another one with %j', (change) =>
    expect(suffixOf({ ...backend, ...change }, digest)).not.toBe(suffixOf(backend, digest)),
  );

  test('[ZON2] tells the four parts apart, however they are cut', () => {
    const parts = fc.array(fc.stringMatching(/^[a-z.",\]-]{0,4}$/), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const [one, other] = [a, b].map(([mesh, called, zone, namespace]) =>
          suffixOf({ mesh: mesh!, name: called!, zone: zone!, namespace: namespace! }, digest),
        );
        expect(one === other).toBe(a.every((part, index) => part === b[index]));
      }),
      { seed: 3, numRuns: 2000 },
    );
    expect(suffixOf({ mesh: 'a', name: 'bc', zone: '', namespace: '' }, digest)).not.toBe(
      suffixOf({ mesh: 'ab', name: 'c', zone: '', namespace: '' }, digest),
    );
  });

  test('[ZON2] differs among 50,000 neighbours', () => {
    const all = Array.from({ length: 50_000 }, (_, index) =>
      suffixOf({ ...backend, name: `p-${index}` }, digest),
    );
    expect(new Set(all).size).toBe(50_000);
  });

  test('[ZON2] uses all letters of its alphabet at every place', () => {
    const places = Array.from({ length: 16 }, () => new Set<string>());
    for (let index = 0; index < 2000; index++)
      for (const [at, letter] of [...suffixOf({ ...backend, name: `p-${index}` }, digest)].entries())
        places[at]!.add(letter);
    expect(places.map((letters) => letters.size)).toEqual(Array.from({ length: 16 }, () => 32));
  });
});

describe('the name of a copy', () => {
  test.each([
    ['backend', /^backend-[a-z0-9]{16}$/],
    ['Back_End', /^back-end-[a-z0-9]{16}$/],
    ['a.b', /^a\.b-[a-z0-9]{16}$/],
    ['a.-b', /^a\.b-[a-z0-9]{16}$/],
    ['..a..', /^a-[a-z0-9]{16}$/],
    ['___', /^[a-z0-9]{16}$/],
    ['__proto__', /^proto-[a-z0-9]{16}$/],
  ])('[ZON2] of %s is one of DNS', (written, expected) => {
    expect(name({ name: written })).toMatch(expected);
    expect(name({ name: written })).toMatch(dnsName);
  });

  test('[ZON2] is a single label where the kind asks for one', () => {
    expect(name({ name: 'a.b' }, 63)).toMatch(/^a-b-[a-z0-9]{16}$/);
  });

  test.each([
    [253, 236],
    [63, 46],
  ])('[ZON2] has at most %d characters: %d of the name and the suffix', (longest, room) => {
    const fits = name({ name: 'x'.repeat(room) }, longest);
    expect(fits).toHaveLength(longest);
    const cut = name({ name: 'x'.repeat(room + 1) }, longest);
    expect(cut).toHaveLength(longest);
    // What is cut off still counts.
    expect(cut).not.toBe(fits);
    expect(cut).not.toBe(name({ name: `${'x'.repeat(room)}y` }, longest));
    expect(name({ name: `${'x'.repeat(room - 1)}.y` }, longest)).toMatch(/^x+-[a-z0-9]{16}$/);
  });

  test('[ZON2] is one of DNS whatever a name may be', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9._-]{1,253}$/),
        fc.constantFrom(63, 253),
        (written, longest) => {
          const copy = name({ name: written }, longest);
          expect(copy.length).toBeLessThanOrEqual(longest);
          expect(copy).toMatch(dnsName);
          expect(copy.slice(-16)).toBe(suffixOf({ ...backend, name: written }, digest));
          if (longest === 63) expect(copy).not.toContain('.');
        },
      ),
      { seed: 5, numRuns: 2000 },
    );
  });
});
