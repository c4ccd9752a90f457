import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBundle } from '../../../src/attributes/bundles/document.ts';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import {
  type Authority,
  makeAuthority,
  makeSvid,
  makeTagCertificate,
} from '../../../src/attributes/x509/make.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';
import { evidenceReader } from '../../../src/cli/serve/evidence.ts';
import { join } from '../../../src/gateway/decide/join.ts';
import type { Identify } from '../../../src/gateway/service.ts';
import type { Role } from '../../../src/pdp/model/request.ts';
import { channelOf, type Request, type RequestSource } from '../../../src/pdp/model/request.ts';
import { signer } from '../../attributes/jwt/tokens.ts';
import { openWorld, snapshotOf, type World } from '../world.ts';

const policies = 'test/gateway/fixtures/mesh.yaml';
const from = new Date(Date.now() - 60_000);
const until = (seconds: number) => ({ notBefore: from, notAfter: new Date(Date.now() + seconds * 1_000) });
const web = 'spiffe://td.example/ns/shop/sa/web';
const relaying: readonly Role[] = ['decide', 'relay', 'explain'];

let authority: Authority;
let other: Authority;
let tagged: Authority;
let world: World;
const jwt = signer();

let readerFor: (xfcc: 'only' | 'last' | 'first') => Identify;
beforeAll(async () => {
  [authority, other, tagged] = await Promise.all([
    makeAuthority('td.example', until(3_600)),
    makeAuthority('td.example', until(3_600)),
    makeAuthority('old', until(3_600)),
  ]);
  const bundles = new Bundles();
  for (const [name, { certificate }] of Object.entries({ 'td.example': authority, old: tagged })) {
    const read = readBundle(name, certificate);
    if (read.ok) bundles.load(name, read.value, Date.now());
  }
  bundles.load(
    'keys',
    { trustDomain: 'td.example', authorities: [], keys: new Map([[jwt.kid, jwt.publicKey]]) },
    0,
  );
  const { snapshot } = snapshotOf(policies);
  const authorities = { bundles, verifier: new X509Verifier(bundles), audiences: ['placet'] };
  readerFor = (xfcc) => evidenceReader({ authorities, inventory: () => snapshot.inventory, xfcc });
  world = await openWorld(policies, { identify: readerFor('last') });
});
afterAll(() => world.close());

const svid = (id = web, by = authority, seconds = 600) => makeSvid(by, id, until(seconds));
const token = (claims: object = {}) =>
  jwt.sign({ sub: web, aud: ['placet'], exp: Math.floor(Date.now() / 1_000) + 600, ...claims });
const destination = { dataplane: 'api-1' };
const ask = (source: object, roles: readonly Role[] = relaying, more: object = {}) =>
  world.post('/decide', { source, destination, ...more }, { roles }).then(({ json }) => json);

describe('evidence in a body', () => {
  test('[SVC3] a certificate, in PEM or as DER, and a header of Envoy name the client, attested for callers that relay', async () => {
    const { certificate } = await svid();
    const der = certificate.replaceAll(/-----[A-Z ]+-----|\s/g, '');
    const header = `By=spiffe://td.example/x;URI=${web};Cert="${encodeURIComponent(certificate)}"`;
    for (const evidence of [
      { certificate },
      { certificate: der },
      { xfcc: header },
      { xfcc: `URI=spiffe://td.example/ns/x/sa/first,${header}` },
      { xfcc: `URI=${web}` },
      { jwt: await token() },
      { certificate, xfcc: header, jwt: await token() },
    ]) {
      expect(await ask(evidence)).toMatchObject({ decision: 'allow', trust: 'attested', reason: 'rule' });
      // The policy asks for what is at least reported.
      expect(await ask(evidence, ['decide', 'explain'])).toMatchObject({
        decision: 'deny',
        reason: 'default',
      });
      expect(world.decided.at(-1)).toMatchObject({ channel: { identity: 'asserted' } });
      expect(world.decided.at(-1)?.evidence?.()).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  test('[SVC9] what a header says of one client must be of one: certificate, chain, hash and URI', async () => {
    const [mine, others] = await Promise.all([svid(), svid('spiffe://td.example/ns/shop/sa/other')]);
    const [own, other] = [mine, others].map(({ certificate }) => encodeURIComponent(certificate));
    const hash = new X509Certificate(mine.certificate).fingerprint256.replaceAll(':', '');
    for (const xfcc of [`Hash=${hash};Cert=${own};Chain=${own}`, `Hash=${hash.toLowerCase()};Cert=${own}`])
      expect(await ask({ xfcc })).toMatchObject({ decision: 'allow' });
    for (const xfcc of [
      `Hash=${hash};Cert=${other}`,
      `Hash=${hash};Cert=${own};Chain=${other}`,
      `Cert=${own};Chain=${other}`,
      `Cert=${other};Chain=${own}`,
      `Cert=${own};URI=spiffe://td.example/ns/shop/sa/other`,
    ])
      expect(await ask({ xfcc })).toMatchObject({
        decision: 'deny',
        reason: xfcc.startsWith('Hash') ? 'invalid-source' : 'conflict',
      });
  });

  test('[SVC9] a header of several is nobody’s, unless the configuration says whose', async () => {
    const xfcc = `URI=spiffe://td.example/ns/x/sa/first,URI=${web}`;
    const who = async (which: 'only' | 'last' | 'first', header: string) => {
      const { source, refused } = await readerFor(which)({ xfcc: header });
      return source.spiffeId ?? refused.map(({ refusal }) => refusal.message).join();
    };
    expect(await who('only', `URI=${web}`)).toBe(web);
    expect(await who('only', xfcc)).toBe('x-forwarded-client-cert: got 2 elements, want one');
    expect(await who('last', xfcc)).toBe(web);
    expect(await who('first', xfcc)).toBe('spiffe://td.example/ns/x/sa/first');
  });

  test('[SVC3] [SVC9] a certificate of a tag mesh names mesh and tags, whatever else is said of it', async () => {
    const tags = new Map([['kuma.io/service', ['web']]]);
    const { certificate } = await makeTagCertificate(tagged, 'old', tags, until(600));
    const source = { certificate };
    const to = { destination: { mesh: 'old', dataplane: 'old-1' } };
    expect(await ask(source, relaying, to)).toMatchObject({ decision: 'allow', trust: 'attested' });
    for (const xfcc of [
      'URI=spiffe://old/web;URI=kuma://kuma.io/service/web',
      'URI=spiffe://old/web',
      `Cert="${encodeURIComponent(certificate)}";URI=spiffe://old/web`,
    ])
      expect(await ask({ xfcc }, relaying, to)).toMatchObject({ decision: 'allow', trust: 'attested' });
    expect(await ask({ xfcc: 'URI=spiffe://old/other' }, relaying, to)).toMatchObject({ decision: 'deny' });
    // Of two clients neither is believed, whatever each of them may do.
    const two = `Cert="${encodeURIComponent(certificate)}";URI=spiffe://old/other`;
    for (const both of [{ certificate, xfcc: 'URI=spiffe://old/other' }, { xfcc: two }])
      expect(await ask(both, relaying, to)).toMatchObject({ decision: 'deny', reason: 'conflict' });
    const alike = { certificate, xfcc: 'URI=spiffe://old/web' };
    expect(await ask(alike, relaying, to)).toMatchObject({ decision: 'allow' });
  });

  test('[SVC5] evidence that is refused is a denial, with its reason for callers with the role explain', async () => {
    const { certificate } = await svid(web, other);
    const refused = await ask({ certificate });
    expect(refused).toMatchObject({ decision: 'deny', reason: 'invalid-source', ttl: 0 });
    expect(refused.refused).toEqual([
      expect.objectContaining({ evidence: 'certificate', code: 'signature' }),
    ]);
    const bad = await ask({ jwt: await token({ aud: ['somebody'] }) });
    expect([bad.reason, bad.refused[0].code]).toEqual(['token-refused', 'audience']);
    const both = await ask({ certificate, jwt: await token({ aud: ['somebody'] }) });
    expect([both.reason, both.refused.length]).toEqual(['invalid-source', 2]);
    for (const evidence of [
      { certificate: 'x' },
      { xfcc: 'URI' },
      { xfcc: 'URI=spiffe://td.example' },
      { ip: '1.2' },
    ])
      expect((await ask(evidence)).reason).toBe('invalid-source');
    expect((await ask({ certificate }, ['decide', 'relay'])).refused).toBeUndefined();
    // One good piece does not make up for a bad one.
    expect((await ask({ certificate: (await svid()).certificate, jwt: 'a.b.c' })).reason).toBe(
      'token-refused',
    );
  });

  test('[SVC4] pieces of different clients, and what the caller states otherwise, contradict each other', async () => {
    const { certificate } = await svid();
    const jwtOfOther = await token({ sub: 'spiffe://td.example/ns/shop/sa/other' });
    for (const source of [
      { certificate, jwt: jwtOfOther },
      { certificate, xfcc: 'URI=spiffe://td.example/ns/shop/sa/other' },
      { certificate, spiffeId: 'spiffe://td.example/ns/shop/sa/other' },
      { certificate, attributes: { 'spiffe:id': 'spiffe://td.example/ns/shop/sa/other' } },
    ])
      expect(await ask(source)).toMatchObject({ reason: 'conflict', keys: ['spiffe:id'], decision: 'deny' });
    expect(await ask({ certificate, attributes: { 'k8s:ns': 'other' } })).toMatchObject({
      reason: 'conflict',
      keys: ['k8s:ns'],
    });
    expect(await ask({ certificate, spiffeId: web, attributes: { 'k8s:ns': 'shop' } })).toMatchObject({
      decision: 'allow',
    });
  });

  test('[SVC2] an explanation says what the decision says, of a denial before any policy too', async () => {
    const { certificate } = await svid();
    const jwtOfOther = await token({ sub: 'spiffe://td.example/ns/shop/sa/other' });
    for (const [source, reason, words] of [
      [{ certificate }, 'rule', undefined],
      [{ certificate, jwt: jwtOfOther }, 'conflict', /differ on spiffe:id/],
      [{ certificate, attributes: { 'k8s:ns': 'other' } }, 'conflict', /differ on k8s:ns/],
      [{ certificate, jwt: 'a.b.c' }, 'token-refused', /^jwt \(/],
      [{ certificate: 'x' }, 'invalid-source', /^certificate \(/],
    ] as const) {
      const said = await ask(source, relaying, { explain: true });
      expect(said.reason).toBe(reason);
      for (const field of ['decision', 'reason', 'by', 'tier', 'shadow', 'keys'])
        expect(said.explanation.decision[field], `${reason} ${field}`).toEqual(said[field]);
      if (words === undefined) continue;
      expect(said.explanation).toMatchObject({ rules: [], guard: { reason } });
      expect(said.explanation.guard.message).toMatch(words);
    }
  });

  test('[SVC6] a decision holds no longer than the evidence', async () => {
    const { certificate } = await svid(web, authority, 4);
    const { ttl, decision } = await ask({ certificate });
    expect(decision).toBe('allow');
    expect(ttl).toBeLessThan(5);
    expect((await ask({ certificate: (await svid()).certificate })).ttl).toBe(5);
  });

  test.each<[string, string, object]>([
    ['source.certificate', 'type', { certificate: 7 }],
    ['source.xfcc', 'empty', { xfcc: '' }],
    ['source.jwt', 'limit', { jwt: 'x'.repeat(20_000) }],
    ['source.ip', 'type', { ip: null }],
    ['source.spiffeid', 'unknown-field', { ip: '::1', spiffeid: 'x' }],
    ['source.certficate', 'unknown-field', { certficate: 'x' }],
  ])('[SVC10] %s: %s', async (field, code, source) => {
    const { status, json } = await world.post('/decide', { source, destination });
    expect([status, json.violations]).toEqual([400, [expect.objectContaining({ field, code })]]);
  });
});

describe('what is stated beside evidence', () => {
  const request = (source: RequestSource, more: Partial<Request> = {}): Request => ({
    source,
    destination: { service: 'a/b' },
    ...more,
  });
  const proved: RequestSource = {
    spiffeId: web,
    attributes: {
      'spiffe:id': { value: web, trust: 'attested' },
      'k8s:label:app': { value: 'web', trust: 'observed' },
      'k8s:label:shared': { unknown: 'shared-identity', pods: ['a'] },
      'k8s:label:weak': { value: 'x', trust: 'asserted' },
    },
    complete: { 'k8s:': 'observed', 'spiffe:': 'attested' },
  };
  const both = { ...channelOf('assert'), identity: 'attested' } as const;

  test('[SVC4] the better source counts, each value with its own trust', () => {
    const stated = {
      attributes: {
        'k8s:label:app': 'other',
        'k8s:label:shared': 'mine',
        'k8s:label:weak': { value: 'y', trust: 'attested' },
        'k8s:label:new': 'z',
        'site:name': { value: 'eu', trust: 'attested', since: 7 },
      },
      complete: { 'site:': 'attested' },
    } as const;
    const joined = join(request(stated), proved, both, 0);
    expect(joined.conflicts).toEqual([]);
    expect(joined.request.source).toEqual({
      spiffeId: web,
      attributes: {
        ...proved.attributes,
        'k8s:label:weak': { value: 'y', trust: 'reported' },
        'site:name': { value: 'eu', trust: 'reported', since: 7 },
      },
      complete: { 'k8s:': 'observed', 'spiffe:': 'attested', 'site:': 'reported' },
    });
    expect(joined.channel).toEqual({ ...both, ceiling: 'attested' });
  });

  test('[SVC4] what is stated of the destination is worth what the caller is', () => {
    const destination = { attributes: { a: 'b', c: { value: 'd', trust: 'attested' } } } as const;
    const joined = join(request({}, { destination }), proved, channelOf('relay'), 0);
    expect(joined.request.destination.attributes).toEqual({
      a: { value: 'b', trust: 'asserted' },
      c: { value: 'd', trust: 'asserted' },
    });
  });

  test('[SVC4] an identity that has parts of both is worth the weaker one', () => {
    const asserting = channelOf('assert');
    const low: RequestSource = {
      spiffeId: web,
      attributes: { 'spiffe:id': { value: web, trust: 'asserted' } },
    };
    const identity = (stated: RequestSource, source: RequestSource, channel = asserting) =>
      join(request(stated), source, channel, 0).channel.identity;
    expect(identity({}, low)).toBe('asserted');
    expect(identity({ spiffeId: web }, low)).toBe('reported');
    expect(identity({ tags: { a: 'b' } }, low)).toBe('asserted');
    expect(identity({ tags: { a: 'b' } }, proved)).toBe('reported');
    expect(identity({ tags: { a: 'b' } }, proved, channelOf('relay'))).toBe('attested');
    expect(identity({ spiffeId: web }, {}, channelOf('decide'))).toBe('asserted');
  });

  test('[SVC4] the certificate of a tag mesh leaves nothing to state of tags', () => {
    const ofTags: RequestSource = { mesh: 'm', tags: { a: 'b' }, complete: { 'kuma:tag:': 'attested' } };
    const joined = join(request({ mesh: 'x', tags: { c: 'd' } }), ofTags, both, 0);
    expect(joined.request.source).toMatchObject({ mesh: 'm', tags: { a: 'b' } });
    expect(join(request({ spiffeId: web }), ofTags, both, 0).conflicts).toEqual(['spiffe:id']);
  });
});
