import type { Random } from '../../oracle/random.ts';

/** Random meshes with tag permissions, as plain documents. */

type Fields = Readonly<Record<string, unknown>>;

export interface RandomSet {
  readonly policies: readonly Fields[];
  readonly inventory: readonly Fields[];
}

const services = ['web', 'backend', 'db'];
const versions = ['v1', 'v2'];
const actions = ['Allow', 'Allow', 'Deny', 'Deny', 'ALLOW_WITH_SHADOW_DENY', 'DENY_WITH_SHADOW_ALLOW'];

/** `places`: policies are of namespaces and zones, and of some proxies only tags say where they are. */
export interface Shape {
  readonly others?: boolean;
  readonly places?: boolean;
}

export function randomSet(random: Random, { others = false, places = false }: Shape): RandomSet {
  const declares = random.chance(0.5);
  const mesh = {
    type: 'Mesh',
    name: 'default',
    certificates: 'tags',
    ...(declares ? { trustDomains: ['default.east.mesh.local'] } : {}),
    ...(random.chance(0.2) ? { nameOrder: 'larger-wins' } : {}),
  };
  const dataplanes = Array.from({ length: random.between(2, 6) }, (_, index) =>
    places && random.chance(0.4) ? byTags(dataplane(random, index)) : dataplane(random, index),
  );
  const workloads = random.chance(0.2)
    ? [
        {
          type: 'Workload',
          name: 'job',
          namespace: 'elsewhere',
          spiffeId: `spiffe://default.east.mesh.local/ns/demo/sa/${random.pick(services)}`,
        },
      ]
    : [];
  const policies = Array.from({ length: random.between(1, 5) }, (_, index) => {
    const made = permission(random, index);
    return places ? placed(random, made) : made;
  });
  const beside = others ? Array.from({ length: random.below(3) }, (_, index) => other(random, index)) : [];
  const full = others && random.chance(0.4) ? { accessPolicies: 'full' } : {};
  return { policies, inventory: [{ ...mesh, ...full }, ...dataplanes, ...workloads, ...beside] };
}

function dataplane(random: Random, index: number): Fields {
  const service = random.pick(services);
  const known = random.chance(0.9);
  const inbound = (port: number): Fields => ({
    port,
    name: `port-${port}`,
    tags: {
      'kuma.io/service': random.chance(0.85) ? service : random.pick(services),
      ...(random.chance(0.7) ? { version: random.pick(versions) } : {}),
    },
  });
  return {
    type: 'Dataplane',
    name: `${service}-${index}`,
    mesh: random.chance(0.9) ? 'default' : 'second',
    labels: {
      app: service,
      'k8s.kuma.io/namespace': 'demo',
      'kuma.io/zone': 'east',
      ...(known ? { 'k8s.kuma.io/service-account': random.chance(0.85) ? service : `sa-${index}` } : {}),
    },
    inbounds: random.chance(0.3) ? [inbound(80), inbound(81)] : [inbound(80)],
  };
}

/** As on Universal: where it is and which workload is its own is said without labels of Kubernetes. */
function byTags({ inbounds, labels, ...rest }: Fields): Fields {
  const { app } = labels as { readonly app: string };
  const where = { 'k8s.kuma.io/namespace': 'demo', 'kuma.io/zone': 'east' };
  return {
    ...rest,
    labels: { app, 'kuma.io/env': 'universal', 'kuma.io/workload': app },
    inbounds: (inbounds as { readonly tags: Fields }[]).map((one) => ({
      ...one,
      tags: { ...one.tags, ...where },
    })),
  };
}

function placed(random: Random, { name, mesh, labels, spec }: Fields): Fields {
  const zone = random.chance(0.5) ? { 'kuma.io/zone': 'east', 'kuma.io/origin': 'zone' } : {};
  const namespace = random.chance(0.5) ? 'demo' : 'kuma-system';
  const own = { ...(labels as Fields | undefined), ...zone, 'kuma.io/mesh': mesh };
  return {
    apiVersion: 'kuma.io/v1alpha1',
    kind: 'MeshTrafficPermission',
    metadata: { name, namespace, labels: own },
    spec,
  };
}

function permission(random: Random, index: number): Fields {
  return {
    type: 'MeshTrafficPermission',
    name: `policy-${index}`,
    mesh: 'default',
    ...(random.chance(0.12) ? { labels: { 'kuma.io/effect': 'shadow' } } : {}),
    spec: {
      ...top(random),
      from: Array.from({ length: random.between(1, 4) }, () => ({
        targetRef: clients(random),
        default: { action: random.pick(actions) },
      })),
    },
  };
}

function top(random: Random): Fields {
  if (random.chance(0.4)) return random.chance(0.5) ? {} : { targetRef: { kind: 'Mesh' } };
  if (random.chance(0.25)) {
    if (random.chance(0.5)) return { targetRef: { kind: 'MeshService', name: random.pick(services) } };
    return { targetRef: { kind: 'MeshSubset', tags: { version: random.pick(versions) } } };
  }
  const labels = { app: random.pick(services) };
  const section = random.chance(0.3) ? { sectionName: `port-${random.pick([80, 81])}` } : {};
  return { targetRef: { kind: 'Dataplane', labels, ...section } };
}

function clients(random: Random): Fields {
  const version = () => ({ version: `${random.chance(0.3) ? '!' : ''}${random.pick(versions)}` });
  const mesh = random.chance(0.1) ? { mesh: 'second' } : {};
  const kind = random.pick(['Mesh', 'Mesh', 'MeshService', 'MeshSubset', 'MeshServiceSubset']);
  if (kind === 'Mesh') return { kind, ...mesh };
  if (kind === 'MeshSubset') {
    const zone = { 'kuma.io/zone': random.chance(0.5) ? 'east' : '!east' };
    return { kind, tags: random.chance(0.8) ? version() : zone, ...mesh };
  }
  const name = random.pick(services);
  return kind === 'MeshService' ? { kind, name, ...mesh } : { kind, name, tags: version(), ...mesh };
}

/** Policies that are there already for the time after, and access policies. */
function other(random: Random, index: number): Fields {
  const app = random.pick(services);
  const effect = random.chance(0.2) ? { labels: { 'kuma.io/effect': 'shadow' } } : {};
  if (random.chance(0.5)) {
    const privileged = random.chance(0.3);
    const actions = privileged ? ['deny', 'allow'] : ['deny', 'deny', 'allow', 'denyWithShadowAllow'];
    return {
      type: privileged ? 'PrivilegedAccessPolicy' : 'AccessPolicy',
      name: `access-${index}`,
      ...(privileged ? {} : { namespace: random.pick(['demo', 'demo', 'elsewhere']) }),
      ...effect,
      spec: {
        action: random.pick(actions),
        from: [{ workloadSelector: random.pick(from(app)) }],
        to: [{ workloadSelector: random.pick(to(random.pick(services))) }],
      },
    };
  }
  const list = random.pick(['deny', 'allow', 'allowWithShadowDeny']);
  const value = `spiffe://default.east.mesh.local/ns/demo/sa/${random.pick(services)}`;
  const matcher = random.chance(0.8)
    ? { spiffeID: { type: 'Exact', value } }
    : { dataplaneLabels: { tier: 'a' } };
  return {
    type: 'MeshTrafficPermission',
    name: `other-${index}`,
    mesh: 'default',
    ...effect,
    spec: {
      targetRef: { kind: 'Dataplane', labels: { app } },
      rules: [{ default: { [list]: [matcher] } }],
    },
  };
}

/** Some of it certificates say, or that there is no such thing, and some of it nobody does. */
const from = (app: string): readonly Fields[] => [
  {},
  { matchLabels: { 'k8s:sa': app } },
  { matchLabels: { 'k8s:label:tier': 'a' } },
  { matchLabels: { 'spiffe:id': 'spiffe://default.east.mesh.local/ns/demo' } },
  { matchExpressions: [{ key: 'k8s:label:tier', operator: 'DoesNotExist' }] },
  { matchExpressions: [{ key: 'k8s:ns', operator: 'NotIn', values: ['demo'] }] },
];

const to = (app: string): readonly Fields[] => [
  {},
  { matchLabels: { 'k8s:label:app': app } },
  { matchLabels: { 'service:name': app } },
  { matchLabels: { 'site:name': 'here' } },
  { matchExpressions: [{ key: 'k8s:ns', operator: 'In', values: ['demo'] }] },
];
