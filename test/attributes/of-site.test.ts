import { describe, expect, it } from 'vitest';
import type { Known, Proof } from '../../src/attributes/identify.ts';
import { id, known, say, web } from './known.ts';

describe('[WHO6] of which site', () => {
  const siteOf = (proof: Proof, about: Known) => {
    const { said, complete } = say(proof, about);
    return [said['site:name'], complete['site:'], complete['cl:site:']];
  };
  const here = ['eu-1 configured', 'configured', 'configured'];
  const reported = ['eu-1 reported', 'reported', 'reported'];
  const anywhere = [undefined, undefined, undefined];
  const pods = { 'web-0': {}, 'web-1': { ip: '10.0.0.2' }, db: { account: 'db', ip: '10.0.0.3' } };
  const tags = { mesh: 'default', tags: { 'kuma.io/service': ['web'] } };
  const account = { namespace: 'shop', name: 'web', validUntil: 0 };

  it.each([
    ['an ID of its own', { spiffeId: web }, here],
    ['an ID of its own that names no pod', { spiffeId: id('spiffe://td/gateway') }, here],
    ['an ID of a peer', { spiffeId: id('spiffe://peer/ns/shop/sa/web') }, anywhere],
    ['an ID of nobody', { spiffeId: id('spiffe://elsewhere/x') }, anywhere],
    [
      'one of nobody by way of a pod',
      { spiffeId: id('spiffe://elsewhere/x'), address: '10.0.0.1' },
      anywhere,
    ],
    ['a token of its cluster', { account }, here],
    ['the address of a pod', { address: '10.0.0.1' }, reported],
    ['an address of nobody', { address: '8.8.8.8' }, anywhere],
    ['a certificate of a tag mesh', { tags }, anywhere],
    ['nothing', {}, anywhere],
  ] as const)('[WHO6] by %s', (_, proof: Proof, wanted) => {
    expect(siteOf(proof, known(pods))).toEqual(wanted);
  });

  it('[WHO6] an ID of a trust domain that other sites have too does not tell, unless with the address of its pod', () => {
    const about = known(pods, { sharedTrustDomains: ['td'] });
    expect(siteOf({ spiffeId: web }, about)).toEqual(anywhere);
    expect(siteOf({ spiffeId: web, address: '10.0.0.2' }, about)).toEqual(reported);
    expect(siteOf({ account }, about)).toEqual(here);
  });

  it('[WHO6] an ID whose documents say its site does not tell another', () => {
    const attributes = new Map([['site:name', 'us-1']]);
    const placed = { namespace: 'shop', name: 'web', spiffeId: web.toString(), attributes };
    const about = known(pods, {}, [placed]);
    expect(siteOf({ spiffeId: web }, about)).toEqual(anywhere);
    expect(siteOf({ spiffeId: id('spiffe://td/ns/shop/sa/db') }, about)).toEqual(here);
  });

  it('[WHO6] of a site that says no trust domain no ID is', () => {
    const about = known(pods, { ownTrustDomains: [] });
    expect(siteOf({ spiffeId: web }, about)).toEqual(anywhere);
    expect(siteOf({ address: '10.0.0.1' }, about)).toEqual(reported);
  });
});
