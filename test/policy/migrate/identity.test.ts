import { expect, test } from 'vitest';
import type { Inventory } from '../../../src/pdp/model/inventory.ts';
import { Identities } from '../../../src/policy/migrate/identity/identity.ts';
import { fill } from '../../../src/policy/migrate/identity/template.ts';
import { loadValues } from '../loading.ts';
import { asDocument } from './brute.ts';

type Fields = Readonly<Record<string, unknown>>;

const kubernetes = {
  'k8s.kuma.io/namespace': 'shop',
  'kuma.io/zone': 'east',
  'k8s.kuma.io/service-account': 'web',
};
const dataplane = (labels: Fields = kubernetes, more: Fields = {}): Fields => ({
  type: 'Dataplane',
  name: 'web-1',
  labels,
  inbounds: [{ port: 80, tags: { 'kuma.io/service': 'web' } }],
  ...more,
});
const mesh = (...trustDomains: string[]): Fields => ({ type: 'Mesh', name: 'default', trustDomains });
const site = (...trustDomains: unknown[]): Fields => ({ type: 'Site', name: 'here', trustDomains });
const workload = (fields: Fields): Fields => ({
  type: 'Workload',
  name: 'other',
  namespace: 'shop',
  ...fields,
});
const identity = (spec: Fields, more: Fields = {}): Fields => ({
  type: 'MeshIdentity',
  name: 'identity',
  mesh: 'default',
  spec: { selector: { dataplane: { matchLabels: {} } }, ...spec },
  ...more,
});

/** The ID of the only dataplane, or why it is not known. */
function idIn(...values: readonly Fields[]): string {
  const loaded = loadValues(...values);
  expect(loaded.violations).toEqual([]);
  const { inventory }: { inventory: Inventory } = loaded;
  const [one] = inventory.dataplanes.values();
  const found = new Identities(inventory, values.map(asDocument)).of(one!);
  return found.id ?? `unknown: ${found.reason}`;
}

const usual = 'spiffe://default.east.mesh.local/ns/shop/sa/web';
const a = 'spiffe://a.example/x';

test.each<[string, readonly Fields[], string]>([
  ['the default of Kuma', [dataplane()], usual],
  [
    "the Mesh's only trust domain",
    [dataplane(), mesh('corp.example')],
    'spiffe://corp.example/ns/shop/sa/web',
  ],
  [
    "the site's only trust domain, with its template",
    [dataplane(), site({ name: 'corp.example', template: '/sa/{k8s:sa}/in/{k8s:ns}' })],
    'spiffe://corp.example/sa/web/in/shop',
  ],
  [
    'the template of the site for a trust domain of the Mesh',
    [dataplane(), mesh('corp.example'), site({ name: 'corp.example', template: '/{k8s:ns}/{k8s:sa}' })],
    'spiffe://corp.example/shop/web',
  ],
  ['of several the one of the zone', [dataplane(), mesh('b.example', 'default.east.mesh.local')], usual],
  [
    'of several none of the zone',
    [dataplane(), mesh('b.example', 'c.example')],
    'unknown: its trust domain may be "b.example" or "c.example", of which none is "default.east.mesh.local"',
  ],
  [
    'no zone and several',
    [dataplane({ ...kubernetes, 'kuma.io/zone': undefined as never }), mesh('b.example', 'c.example')].map(
      (one) => JSON.parse(JSON.stringify(one)),
    ),
    'unknown: its zone is not known, so that its trust domain may be "b.example" or "c.example"',
  ],
  [
    'no zone and no trust domain',
    [dataplane({ 'k8s.kuma.io/namespace': 'shop', 'k8s.kuma.io/service-account': 'web' })],
    'unknown: neither the trust domain of its mesh nor its zone is known',
  ],
  [
    'the zone of a tag',
    [
      dataplane(
        { 'k8s.kuma.io/namespace': 'shop', 'k8s.kuma.io/service-account': 'web' },
        { inbounds: [{ port: 80, tags: { 'kuma.io/service': 'web', 'kuma.io/zone': 'west' } }] },
      ),
    ],
    'spiffe://default.west.mesh.local/ns/shop/sa/web',
  ],
  [
    'no service account',
    [dataplane({ 'k8s.kuma.io/namespace': 'shop', 'kuma.io/zone': 'east' })],
    'unknown: its service account is not known',
  ],
  [
    'no namespace',
    [dataplane({ 'k8s.kuma.io/service-account': 'web', 'kuma.io/zone': 'east' })],
    'unknown: its namespace is not known',
  ],
  [
    'a workload label instead of an account',
    [dataplane({ 'kuma.io/workload': 'web', 'kuma.io/zone': 'east' })],
    'spiffe://default.east.mesh.local/workload/web',
  ],
  [
    'Universal, whatever was copied',
    [dataplane({ ...kubernetes, 'kuma.io/env': 'universal', 'kuma.io/workload': 'w' })],
    'spiffe://default.east.mesh.local/workload/w',
  ],
  [
    'Universal without the label',
    [dataplane({ ...kubernetes, 'kuma.io/env': 'universal' })],
    'unknown: its label "kuma.io/workload" is not known',
  ],
  ['the pod of its name', [dataplane(), workload({ name: 'web-1', spiffeId: a })], a],
  [
    'the pod of its name before the namespace',
    [dataplane(kubernetes, { name: 'web-1.shop' }), workload({ name: 'web-1', spiffeId: a })],
    a,
  ],
  [
    'the pod of its display name',
    [
      dataplane({ ...kubernetes, 'kuma.io/display-name': 'web-1' }, { name: 'web-1-x2v4' }),
      workload({ name: 'web-1', spiffeId: a }),
    ],
    a,
  ],
  [
    'a pod of another namespace',
    [dataplane(), workload({ name: 'web-1', namespace: 'b', spiffeId: a })],
    usual,
  ],
  ['the pods of its account', [dataplane(), workload({ serviceAccount: 'web', spiffeId: a })], a],
  ['pods of another account', [dataplane(), workload({ serviceAccount: 'db', spiffeId: a })], usual],
  [
    'pods of its account that differ',
    [
      dataplane(),
      workload({ serviceAccount: 'web', spiffeId: a }),
      workload({ name: 'third', serviceAccount: 'web', spiffeId: usual }),
    ],
    `unknown: its workloads carry different IDs: "${a}", "${usual}"`,
  ],
  [
    'the workload whose labels it has',
    [dataplane({ ...kubernetes, app: 'web' }), workload({ labels: { app: 'web' }, spiffeId: a })],
    a,
  ],
  [
    'the workload with the most of them',
    [
      dataplane({ ...kubernetes, app: 'web', tier: 'front' }),
      workload({ labels: { app: 'web' }, spiffeId: usual }),
      workload({ name: 'third', labels: { app: 'web', tier: 'front' }, spiffeId: a }),
    ],
    a,
  ],
  [
    'not one with a label that it has not',
    [dataplane({ ...kubernetes, app: 'web' }), workload({ labels: { app: 'web', x: 'y' }, spiffeId: a })],
    usual,
  ],
  [
    'the account of its pod rather than of its label',
    [dataplane(), workload({ name: 'web-1', serviceAccount: 'front' })],
    'spiffe://default.east.mesh.local/ns/shop/sa/front',
  ],
  [
    'a MeshIdentity',
    [
      dataplane(),
      identity({
        spiffeID: {
          trustDomain: '{{ .Zone }}.{{.Mesh}}.example',
          path: '/{{ label "k8s.kuma.io/namespace" }}/{{ .ServiceAccount }}',
        },
      }),
    ],
    'spiffe://east.default.example/shop/web',
  ],
  ['a MeshIdentity that says nothing of IDs', [dataplane(), mesh('corp.example'), identity({})], usual],
  [
    'a MeshIdentity of another mesh',
    [dataplane(), identity({ spiffeID: { path: '/x' } }, { mesh: 'b' })],
    usual,
  ],
  [
    'the MeshIdentity with the most labels',
    [
      dataplane({ ...kubernetes, app: 'web' }),
      identity({ spiffeID: { path: '/all' } }),
      identity(
        { selector: { dataplane: { matchLabels: { app: 'web' } } }, spiffeID: { path: '/some' } },
        { name: 'z' },
      ),
    ],
    'spiffe://default.east.mesh.local/some',
  ],
  [
    'the MeshIdentity with the smaller name',
    [
      dataplane(),
      identity({ spiffeID: { path: '/b' } }, { name: 'b' }),
      identity({ spiffeID: { path: '/a' } }, { name: 'a' }),
    ],
    'spiffe://default.east.mesh.local/a',
  ],
  [
    'no MeshIdentity that selects it',
    [dataplane(), identity({ selector: {} })],
    'unknown: no MeshIdentity of its mesh selects it',
  ],
  [
    'a MeshIdentity of another zone',
    [dataplane(), identity({}, { labels: { 'kuma.io/zone': 'west' } })],
    'unknown: no MeshIdentity of its mesh selects it',
  ],
  [
    'a template that asks for more than is known',
    [dataplane(), identity({ spiffeID: { path: '/{{ .ClusterID }}' } })],
    'unknown: {{ .ClusterID }} is not known',
  ],
  [
    'a template that makes no ID',
    [dataplane({ ...kubernetes, 'k8s.kuma.io/service-account': 'a/../b' })],
    'unknown: "spiffe://default.east.mesh.local/ns/shop/sa/a/../b", which it would carry, is no SPIFFE ID',
  ],
  [
    'a MeshIdentity in a Kubernetes list',
    [
      dataplane(),
      {
        apiVersion: 'v1',
        kind: 'List',
        items: [
          {
            apiVersion: 'kuma.io/v1alpha1',
            kind: 'MeshIdentity',
            metadata: { name: 'i', labels: { 'kuma.io/mesh': 'default' } },
            spec: { selector: { dataplane: {} }, spiffeID: { path: '/listed' } },
          },
        ],
      },
    ],
    'spiffe://default.east.mesh.local/listed',
  ],
])('[MIG2] %s', (_, values, wanted) => expect(idIn(...values)).toBe(wanted));

test.each([
  ['plain', { ok: true, text: 'plain' }],
  ['{{.A}}-{{ .A }}', { ok: true, text: '1-1' }],
  ['{{ label "b/c" }}', { ok: true, text: '2' }],
  ['{{ .A', { ok: false, missing: '{{  }}' }],
  ['{{ .constructor }}', { ok: false, missing: '{{ .constructor }}' }],
  ['{{ .__proto__ }}', { ok: false, missing: '{{ .__proto__ }}' }],
  ['{{ label "__proto__" }}', { ok: false, missing: 'the label "__proto__"' }],
  ['{{ if .A }}x{{ end }}', { ok: false, missing: '{{ if .A }}' }],
  ['{{ .Empty }}', { ok: false, missing: '{{ .Empty }}' }],
])('[MIG2] the template %j', (template, wanted) =>
  expect(fill(template, { fields: { A: '1', Empty: '' }, labels: new Map([['b/c', '2']]) })).toEqual(wanted),
);
