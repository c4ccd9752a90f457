import { describe, expect, test } from 'vitest';
import type { Mesh } from '../../../src/pdp/model/inventory.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import { readTagCertificate, tagUri } from '../../../src/pdp/model/tag-certificate.ts';
import { formatViolation } from '../../../src/pdp/model/violation.ts';

function mesh(name: string, certificates: Mesh['certificates']): [string, Mesh] {
  return [name, { name, certificates, accessPolicies: 'denies', trustDomains: [] }];
}

const meshes = new Map([mesh('mesh-1', 'tags'), mesh('mesh-2', 'tags'), mesh('plain', 'spiffe')]);

function read(...uris: string[]) {
  const found = readTagCertificate(uris, meshes);
  return 'identity' in found ? found.identity : found.violations.map(formatViolation);
}

const backend = 'spiffe://mesh-1/backend';

test('[CERT1] the worked example: service, zone and version', () => {
  expect(read(backend, 'kuma://kuma.io/zone/us-east', 'kuma://version/v1')).toEqual({
    mesh: 'mesh-1',
    tags: { 'kuma.io/zone': ['us-east'], version: ['v1'], 'kuma.io/service': ['backend'] },
  });
});

test('[CERT1] a tag has as many values as it has URIs, and a second equal one means nothing', () => {
  expect(
    read(backend, 'spiffe://mesh-1/admin', 'kuma://version/v1', 'kuma://version/v2', 'kuma://version/v1'),
  ).toEqual({ mesh: 'mesh-1', tags: { version: ['v1', 'v2'], 'kuma.io/service': ['backend', 'admin'] } });
});

test('[CERT2] both ways to name the service agree', () => {
  expect(read(backend, 'kuma://kuma.io/service/backend')).toMatchObject({
    tags: { 'kuma.io/service': ['backend'] },
  });
  expect(read(backend, 'kuma://kuma.io/service/web')).toEqual([
    '[1]: got the service "web", which no "spiffe://" URI names',
    '[0]: got the service "backend", which no "kuma://kuma.io/service/" URI names',
  ]);
  expect(read(backend, 'spiffe://mesh-1/web', 'kuma://kuma.io/service/web')).toEqual([
    '[0]: got the service "backend", which no "kuma://kuma.io/service/" URI names',
  ]);
});

describe('[CERT3] the last slash parts tag and value, and a value has one spelling', () => {
  test.each([
    ['kuma://a/b/c/d', 'a/b/c', 'd'],
    ['kuma://path/a%2Fb', 'path', 'a/b'],
    ['kuma://note/50%25', 'note', '50%'],
    ['kuma://note/caf%C3%A9', 'note', 'café'],
    ['kuma://note/a:b@c,d;e=f$g&h+i', 'note', 'a:b@c,d;e=f$g&h+i'],
    ['kuma://note/!v1', 'note', '!v1'],
    ['kuma://constructor/__proto__', 'constructor', '__proto__'],
    ['kuma://__proto__/x', '__proto__', 'x'],
  ])('%s', (uri, key, value) => {
    const identity = read(backend, uri) as unknown as { tags: Record<string, string[]> };
    expect(Object.getOwnPropertyDescriptor(identity.tags, key)?.value).toEqual([value]);
  });

  test.each([
    ['kuma://version', '[1]: got "version", want "<tag>/<value>"'],
    ['kuma:///v1', '[1]: got "/v1", want "<tag>/<value>"'],
    ['kuma://version/', '[1]: got an empty part in "version/", want "<tag>/<value>"'],
    ['kuma://kuma.io//us', '[1]: got an empty part in "kuma.io//us", want "<tag>/<value>"'],
    ['kuma://note/%4', '[1]: got "%4", in which an escape is broken'],
    ['kuma://note/%C3', '[1]: got "%C3", in which an escape is broken'],
    ['kuma://note/a%2fb', '[1]: got "a%2fb", which has another spelling (write "a%2Fb")'],
    [
      'kuma://kuma.io%2Fzone/us',
      '[1]: got "kuma.io%2Fzone/us", which has another spelling (write "kuma.io/zone/us")',
    ],
    ['kuma://note/%41', '[1]: got "%41", which has another spelling (write "A")'],
    ['kuma://note/a b', '[1]: got "a b", which has another spelling (write "a%20b")'],
    ['kuma://note/v1?x', '[1]: got "v1?x", which has another spelling (write "v1%3Fx")'],
    ['kuma://note/café', '[1]: got "café", which has another spelling (write "caf%C3%A9")'],
    ['kuma://note/\ud800', '[1]: got "\\ud800", in which an escape is broken'],
    ['kuma://note/a%00b', '[1]: got "a%00b", which holds a control character'],
    ['KUMA://note/a', '[1]: got "KUMA://note/a", want a URI that starts with "spiffe://" or "kuma://"'],
    ['https://x/y', '[1]: got "https://x/y", want a URI that starts with "spiffe://" or "kuma://"'],
  ])('%s is refused', (uri, reason) => {
    expect(read(backend, uri)).toEqual([reason]);
  });
});

test('[CERT3] what is written is read as it was', () => {
  for (const key of ['team', 'kuma.io/zone', 'my team', '50%', 'naïve?'])
    for (const value of ['a/b', 'x%y', 'x%2Fy', 'é #?&', 'a:b@c,d;e=f$g&h+i']) {
      const identity = read(backend, tagUri(key, value)) as unknown as { tags: Record<string, string[]> };
      expect(identity.tags[key]).toEqual([value]);
    }
});

describe('[CERT4] one mesh, named by a SPIFFE URI of one segment', () => {
  test.each([
    [[], '(root): got no "spiffe://" URI, want "spiffe://<mesh>/<service>": it names the mesh'],
    [
      ['kuma://version/v1'],
      '(root): got no "spiffe://" URI, want "spiffe://<mesh>/<service>": it names the mesh',
    ],
    [
      [backend, 'spiffe://mesh-2/web'],
      '[1]: got the mesh "mesh-2", want "mesh-1" as in the first URI that names one',
    ],
    [['spiffe://mesh-1/ns/a/sa/b'], '[0]: got a path of 4 segments, want one, the name of the service'],
    [['spiffe://mesh-1'], '[0]: got a path of 0 segments, want one, the name of the service'],
  ])('%j', (uris, reason) => {
    expect(read(...uris)).toEqual([reason]);
  });

  test('a SPIFFE URI that is no SPIFFE ID says what is wrong with it', () => {
    expect(read('spiffe://Mesh/backend')).toHaveLength(1);
    expect(read('spiffe://mesh-1/a%2Fb')).toHaveLength(1);
  });

  test('all that is wrong is said at once', () => {
    expect(read('spiffe://mesh-1', 'kuma://x', 'urn:y')).toHaveLength(3);
  });
});

test('[CERT5] only of meshes that say so', () => {
  expect(read('spiffe://plain/backend')).toEqual([
    '[0]: got a certificate of tags for the mesh "plain", whose clients carry SPIFFE IDs (write "certificates: tags" in the Mesh document if they do not)',
  ]);
  expect(read('spiffe://none/backend')).toEqual(['[0]: got the mesh "none", which no document names']);
});

test('[CERT3] limits hold, and end where they say', () => {
  const values = (count: number) => Array.from({ length: count }, (_, i) => `kuma://t/v${i}`);
  expect(read(backend, ...values(limits.tagValues))).toHaveProperty('mesh');
  expect(read(backend, ...values(limits.tagValues + 1))).toEqual([
    '(root): got 65 values of "t", want at most 64',
  ]);
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `kuma://t${i}/v`);
  expect(read(backend, ...keys(limits.attributes + 1))).toHaveLength(1);
  const long = (length: number) => `kuma://t/${'a'.repeat(length)}`;
  expect(read(backend, long(limits.attributeValueBytes))).toHaveProperty('mesh');
  expect(read(backend, long(limits.attributeValueBytes + 1))).toHaveLength(1);
  const key = (length: number) => `kuma://${'a'.repeat(length)}/v`;
  expect(read(backend, key(limits.attributeKeyBytes))).toHaveProperty('mesh');
  expect(read(backend, key(limits.attributeKeyBytes + 1))).toHaveLength(1);
});
