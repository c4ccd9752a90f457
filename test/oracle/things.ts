import type { Random } from './random.ts';
import type { AttributeRuleShape, Body, InboundShape, Selector, Shape } from './shapes.ts';
import { accounts, inboundTags, namespaces, sourceKeys, spiffeIds, trusts } from './universe.ts';

/** Documents of what there is, in the forms that users have. */

export function things(random: Random): Shape[] {
  const shapes: Shape[] = [];
  if (random.chance(0.92)) shapes.push(mesh(random, 'default'));
  if (random.chance(0.6)) shapes.push(mesh(random, 'other'));
  const planes = random.between(1, 4);
  for (let i = 0; i < planes; i++) shapes.push(dataplane(random, i));
  const services = random.between(1, 4);
  for (let i = 0; i < services; i++) shapes.push(service(random, i));
  const workloads = random.pick([0, 0, 2, 4, 6]);
  const shared = random.some(spiffeIds.slice(0, 24), 2, 3);
  for (let i = 0; i < workloads; i++) shapes.push(workload(random, i, shared));
  const sites = random.pick([0, 1, 1, 1, 2]);
  for (let i = 0; i < sites; i++) shapes.push(site(random, i));
  return shapes;
}

/** One of ours in its short or its long form. */
function ours(
  random: Random,
  kind: string,
  head: { name: string; namespace?: string; labels?: Record<string, string> },
  body: Body,
): Shape {
  if (random.chance(0.7)) return { type: kind, ...head, ...body };
  return { apiVersion: 'placet.dev/v1alpha1', kind, metadata: head, spec: body };
}

function mesh(random: Random, name: string): Shape {
  const body: Body = {};
  if (random.chance(0.55)) body.accessPolicies = 'full';
  else if (random.chance(0.5)) body.accessPolicies = 'denies';
  if (random.chance(0.6)) body.trustDomains = ['mesh.local'];
  if (random.chance(0.25)) body.nameOrder = random.pick(['larger-wins', 'smaller-wins']);
  return ours(random, 'Mesh', { name }, body);
}

const protocols = ['http', 'http', 'http2', 'grpc', 'tcp', 'tls', 'kafka'] as const;

function inbound(random: Random, index: number): InboundShape {
  const shape: InboundShape = { port: [8080, 9090, 7070][index]! };
  if (random.chance(0.85)) shape.name = ['http', 'admin', 'third'][index]!;
  if (random.chance(0.45)) shape.protocol = random.pick(protocols);
  const tags: Record<string, string> = {};
  if (random.chance(0.7)) tags['kuma.io/service'] = random.pick(['pay', 'cart', 'pay']);
  if (random.chance(0.1)) tags['kuma.io/protocol'] = random.pick(protocols);
  for (const tag of random.some(Object.keys(inboundTags), 0, 2)) tags[tag] = random.pick(inboundTags[tag]!);
  if (random.chance(0.05)) tags['k8s.kuma.io/namespace'] = random.pick(namespaces);
  if (random.chance(0.8)) shape.tags = tags;
  return shape;
}

function dataplane(random: Random, index: number): Shape {
  const inbounds = Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, (_, i) => inbound(random, i));
  const labels: Record<string, string> = {};
  if (random.chance(0.7)) labels['app'] = random.pick(['web', 'db']);
  if (random.chance(0.4)) labels['tier'] = random.pick(['db', 'front']);
  if (random.chance(0.8)) labels['k8s.kuma.io/namespace'] = random.pick(namespaces);
  if (random.chance(0.3)) labels['kuma.io/zone'] = random.pick(['zone-1', 'zone-2']);
  const mesh = index === 0 ? 'default' : random.pick(['default', 'default', 'default', 'other']);
  const head = { mesh, name: index === 3 && mesh === 'other' ? 'plane-0' : `plane-${index}`, labels };
  if (random.chance(0.15)) {
    const metadata = { name: head.name, namespace: random.pick(namespaces), labels };
    const spec = { networking: { address: '192.0.2.1', inbound: kumas(random, inbounds) } };
    return { apiVersion: 'kuma.io/v1alpha1', kind: 'Dataplane', mesh, metadata, spec };
  }
  if (random.chance(0.6)) return { type: 'Dataplane', ...head, inbounds };
  const address = '192.0.2.1';
  const networking = { address, inbound: kumas(random, inbounds) };
  if (random.chance(0.6)) return { type: 'Dataplane', ...head, networking };
  const gateway = {
    type: 'BUILTIN',
    tags: { 'kuma.io/service': 'edge', version: random.pick(['v1', 'v2']) },
  };
  return { type: 'Dataplane', ...head, networking: { ...networking, gateway } };
}

/** With the state that Kuma keeps: the first one at least is there. */
function kumas(random: Random, inbounds: readonly InboundShape[]): InboundShape[] {
  return inbounds.map((one, index) => {
    if (random.chance(0.6)) return one;
    return { ...one, state: index > 0 && random.chance(0.5) ? 'Ignored' : 'Ready' };
  });
}

function service(random: Random, index: number): Shape {
  const name = ['pay', 'pay2', 'cart', 'pay'][index]!;
  const namespace = index === 3 ? 'ob' : random.pick(['shop', 'obs', 'obs-evil']);
  const labels: Record<string, string> = {};
  if (random.chance(0.6)) labels['app'] = random.pick(['web', 'web2', 'db']);
  if (random.chance(0.5)) labels['tier'] = random.pick(['db', 'front']);
  if (random.chance(0.3)) return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace, labels } };
  const body: Body = {};
  if (random.chance(0.5)) body.attributes = { 'cl:service:owner': random.pick(['payments', 'carts']) };
  return ours(random, 'Service', { name, namespace, labels }, body);
}

function workload(random: Random, index: number, shared: readonly string[]): Shape {
  const labels: Record<string, string> = {};
  if (random.chance(0.7)) labels['app'] = random.pick(['web', 'web', 'db']);
  if (random.chance(0.5)) labels['role'] = random.pick(['reader', 'writer']);
  const id = random.pick(shared);
  const body: Body = {};
  if (random.chance(0.8))
    body.serviceAccount = random.chance(0.85) ? (id.split('/')[6] ?? 'x') : random.pick(accounts);
  if (random.chance(0.9)) body.spiffeId = id;
  if (random.chance(0.4)) body.images = random.some(sourceKeys['k8s:container-image']!, 1, 2);
  if (random.chance(0.2)) body.attributes = { custom: random.pick(['1', '2']) };
  if (random.chance(0.15))
    body.attributes = { ...body.attributes, 'site:name': random.pick(['eu-1', 'us-1']) };
  if (random.chance(0.2)) body.owner = 'Deployment/web';
  const told = random.chance(0.85) ? id.split('/')[4] : undefined;
  const namespace = told ?? random.pick(namespaces);
  const head = { name: `p${index}`, namespace, labels };
  const drawn = ours(random, 'Workload', head, body);
  // In Kubernetes' form it may have no ID of another namespace (INV1).
  return 'spiffeId' in body ? { type: 'Workload', ...head, ...body } : drawn;
}

function site(random: Random, index: number): Shape {
  const body: Body = {};
  if (index === 0 || random.chance(0.5)) body.trustDomains = ['td.example'];
  if (index === 1)
    body.trustDomains = [
      { name: 'td', template: random.pick(['/ns/{k8s:ns}/sa/{k8s:sa}', '/{k8s:ns}/{k8s:sa}']) },
    ];
  if (index === 0) body.local = true;
  if (random.chance(0.7)) body.location = random.pick(sourceKeys['site:location']!);
  if (random.chance(0.3)) body.environment = 'production';
  if (random.chance(0.3)) body.attributes = { 'cl:site:region': random.pick(['eu', 'eu/west', 'eu/west1']) };
  if (random.chance(0.4)) body.floor = random.pick(trusts);
  if (random.chance(0.5)) body.hierarchical = ['cl:site:region'];
  if (random.chance(0.35))
    body.attributeRules = random.chance(0.5) ? [rule(random)] : [rule(random), rule(random)];
  return ours(random, 'Site', { name: ['eu-1', 'us-1'][index]! }, body);
}

function rule(random: Random): AttributeRuleShape {
  return {
    keys: random.some(['k8s:label:role', 'k8s:label:app', 'k8s:label:*', 'cl:site:tier', 'custom'], 1, 3),
    from: Array.from({ length: random.pick([1, 1, 2]) }, () => ({
      ...random.pick(sites),
      namespaces: random.some(namespaces, 1, 3),
    })),
  };
}

const sites: readonly { site?: Selector }[] = [
  {},
  { site: {} },
  { site: { matchLabels: { 'site:name': 'eu-1' } } },
  { site: { matchExpressions: [{ key: 'site:name', operator: 'NotIn', values: ['us-1'] }] } },
  { site: { matchLabels: { 'site:location': 'aws/us-east' } } },
];
