import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../../src/envoy/export/json.ts';
import { toYaml } from '../../../src/envoy/export/yaml.ts';
import { both, refusalOf } from './world.ts';

/** What the two papers draw, to the letter, and what the real filters add to it: the guards. */

const paper000 = `
type: Mesh
name: default
trustDomains: [trust-domain.mesh]
---
type: Dataplane
mesh: default
name: backend-1
inbounds: [{name: http, port: 8080, protocol: tcp}]
---
type: MeshTrafficPermission
mesh: default
name: by-mesh-operator
spec:
  targetRef: {}
  default:
    deny:
      - spiffeId: {type: Exact, value: "spiffe://trust-domain.mesh/ns/default/sa/frontend"}
---
type: MeshTrafficPermission
mesh: default
name: by-service-owner
spec:
  targetRef: {}
  default:
    deny:
      - spiffeId: {type: Exact, value: "spiffe://trust-domain.mesh/ns/default/sa/api-gateway"}
    allowWithShadowDeny:
      - spiffeId: {type: Prefix, value: "spiffe://trust-domain.mesh/ns/legacy"}
    allow:
      - spiffeId: {type: Prefix, value: "spiffe://trust-domain.mesh/"}
`;

const paper001 = `
type: Mesh
name: mesh-1
certificates: tags
nameOrder: larger-wins
---
type: Dataplane
mesh: mesh-1
name: backend-1
inbounds: [{name: main, port: 8080, protocol: tcp, tags: {kuma.io/service: backend}}]
---
type: MeshTrafficPermission
mesh: mesh-1
name: global
spec:
  targetRef: {kind: Mesh}
  from: [{targetRef: {kind: Mesh}, default: {action: DENY}}]
---
type: MeshTrafficPermission
mesh: mesh-1
name: global-2
spec:
  targetRef: {kind: Mesh}
  from:
    - targetRef: {kind: MeshSubset, tags: {kuma.io/zone: us-east}}
      default: {action: DENY_WITH_SHADOW_ALLOW}
---
type: MeshTrafficPermission
mesh: mesh-1
name: backend
spec:
  targetRef: {kind: MeshService, name: backend}
  from:
    - targetRef: {kind: MeshSubset, tags: {env: dev}}
      default: {action: ALLOW}
    - targetRef: {kind: MeshService, name: web}
      default: {action: ALLOW_WITH_SHADOW_DENY}
`;

const of = (text: string) => both(...parseAllDocuments(text).map((one) => one.toJS()));
const exact = (value: string) => matching({ exact: value });
const prefix = (value: string) => matching({ prefix: value });
const matching = (value_match: JsonObject) => ({
  single_predicate: {
    input: {
      name: 'envoy.matching.inputs.uri_san',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.matching.common_inputs.ssl.v3.UriSanInput',
      },
    },
    value_match,
  },
});
const action = (name: string, deny: boolean) => ({
  action: {
    name: 'envoy.filters.rbac.action',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.config.rbac.v3.Action',
      name,
      ...(deny ? { action: 'DENY' } : {}),
    },
  },
});

describe('the paper on SPIFFE IDs', () => {
  const destination = { mesh: 'default', dataplane: 'backend-1' };
  const exported = of(paper000).exporter.export(destination, { form: 'list', shadow: 'paper' });
  const config = exported.filters[0]!.typed_config as Record<'matcher' | 'shadow_matcher', JsonObject>;

  /** The guard comes first, which the paper does not have. */
  function drawn(matcher: JsonObject) {
    const { matchers } = matcher['matcher_list'] as { matchers: JsonObject[] };
    const [guard, ...rest] = matchers;
    expect(guard?.['on_match']).toEqual(action('invalid-source', true));
    return { matchers: rest, on_no_match: matcher['on_no_match'] };
  }

  test('[ENV7] its matcher: all denies, then all allows, then a deny', () => {
    expect(exported.filters.map(({ name }) => name)).toEqual(['envoy.filters.network.rbac']);
    expect(drawn(config.matcher)).toEqual({
      matchers: [
        {
          predicate: {
            or_matcher: {
              predicate: [
                exact('spiffe://trust-domain.mesh/ns/default/sa/frontend'),
                exact('spiffe://trust-domain.mesh/ns/default/sa/api-gateway'),
              ],
            },
          },
          on_match: action('MeshTrafficPermission', true),
        },
        {
          predicate: {
            or_matcher: {
              predicate: [
                prefix('spiffe://trust-domain.mesh/'),
                prefix('spiffe://trust-domain.mesh/ns/legacy'),
              ],
            },
          },
          on_match: action('kri_mtp_default___by-service-owner_', false),
        },
      ],
      on_no_match: action('default', true),
    });
  });

  test('[ENV7] its shadow matcher: what has a shadow deny, then a deny', () => {
    expect(drawn(config.shadow_matcher)).toEqual({
      matchers: [
        {
          predicate: prefix('spiffe://trust-domain.mesh/ns/legacy'),
          on_match: action('kri_mtp_default___by-service-owner_', true),
        },
      ],
      on_no_match: action('default', true),
    });
  });

  test('[ENV7] [ENV16] as a whole', async () => {
    const text = toYaml(exported.filters.map(({ name, typed_config }) => ({ name, typed_config })));
    await expect(text).toMatchFileSnapshot('papers/000.golden.yaml');
  });

  test('[ENV7] the corrected shadow is the whole shadow world', async () => {
    const corrected = of(paper000).exporter.export(destination);
    expect(corrected.report.shadow_equals_enforced).toBe(false);
    const text = toYaml(corrected.filters.map(({ name, typed_config }) => ({ name, typed_config })));
    await expect(text).toMatchFileSnapshot('papers/000-corrected.golden.yaml');
  });
});

describe('the paper on tags', () => {
  const destination = { mesh: 'mesh-1', dataplane: 'backend-1' };
  const options = { form: 'table', shadow: 'paper', paperAsWritten: true } as const;
  const exported = of(paper001).exporter.export(destination, options);
  const has = (uri: string) => ({ authenticated: { principal_name: { exact: uri } } });
  const not = (uri: string) => ({ not_id: has(uri) });
  const [zone, env, web] = ['kuma://kuma.io/zone/us-east', 'kuma://env/dev', 'kuma://kuma.io/service/web'];
  const row = (...ids: JsonObject[]) => ({ and_ids: { ids } });

  test('[ENV9] its rules: one principal for each combination that is allowed', () => {
    expect(exported.filters).toHaveLength(1);
    expect(exported.filters[0]!.typed_config['rules']).toEqual({
      action: 'ALLOW',
      policies: {
        MeshTrafficPermission: {
          permissions: [{ any: true }],
          principals: [
            row(has(zone), has(env), not(web)),
            row(not(zone), has(env), not(web)),
            row(has(zone), has(env), has(web)),
            row(has(zone), not(env), has(web)),
            row(not(zone), has(env), has(web)),
            row(not(zone), not(env), has(web)),
          ],
        },
      },
    });
  });

  test('[ENV9] its shadow rules: what is denied and would be allowed', () => {
    expect(exported.filters[0]!.typed_config['shadow_rules']).toEqual({
      action: 'ALLOW',
      policies: {
        ShadowMeshTrafficPermission: {
          permissions: [{ any: true }],
          principals: [row(has(zone), not(env), not(web))],
        },
      },
    });
  });

  test('[ENV9] [ENV10] it lets in more than the PDP, and only by that name', () => {
    expect(exported.report.policies.map((one) => one.class)).toEqual(Array(3).fill('wider (paper)'));
    const { exporter } = of(paper001);
    const refusal = refusalOf(() => exporter.export(destination, { ...options, paperAsWritten: false }));
    expect(refusal.code).toBe('as-written');
    expect(refusal.policies).toHaveLength(3);
  });

  test('[ENV8] [ENV9] as a whole, and in two filters that are exact', async () => {
    const exact = of(paper001).exporter.export(destination);
    expect(exact.filters.map(({ name }) => name)).toEqual(['placet.rbac.deny', 'placet.rbac.allow']);
    expect(exact.report.policies.map((one) => one.class)).toEqual(Array(3).fill('exact'));
    const text = (one: typeof exact) =>
      toYaml(one.filters.map(({ name, typed_config }) => ({ name, typed_config })));
    await expect(text(exported)).toMatchFileSnapshot('papers/001.golden.yaml');
    await expect(text(exact)).toMatchFileSnapshot('papers/001-exact.golden.yaml');
  });

  test('[ENV9] rows with two values of one tag are left out, and a value says that there is no other', () => {
    const { exporter } = both(
      { type: 'Mesh', name: 'm', certificates: 'tags' },
      { type: 'Dataplane', mesh: 'm', name: 'd', inbounds: [{ port: 1, protocol: 'tcp' }] },
      {
        type: 'MeshTrafficPermission',
        mesh: 'm',
        name: 'p',
        spec: {
          from: [
            { targetRef: { kind: 'Mesh' }, default: { action: 'Allow' } },
            { targetRef: { kind: 'MeshSubset', tags: { zone: 'us-east' } }, default: { action: 'Deny' } },
            { targetRef: { kind: 'MeshSubset', tags: { env: 'dev' } }, default: { action: 'Allow' } },
            { targetRef: { kind: 'MeshSubset', tags: { env: 'prod' } }, default: { action: 'Allow' } },
          ],
        },
      },
    );
    const table = exporter.export({ mesh: 'm', dataplane: 'd' }, options).filters[0]!.typed_config;
    const { policies } = table['rules'] as { policies: Record<string, { principals: JsonObject[] }> };
    const [east, dev, prod] = ['kuma://zone/us-east', 'kuma://env/dev', 'kuma://env/prod'];
    expect(policies['MeshTrafficPermission']?.principals).toEqual([
      row(has(east), has(dev)),
      row(has(east), has(prod)),
      row(not(east), has(dev)),
      row(not(east), has(prod)),
      row(not(east), not(dev), not(prod)),
    ]);
  });
});
