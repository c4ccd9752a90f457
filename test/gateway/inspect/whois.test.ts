import { afterAll, beforeAll, expect, test } from 'vitest';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import type { Identified, Seen } from '../../../src/attributes/identify.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';
import { evidenceReader } from '../../../src/cli/serve/evidence.ts';
import type { Identification, Identify } from '../../../src/gateway/service.ts';
import type { Role, StatedValue } from '../../../src/pdp/model/request.ts';
import { cluster } from '../../attributes/known.ts';
import { openWorld, snapshotOf, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld('policies/50-tags', { inspector: {} as never, identify: reader() });
});
afterAll(() => world.close());

/** As `placet serve` has it, at a site with one pod. */
function reader(): Identify {
  const { snapshot } = snapshotOf('test/cli/serve/fixtures/sites.yaml');
  const bundles = new Bundles();
  const pods = cluster({ 'web-0': { labels: { app: 'web' } } });
  return evidenceReader({
    authorities: { bundles, verifier: new X509Verifier(bundles), audiences: [] },
    inventory: () => snapshot.inventory,
    xfcc: 'only',
    cluster: () => pods,
  });
}

test('[INSP3] evidence is identified as far as the caller is believed', async () => {
  const id = 'spiffe://td.example/ns/shop/sa/web';
  const whois = async (body: unknown, roles: readonly Role[]) =>
    (await world.post('/attributes/whois', body, { roles })).json;
  const trustOf = ({ values, outranked, complete, conflicts, source }: Identified & Identification) => ({
    told: [...values, ...outranked, ...conflicts.flatMap((one) => one.values)].map(({ trust }) => trust),
    complete: Object.values(complete),
    decided: Object.values(source.attributes ?? {}).map((one) => (one as StatedValue).trust),
    decidedComplete: Object.values(source.complete ?? {}),
  });
  const everything = { xfcc: `URI=${id}`, ip: '10.0.0.1' };
  const verified = await whois(everything, ['explain', 'relay']);
  expect(verified).toMatchObject({ spiffeId: id, conflicts: [], refused: [], source: { spiffeId: id } });
  expect(verified.values).toContainEqual(
    expect.objectContaining({ key: 'k8s:label:app', value: 'web', trust: 'observed' }),
  );
  for (const trusts of Object.values(trustOf(verified))) expect(trusts).toContain('attested');
  for (const roles of [['explain'], ['explain', 'assert', 'decide']] as const) {
    const told = await whois(everything, roles);
    expect(told.values.map(({ key }: Seen) => key)).toEqual(verified.values.map(({ key }: Seen) => key));
    for (const trusts of Object.values(trustOf(told))) expect(new Set(trusts)).toEqual(new Set(['asserted']));
  }
  const other = { xfcc: 'URI=spiffe://td.example/ns/shop/sa/other', ip: '10.0.0.1' };
  const contradicted = await whois(other, ['explain']);
  expect(contradicted.conflicts).toMatchObject([{ key: 'k8s:sa' }]);
  expect(new Set(trustOf(contradicted).told)).toEqual(new Set(['asserted']));
  expect((await whois({ jwt: 'x' }, ['explain'])).refused).toMatchObject([{ evidence: 'jwt' }]);
});

test.each([
  [{}, '(root)', /no evidence/],
  [[], '(root)', /want an object/],
  [{ ip: 7 }, 'ip', /want a string/],
  [{ ipp: 'x' }, 'ipp', /want "certificate", "xfcc", "jwt" or "ip"/],
])('[INSP3] %j is no evidence', async (body, field, says) => {
  const { status, json } = await world.post('/attributes/whois', body);
  expect([status, json.violations]).toEqual([
    400,
    [expect.objectContaining({ field, message: expect.stringMatching(says) })],
  ]);
});
