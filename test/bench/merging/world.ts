import { Random } from '../../oracle/random.ts';

/** Proxies and policies of a mesh, ten proxies a service, the same each time. */

type Fields = Record<string, unknown>;

const kinds = ['MeshTimeout', 'MeshRetry', 'MeshCircuitBreaker'] as const;
const perService = 10;
const namespaces = 20;

const namespaceOf = (service: number): string => `ns-${service % namespaces}`;
const tagOf = (service: number): string => `s${service}_${namespaceOf(service)}_svc_80`;

/** `own`: every second policy is for one proxy by its name, so that no two proxies get the same. */
export function mergingWorld(proxies: number, policies: number, own = false): Fields[] {
  const random = new Random(policies * 31 + proxies);
  const services = Math.max(1, Math.floor(proxies / perService));
  const dataplanes = Array.from({ length: proxies }, (_, index): Fields => {
    const service = index % services;
    return {
      type: 'Dataplane',
      name: `dp-${index}`,
      labels: { 'k8s.kuma.io/namespace': namespaceOf(service), 'kuma.io/zone': `zone-${index % 3}` },
      networking: {
        inbound: [80, 90].map((port) => ({
          port,
          tags: { 'kuma.io/service': port === 80 ? tagOf(service) : `${tagOf(service)}-admin` },
        })),
        outbound: Array.from({ length: 10 }, (_, at) => ({
          port: 1000 + at,
          tags: { 'kuma.io/service': tagOf((service + 7 * at) % services) },
        })),
      },
    };
  });
  const ofPolicies = Array.from({ length: policies }, (_, index): Fields => {
    const service = random.below(services);
    const item = (): Fields => ({
      targetRef: random.chance(0.3)
        ? { kind: 'Mesh' }
        : { kind: 'MeshService', name: tagOf(random.below(services)) },
      default: { connectionTimeout: `${index}s`, http: { requestTimeout: `${index}s`, numRetries: index } },
    });
    const to = Array.from({ length: random.between(1, 3) }, item);
    const targetRef =
      own && index % 2 === 0
        ? { kind: 'Dataplane', name: `dp-${(index >> 1) % proxies}` }
        : topOf(random.below(100), service);
    const isInbound = random.chance(0.2);
    return {
      type: isInbound ? 'MeshAccessLog' : random.pick(kinds),
      name: `p-${index}`,
      spec: {
        targetRef,
        ...(isInbound ? { from: [{ targetRef: { kind: 'Mesh' }, default: { backends: [index] } }] } : { to }),
      },
    };
  });
  return [...dataplanes, ...ofPolicies];
}

/** A twentieth for all of the mesh, half for a service, the rest for a namespace or for a label. */
function topOf(share: number, service: number): Fields {
  if (share < 5) return { kind: 'Mesh' };
  if (share < 55) return { kind: 'MeshService', name: tagOf(service) };
  if (share < 80) {
    const zone = `zone-${service % 3}`;
    return {
      kind: 'MeshSubset',
      tags: { 'kuma.io/zone': zone, 'k8s.kuma.io/namespace': namespaceOf(service) },
    };
  }
  return { kind: 'Dataplane', labels: { 'k8s.kuma.io/namespace': namespaceOf(service) } };
}
