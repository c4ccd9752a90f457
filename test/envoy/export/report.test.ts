import { describe, expect, test } from 'vitest';
import { type Asked, both, Chain } from './world.ts';

/** What an export says of itself: whom it answers for, and what it relies on. */

const mesh = { type: 'Mesh', name: 'm', trustDomains: ['td'] };
const plane = {
  type: 'Dataplane',
  mesh: 'm',
  name: 'd',
  inbounds: [
    { name: 'http', port: 80, protocol: 'http' },
    { name: 'tcp', port: 81, protocol: 'tcp' },
  ],
};
const http = { mesh: 'm', dataplane: 'd', inbound: 'http' };
const permission = (name: string, lists: object, targetRef: object = {}) => ({
  type: 'MeshTrafficPermission',
  mesh: 'm',
  name,
  spec: { targetRef, default: lists },
});
const exact = (value: string) => ({ spiffeId: { type: 'Exact', value } });
const workload = (name: string, account: string, labels: Record<string, string>) => ({
  type: 'Workload',
  namespace: 'shop',
  name,
  labels,
  serviceAccount: account,
  spiffeId: `spiffe://td/ns/shop/sa/${account}`,
});

describe('what must hold around the filters', () => {
  const on = (...lists: object[]) => {
    const { exporter } = both(mesh, plane, ...lists.map((one, i) => permission(`p${i}`, one)));
    return exporter.export(http).report.relies_on;
  };

  test('[ENV15] always: certificates, their bundles, and the place of the filter', () => {
    expect(on({ allow: [exact('spiffe://other/a')], deny: [exact('spiffe://foe/a')] })).toEqual([
      { on: 'envoy-version', at_least: '1.35' },
      { on: 'client-certificate', require_client_certificate: true },
      { on: 'trust-bundles', validator: 'envoy.tls.cert_validator.spiffe', trust_domains: ['other', 'td'] },
      {
        on: 'x509-svids',
        id: 'of a workload, with a path',
        key_usage: 'critical, with digitalSignature, without keyCertSign and cRLSign',
        extended_key_usage: 'none, or serverAuth and clientAuth',
        extended_key_usage_of_signers: 'none, any, or serverAuth and clientAuth',

        algorithms: 'RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519; SHA-256, SHA-384 or SHA-512',
        name_constraints: 'none on any signer',
        at_most_bytes: 16_384,
        signers: 'in the bundle, where ext_authz asks by gRPC',
      },
      {
        on: 'no-session-resumption',
        disable_stateless_session_resumption: true,
        disable_stateful_session_resumption: true,
      },
      { on: 'open-connections', certificate: 'as it was when the connection began' },
      { on: 'lengths', path: 16_384, method: 64, server_name: 253 },
      { on: 'filter-order', first: ['envoy.filters.http.rbac'] },
      { on: 'no-per-route-override', filters: ['envoy.filters.http.rbac'], except: [] },
    ]);
  });

  test('[ENV15] normalised paths where paths are read, in either world; the inspector where server names are', () => {
    const normal = { on: 'path-normalisation', normalize_path: true, merge_slashes: true };
    const inspector = { on: 'server-name', listener_filter: 'envoy.filters.listener.tls_inspector' };
    expect(on({ allow: [{ path: { type: 'Exact', value: '/a' } }] })).toContainEqual(normal);
    expect(on({ allowWithShadowDeny: [{ path: { type: 'Exact', value: '/a' } }] })).toContainEqual(normal);
    expect(on({ allow: [{ method: 'GET' }] })).not.toContainEqual(normal);
    expect(on({ deny: [{ sni: { type: 'Exact', value: 'a.mesh' } }] })).toContainEqual(inspector);
  });

  test('[ENV15] for certificates of tags a sound authority', () => {
    const { exporter } = both({ type: 'Mesh', name: 'm', certificates: 'tags' }, plane, {
      type: 'MeshTrafficPermission',
      mesh: 'm',
      name: 'p',
      spec: { from: [{ targetRef: { kind: 'Mesh', mesh: 'other' }, default: { action: 'Allow' } }] },
    });
    const { relies_on } = exporter.export(http).report;
    expect(relies_on).toContainEqual({ on: 'tag-certificates', meshes: ['m', 'other'] });
    expect(relies_on).toContainEqual({
      on: 'filter-order',
      first: ['placet.rbac.deny', 'placet.rbac.allow'],
    });
  });
});

describe('attributes that Envoy cannot see', () => {
  const labelled = permission('p', { allow: [{ dataplaneLabels: { app: 'web' } }] });
  const ids = (text: string) => [...text.matchAll(/spiffe:\/\/td\/ns\/[a-z/]*/g)].map(([id]) => id);

  test('[ENV6] an allow holds for the IDs known to have them; who shares an ID and differs is named', () => {
    const { exporter, loaded } = both(
      mesh,
      plane,
      labelled,
      workload('web-1', 'web', { app: 'web' }),
      workload('web-2', 'web', { app: 'web' }),
      workload('db-1', 'db', { app: 'db' }),
      workload('mixed-1', 'mixed', { app: 'web' }),
      workload('mixed-2', 'mixed', { app: 'db' }),
    );
    const { filters, report } = exporter.export(http);
    expect(new Set(ids(JSON.stringify(filters)))).toEqual(new Set(['spiffe://td/ns/shop/sa/web']));
    expect(report.shared_identities).toEqual([
      {
        id: 'spiffe://td/ns/shop/sa/mixed',
        key: 'k8s:label:app',
        pods: ['shop/mixed-1', 'shop/mixed-2'],
      },
    ]);
    expect(report.relies_on).toContainEqual({
      on: 'inventory',
      snapshot: loaded.snapshot,
      attributes: ['k8s:label:app'],
    });
    expect(report.policies[0]?.notes[0]).toContain(`snapshot ${loaded.snapshot}`);
  });

  test('[ENV6] [ENV16] who shares an ID is named where it is read, whatever was exported before', () => {
    const { exporter } = both(
      mesh,
      plane,
      { ...plane, name: 'other' },
      permission('p', labelled.spec.default, { kind: 'Dataplane', name: 'd' }),
      permission('q', { allow: [exact('spiffe://td/x')] }, { kind: 'Dataplane', name: 'other' }),
      workload('mixed-1', 'mixed', { app: 'web' }),
      workload('mixed-2', 'mixed', { app: 'db' }),
    );
    const shared = (asked: Asked, options = {}) =>
      exporter.export(asked, options).report.shared_identities.map(({ key }) => key);
    expect(shared(http)).toEqual(['k8s:label:app']);
    expect(shared({ ...http, dataplane: 'other' })).toEqual([]);
    // Read a second time, from what is remembered.
    expect(shared(http, { form: 'list' })).toEqual(['k8s:label:app']);
  });

  test('[ENV6] a deny holds for everybody but the IDs known not to have them', () => {
    const { exporter } = both(
      mesh,
      plane,
      permission('p', { deny: [{ dataplaneLabels: { app: 'web' } }], allow: [exact('spiffe://td/x')] }),
      workload('db-1', 'db', { app: 'db' }),
      workload('mixed-1', 'mixed', { app: 'web' }),
      workload('mixed-2', 'mixed', { app: 'db' }),
    );
    const text = JSON.stringify(exporter.export(http).filters);
    expect(ids(text)).toEqual(['spiffe://td/ns/shop/sa/db']);
    expect(text).toContain('{"not_matcher":{"single_predicate"');
  });

  test('[ENV6] namespace and account with exact values are whole IDs', () => {
    const { exporter } = both(
      { ...mesh, accessPolicies: 'full' },
      { ...plane, labels: { 'k8s.kuma.io/namespace': 'shop' } },
      {
        type: 'AccessPolicy',
        namespace: 'shop',
        name: 'p',
        spec: {
          action: 'allow',
          from: [{ workloadSelector: { matchLabels: { 'k8s:ns': 'shop', 'k8s:sa': 'web' } } }],
          to: [{ workloadSelector: {} }],
        },
      },
    );
    const { filters, report } = exporter.export(http);
    expect(JSON.stringify(filters)).toContain('"exact_match_map":{"map":{"spiffe://td/ns/shop/sa/web"');
    expect(report.relies_on.map((one) => one.on)).not.toContain('inventory');
    expect(report.policies.map(({ name }) => name)).toEqual(['AccessPolicy/shop/p']);
  });
});

describe('routes', () => {
  test('[ENV13] each has what governs it and its inbound; the filter is for all others', () => {
    const { exporter } = both(
      mesh,
      plane,
      permission('all', { allow: [exact('spiffe://td/a')] }),
      permission('one', { allow: [exact('spiffe://td/b')] }, { kind: 'MeshHTTPRoute', name: 'api' }),
    );
    const { filters, routes, report } = exporter.export(http);
    const [a, b] = ['"spiffe://td/a"', '"spiffe://td/b"'];
    const base = JSON.stringify(filters);
    expect([base.includes(a), base.includes(b)]).toEqual([true, false]);
    expect(routes.map(({ route }) => route)).toEqual(['api']);
    const config = routes[0]!.typed_per_filter_config['envoy.filters.http.rbac'];
    expect(config?.['@type']).toBe('type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBACPerRoute');
    const joined = JSON.stringify(config);
    expect([joined.includes(a), joined.includes(b)]).toEqual([true, true]);
    expect(report.relies_on).toContainEqual({
      on: 'no-per-route-override',
      filters: ['envoy.filters.http.rbac'],
      except: ['api'],
    });
  });

  test('[ENV13] what is for a name in every namespace lets in nobody whom a namespace does not', () => {
    const to = (name: string, namespace?: string) => ({
      kind: 'MeshHTTPRoute',
      name,
      ...(namespace === undefined ? {} : { namespace }),
    });
    const ids = ['a', 'b', 'c'].map((name) => `spiffe://td/${name}`);
    const { engine, exporter } = both(
      mesh,
      plane,
      permission('all', { allow: ids.map(exact) }),
      permission('any', { deny: [exact(ids[0]!)] }, to('api')),
      permission('shop', { deny: [exact(ids[1]!)] }, to('api', 'shop')),
    );
    const exported = exporter.export(http);
    expect(exported.routes.map(({ route }) => route)).toEqual(['api', 'shop/api']);
    const verdicts = (config: string, route: string) =>
      ids.map((id) => {
        const peer = { uriSans: [id], dnsSans: [], presented: true, validated: true };
        const request = { method: 'GET', path: '/' };
        const source = { spiffeId: id };
        const { decision } = engine.decide({ source, destination: { ...http, route }, request });
        return [Chain.ofRoute(exported, config).decide(peer, request).enforced, decision];
      });
    const [yes, no, more] = [
      ['allow', 'allow'],
      ['deny', 'deny'],
      ['deny', 'allow'],
    ];
    expect(verdicts('shop/api', 'shop/api')).toEqual([no, no, yes]);
    expect(verdicts('api', 'api')).toEqual([no, no, yes]);
    expect(verdicts('api', 'obs/api')).toEqual([no, more, yes]);
    expect(verdicts('none', 'none')).toEqual([yes, yes, yes]);
  });

  test('[ENV13] where none is told from another, every deny of any holds', () => {
    const { exporter } = both(
      mesh,
      plane,
      permission('one', { deny: [exact('spiffe://td/b')] }, { kind: 'MeshHTTPRoute', name: 'api' }),
    );
    const unknown = exporter.export(http, {}, 'unknown');
    expect(unknown.routes).toEqual([]);
    expect(JSON.stringify(unknown.filters)).toContain('"spiffe://td/b"');
    expect(unknown.report.policies[0]?.notes[0]).toContain('which route a request takes is not known');
    expect(unknown.report.warnings).toEqual([]);
  });
});

test('[ENV13] what is allowed on a route is not left out in silence where no route is known', () => {
  const { exporter } = both(
    mesh,
    plane,
    permission('one', { allow: [exact('spiffe://td/b')] }, { kind: 'MeshHTTPRoute', name: 'api' }),
  );
  const warning = expect.stringContaining('what is allowed on the route "api" is not allowed here');
  expect(exporter.export(http, {}, 'unknown').report.warnings).toEqual([warning]);
  expect(exporter.export(http, { filter: 'network' }).report.warnings).toEqual([warning]);
  expect(exporter.export(http, {}).report.warnings).toEqual([]);
});

test("[ENV2] the papers' shadow is not claimed to be that of the policies", () => {
  const shadowed = both(
    mesh,
    plane,
    permission('p', { allowWithShadowDeny: [exact('spiffe://td/a')] }),
  ).exporter;
  const warnings = (shadow: 'paper' | 'corrected') =>
    shadowed.export(http, { form: 'list', shadow }).report.warnings;
  expect(warnings('paper')).toEqual([expect.stringContaining('not the shadow verdicts of the policies')]);
  expect(warnings('corrected')).toEqual([]);
});

test('[ENV12] the report tells bytes, matchers and depth', () => {
  const { exporter } = both(mesh, plane, permission('p', { allow: [exact('spiffe://td/a')] }));
  const { filters, report } = exporter.export(http, { form: 'list' });
  expect(report.size).toEqual({ bytes: JSON.stringify(filters).length, matchers: 8, depth: 3 });
});
