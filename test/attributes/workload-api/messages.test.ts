import { beforeAll, describe, expect, it } from 'vitest';
import type { Checked } from '../../../src/attributes/evidence.ts';
import {
  jwtSvidRequest,
  readJwtBundles,
  readJwtSvids,
  readX509Bundles,
  readX509Svids,
} from '../../../src/attributes/workload-api/messages.ts';
import { fieldOf, fieldsOf } from '../../../src/attributes/workload-api/protobuf.ts';
import { credentialsOf, readOwnSvids } from '../../../src/attributes/workload-api/svid.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import { type Authority, authority, type Certificate, svid } from '../../support/certificates/index.ts';
import { bundleMessage, ders, svidEntry, svidMessage } from './server.ts';

const id = 'spiffe://td.example/ns/shop/sa/placet';
let home: Authority;
let own: Certificate;
beforeAll(async () => {
  home = await authority('td.example');
  own = await svid(home, id);
});

const refusal = (checked: Checked<unknown>) => (checked.ok ? 'accepted' : checked.refusal);
const refused = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) });
/** Field 1 as a number: a varint. */
const number = Uint8Array.from([0x08, 0x96, 0x01]);

describe('[WL4] messages', () => {
  it('[WL4] fields that nobody knows are skipped, of whatever type', () => {
    const fixed = [Uint8Array.from([0x11, ...new Uint8Array(8)]), Uint8Array.from([0x1d, 0, 0, 0, 0])];
    const unknown = [number, ...fixed, fieldOf(1_000, 'later'), fieldOf(2 ** 29 - 1, 'last')];
    expect([...fieldsOf(Buffer.concat([...unknown, fieldOf(7, 'a'), fieldOf(7, 'b')]), 9)]).toEqual([
      [1_000, [Buffer.from('later')]],
      [2 ** 29 - 1, [Buffer.from('last')]],
      [7, [Buffer.from('a'), Buffer.from('b')]],
    ]);
  });

  it.each<[string, number[], RegExp]>([
    ['a group', [0x0b], /wire type 3/],
    ['a wire type that is none', [0x0f], /wire type 7/],
    ['the field 0', [0x02, 0x00], /number 0/],
    ['a field number beyond the last', [0xfa, 0xff, 0xff, 0xff, 0x7f, 0x00], /the number/],
    ['a number that does not end', [0x08, 0x80], /ends inside a number/],
    ['a number that is too long', [0x08, ...Array<number>(10).fill(0x80), 0], /more than 10 bytes/],
    ['a field that is cut', [0x0a, 0x05, 0x61], /ends inside a field/],
    ['a length beyond everything', [0x0a, ...Array<number>(9).fill(0xff), 0x01], /ends inside a field/],
    ['a fixed field that is cut', [0x09, 0x00], /ends inside a field/],
  ])('[WL4] %s is refused', (_, given, message) => {
    for (const read of [readX509Svids, readX509Bundles, readJwtBundles, readJwtSvids])
      expect(refusal(read(Uint8Array.from(given)))).toEqual(refused('encoding', message));
  });

  it('[WL4] bytes of any sort are refused or read, and none throws', () => {
    const sound = svidMessage(svidEntry({ id, certificate: own, authority: home }));
    let refusals = 0;
    for (let i = 0; i < 2_000; i++) {
      const broken = Buffer.from(sound);
      const at = (i * 7_919) % broken.length;
      broken[at] = ((broken[at] ?? 0) + 1 + (i % 255)) & 0xff;
      const read = readX509Svids(i % 2 === 0 ? broken : broken.subarray(0, at));
      const taken = read.ok ? readOwnSvids(read.value, Date.now()) : read;
      if (!taken.ok) {
        refusals++;
        continue;
      }
      // The bundle is believed as it comes, and a key in PKCS #8 has parts that say nothing.
      expect(credentialsOf(taken.value[0])).toMatchObject({ cert: own.chain });
      expect(taken.value[0].spiffeId.toString()).toBe(id);
    }
    expect(refusals).toBeGreaterThan(1_500);
  });

  it('[WL4] so many fields, SVIDs and bundles, and not one more', () => {
    const many = (count: number, one: Uint8Array) => Buffer.concat(Array<Uint8Array>(count).fill(one));
    const svids = (count: number) =>
      readX509Svids(
        svidMessage(...Array<Uint8Array>(count).fill(svidEntry({ id, certificate: own, authority: home }))),
      );
    expect(refusal(readJwtBundles(many(limits.workloadFields, fieldOf(9, ''))))).toEqual(
      refused('encoding', /without bundles/),
    );
    expect(refusal(readJwtBundles(many(limits.workloadFields + 1, fieldOf(9, ''))))).toEqual(
      refused('encoding', /more than 10000 fields/),
    );
    expect(refusal(svids(limits.workloadSvids))).toBe('accepted');
    expect(refusal(svids(limits.workloadSvids + 1))).toEqual(refused('limit', /65 SVIDs/));
    const bundles = (count: number) =>
      readX509Bundles(
        bundleMessage(
          2,
          Object.fromEntries(Array.from({ length: count }, (_, i) => [`spiffe://td${i}`, ''])),
        ),
      );
    expect(refusal(bundles(limits.workloadBundles))).toBe('accepted');
    expect(refusal(bundles(limits.workloadBundles + 1))).toEqual(refused('limit', /1001 bundles/));
  });

  it('[WL4] what must be there and is not, or is there twice, is refused', () => {
    const entry = svidEntry({ id, certificate: own, authority: home });
    for (const name of ['id', 'chain', 'key', 'bundle'] as const) {
      const empty = svidEntry({ id, certificate: own, authority: home }, { [name]: '' });
      expect(refusal(readX509Svids(svidMessage(entry, empty)))).toEqual(refused('encoding', /empty/));
    }
    expect(refusal(readX509Svids(new Uint8Array()))).toEqual(refused('encoding', /without SVIDs/));
    expect(refusal(readX509Svids(svidMessage(Buffer.concat([entry, fieldOf(3, ders(own.key))]))))).toEqual(
      refused('encoding', /x509_svid_key twice/),
    );
    expect(
      refusal(readX509Svids(svidMessage(Buffer.concat([entry, fieldOf(5, Uint8Array.of(0xff))])))),
    ).toEqual(refused('encoding', /no UTF-8/));
    expect(refusal(readX509Bundles(number))).toEqual(refused('encoding', /without bundles/));
  });

  it('[WL4] a bundle is that of a trust domain, once', () => {
    const of = (...ids: readonly string[]) =>
      refusal(readX509Bundles(Buffer.concat(ids.map((one) => bundleMessage(2, { [one]: 'x' })))));
    expect(of('spiffe://td.example', 'spiffe://other')).toBe('accepted');
    expect(of('td.example')).toEqual(refused('spiffe-id', /no trust domain/));
    expect(of(id)).toEqual(refused('spiffe-id', /has no path/));
    expect(of('spiffe://td', 'spiffe://td')).toEqual(refused('encoding', /twice/));
    expect(of('')).toEqual(refused('encoding', /empty/));
  });

  it('[WL4] tokens come with their IDs, and are asked for by audience and ID', () => {
    const entry = Buffer.concat([fieldOf(1, id), fieldOf(2, 'a.b.c'), fieldOf(3, 'internal')]);
    expect(readJwtSvids(fieldOf(1, entry))).toEqual({
      ok: true,
      value: [{ spiffeId: id, token: 'a.b.c', hint: 'internal' }],
    });
    expect(refusal(readJwtSvids(fieldOf(1, fieldOf(1, id))))).toEqual(refused('encoding', /empty svid/));
    expect([...fieldsOf(jwtSvidRequest(['a', 'b'], id), 9)]).toEqual([
      [1, [Buffer.from('a'), Buffer.from('b')]],
      [2, [Buffer.from(id)]],
    ]);
    expect([...fieldsOf(jwtSvidRequest(['a']), 9)]).toEqual([[1, [Buffer.from('a')]]]);
  });
});
