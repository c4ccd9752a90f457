import { describe, expect, test } from 'vitest';
import { defaultSkew } from '../../../src/attributes/jwt/claims.ts';
import { bootstrapDocument, ecdsDocument, filterDocument } from '../../../src/envoy/export/documents.ts';
import { filesIn } from '../../../src/envoy/export/wiring.ts';
import { toYaml } from '../../../src/envoy/export/yaml.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import { checkFilter } from '../proto/check.ts';
import { both, refusalOf } from './world.ts';

/** What is exported for clients that come with exchange tokens. */

const site = { type: 'Site', name: 'eu-1', local: true, gateway: 'spiffe://eu.example/gateway' };
const far = { type: 'Site', name: 'us-1', location: 'aws/us-east' };
const peer = (name: string, more: object = {}) => ({
  type: 'Peer',
  name,
  gateway: `spiffe://${name}.example/gateway`,
  trustDomains: [`${name}.example`, 'shared.example'],
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      kid: `${name}-e`,
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    },
    { kty: 'OKP', crv: 'Ed25519', kid: `${name}-d`, x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
  ],
  ...more,
});
const service = { type: 'Service', namespace: 'shop', name: 'pay' };
const expression = (key: string, operator: string, values?: string[], more: object = {}) => ({
  key,
  operator,
  ...(values === undefined ? {} : { values }),
  ...more,
});
const access = (name: string, action: string, ...matchExpressions: object[]) => ({
  type: 'AccessPolicy',
  namespace: 'shop',
  name,
  spec: {
    action,
    from: [{ workloadSelector: { matchExpressions } }],
    to: [{ workloadSelector: {} }],
  },
});
const policies = [
  access('readers', 'allow', expression('k8s:label:role', 'In', ['reader'], { trust: 'observed' })),
  access('not-guests', 'allowWithShadowDeny', expression('k8s:ns', 'NotIn', ['guests'])),
  access('no-interns', 'deny', expression('k8s:label:role', 'In', ['intern'])),
  access('from-us-east', 'allow', expression('site:location', 'In', ['aws/us-east'])),
  access('by-id', 'deny', expression('spiffe:id', 'In', ['spiffe://shared.example/ns/old'])),
];
const documents = [site, far, peer('us-1', { trustUpTo: 'observed' }), peer('ap-1'), service, ...policies];
const asked = { service: 'shop/pay' };
const exported = (...more: readonly object[]) =>
  both(...(more.length > 0 ? more : documents)).exporter.export(asked, { attributes: 'jwt' });

describe('tokens', () => {
  test('[XCH1] clocks may differ by as much as for all other tokens', () => {
    expect(limits.tokenSkewSeconds * 1000).toBe(defaultSkew);
  });

  test('[ENV19] jwt_authn, the script, and RBAC that reads what they leave', async () => {
    const { filters, report } = exported();
    expect(filters.flatMap(checkFilter)).toEqual([]);
    expect(filters.map(({ name }) => name)).toEqual([
      'envoy.filters.http.jwt_authn',
      'envoy.filters.http.lua',
      'envoy.filters.http.rbac',
    ]);
    expect(report.policies.map((one) => one.class)).toEqual(policies.map(() => 'exact'));
    await expect(toYaml(filterDocument(exported()))).toMatchFileSnapshot('documents/tokens.golden.yaml');
  });

  test('[ENV16] [ENV19] peers in any order give the same bytes', () => {
    const text = (list: readonly object[]) => toYaml(filterDocument(exported(...list)));
    expect(text(documents.toReversed())).toBe(text(documents));
  });

  test('[ENV19] everything read of a token stands beside whose it is', () => {
    const [, , rbac] = exported().filters;
    const rules = JSON.stringify(rbac).split('"token-refused"').at(-1) ?? '';
    const reads = rules.match(/jwt_payload"},{"key":"(attributes|trust|sub)/g) ?? [];
    expect(reads.length).toBeGreaterThan(8);
    const beside: unknown[] = [];
    const walk = (value: unknown, issued: boolean): void => {
      if (typeof value !== 'object' || value === null) return;
      const text = JSON.stringify(value);
      // In a tree the gateway's ID is the key that leads here; its word is asked for all the same.
      const issuer =
        /"key":"iss"\}\]\}\},"custom_match".{0,200}"exact":"spiffe:\/\/(us|ap)-1\.example\/gateway"/;
      const here = issued || ('and_matcher' in value && issuer.test(text));
      const key = /"key":"(attributes|trust)"/.exec(text)?.[0];
      if ('single_predicate' in value && key !== undefined) beside.push(here);
      for (const inner of Object.values(value)) walk(inner, here);
    };
    walk(rbac?.typed_config['matcher'], false);
    expect(beside.length).toBeGreaterThan(4);
    expect(beside).toEqual(beside.map(() => true));
  });

  test('[ENV20] what it relies on is listed, and whose certificates are believed', () => {
    const { relies_on, shared_identities } = exported().report;
    expect(relies_on).toContainEqual({
      on: 'exchange-tokens',
      header: 'x-placet-token',
      audience: 'spiffe://eu.example/gateway',
      export: 'shop/pay',
      peers: ['ap-1', 'us-1'].map((name) => ({
        name,
        gateway: `spiffe://${name}.example/gateway`,
        keys: [`${name}-e`, `${name}-d`],
      })),
    });
    expect(relies_on).toContainEqual({
      on: 'token-checks',
      filter: 'envoy.filters.http.lua',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(relies_on).toContainEqual({ on: 'clock', within_seconds: 30 });
    expect(relies_on).toContainEqual({
      on: 'trust-bundles',
      validator: 'envoy.tls.cert_validator.spiffe',
      trust_domains: ['ap-1.example', 'us-1.example'],
    });
    expect(relies_on).toContainEqual({
      on: 'inventory',
      snapshot: expect.stringMatching(/./),
      attributes: ['site:location'],
    });
    expect(shared_identities).toEqual([]);
  });

  test('[ENV19] a bootstrap has the three in their order; one file has no room for them', () => {
    const wiring = {
      listen: { host: '::', port: 1 },
      upstream: { host: '::1', port: 1 },
      ...filesIn('/tls'),
    };
    const text = JSON.stringify(bootstrapDocument(exported(), wiring));
    const at = ['jwt_authn', 'http.lua', 'http.rbac', 'http.router'].map((one) =>
      text.indexOf(`"envoy.filters.${one.includes('http') ? '' : 'http.'}${one}"`),
    );
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at[0]).toBeGreaterThan(0);
    expect(refusalOf(() => ecdsDocument(exported())).code).toBe('form');
  });

  test('[ENV20] refused without peers, without a gateway, by connections, by an Envoy that was not tried', () => {
    const refused = (options: object, ...list: readonly object[]) => {
      const { code, message } = refusalOf(() =>
        both(...list).exporter.export(asked, { attributes: 'jwt', ...options }),
      );
      return `${code}: ${message}`;
    };
    expect([
      refused({}, site, service, ...policies),
      refused({}, { ...site, gateway: undefined }, peer('us-1'), service, ...policies),
      refused({ filter: 'network' }, ...documents),
      refused({ targetVersion: '1.39' }, ...documents),
    ]).toEqual([
      'exchange: got attributes out of tokens and no peer, want at least one Peer, whose gateway makes them',
      'exchange: got attributes out of tokens and no gateway of this site, want the one that they are for',
      'protocol: got the filter network with attributes out of tokens, want http: a token comes with a request',
      'version: got Envoy 1.39, want 1.40 or later: it is the first with what tokens are checked with, as far as that was tried',
    ]);
  });
});
