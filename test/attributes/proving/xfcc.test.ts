import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readXfcc, type XfccElement } from '../../../src/attributes/proving/xfcc.ts';
import { limits } from '../../../src/pdp/model/limits.ts';

const read = (text: string): readonly XfccElement[] => {
  const got = readXfcc(text);
  if (!got.ok) throw new Error(got.refusal.message);
  return got.value;
};

describe('x-forwarded-client-cert', () => {
  test('[SVC9] is read as Envoy writes it', () => {
    expect(
      read(
        'By=spiffe://a/fe;Hash=468ed33b;Subject="/C=US/ST=CA/CN=Test \\"Client\\", Inc.; x=y\\\\";URI=spiffe://a/b;DNS=x.example;DNS=y.example',
      ),
    ).toEqual([{ uris: ['spiffe://a/b'] }]);
    expect(read('By=spiffe://a/1;URI=spiffe://a/2, By=spiffe://a/3;URI=spiffe://a/4;URI=kuma://x/y')).toEqual(
      [{ uris: ['spiffe://a/2'] }, { uris: ['spiffe://a/4', 'kuma://x/y'] }],
    );
    expect(
      read('Cert="-----BEGIN%20CERTIFICATE-----%0AMA%2B%2F%0A";Chain="x%0A";Hash=1;Subject="";URI='),
    ).toEqual([{ cert: '-----BEGIN CERTIFICATE-----\nMA+/\n', chain: 'x\n', hash: '1', uris: [] }]);
  });

  test.each([
    ['', 'got no "key="'],
    ['URI', 'got no "key="'],
    ['URI="spiffe://a/b', 'never closed'],
    ['URI="spiffe://a/b\\"', 'never closed'],
    ['URI="a"b', 'want ";" or ","'],
    ['URI=a=b', 'want ";" or ","'],
    ['URI=a"b', 'want ";" or ","'],
    ['URI=a;', 'got no "key="'],
    ['URI=a,', 'got no "key="'],
    [',URI=a', 'got no "key="'],
    ['Cert=a;Cert=b', 'cert twice'],
    ['Hash=a;hash=b', 'hash twice'],
    ['URI=;URI=spiffe://a/b', 'an empty URI beside another'],
    ['DNS=a;URI=spiffe://a/b', 'a URI behind a DNS name'],
    ['Cert=%zz', 'not URL-encoded'],
  ])('[SVC9] %j is refused', (text, why) => {
    const got = readXfcc(text);
    expect(got.ok ? '' : got.refusal.message).toContain(why);
  });

  test('[SVC9] is bounded in length and in elements', () => {
    const most = Array.from({ length: limits.xfccElements }, () => 'URI=a').join(',');
    expect(read(most)).toHaveLength(limits.xfccElements);
    expect(readXfcc(`${most},URI=a`)).toMatchObject({ ok: false, refusal: { code: 'limit' } });
    const long = (length: number) => readXfcc(`URI=${'a'.repeat(length - 4)}`);
    expect(long(limits.xfccBytes).ok).toBe(true);
    expect(long(limits.xfccBytes + 1)).toMatchObject({ ok: false, refusal: { code: 'limit' } });
  });

  test('[SVC9] what is written in quotes is read back, whatever it is', () => {
    const value = fc
      .string({ unit: 'binary', maxLength: 12 })
      .filter((text) => !text.includes('\\') && text !== '');
    fc.assert(
      fc.property(
        fc.array(fc.array(value, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        (all) => {
          const text = all
            .map((uris) => uris.map((uri) => `URI="${uri.replaceAll('"', '\\"')}"`).join(';'))
            .join(',');
          expect(read(text).map(({ uris }) => uris)).toEqual(all);
        },
      ),
    );
  });

  test('[SVC9] nothing makes it throw', () => {
    const parts = fc.constantFrom(
      'URI=',
      'Cert=',
      'By=',
      '"',
      '\\',
      '\\"',
      ',',
      ';',
      '=',
      '%',
      '%41',
      'a',
      ' ',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(parts), (some) => {
        expect(readXfcc(some.join('')).ok).toBeTypeOf('boolean');
      }),
    );
  });
});
