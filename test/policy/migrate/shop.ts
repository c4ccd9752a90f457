import type { PolicyPlan } from '../../../src/policy/migrate/outcome.ts';
import { planFor } from './brute.ts';

/** A mesh of two services, and permissions for it. */

export type Fields = Readonly<Record<string, unknown>>;

export const east = 'default.east.mesh.local';
export const idOf = (account: string) => `spiffe://${east}/ns/shop/sa/${account}`;
export const exact = (account: string) => ({ spiffeID: { type: 'Exact', value: idOf(account) } });
export const everybody = { spiffeID: { type: 'Prefix', value: `spiffe://${east}/` } };
export const mesh = { type: 'Mesh', name: 'default', certificates: 'tags', trustDomains: [east] };

export function dataplane(app: string, version: string, more: Fields = {}): Fields {
  return {
    type: 'Dataplane',
    name: `${app}-${version}`,
    labels: {
      app,
      'k8s.kuma.io/namespace': 'shop',
      'kuma.io/zone': 'east',
      'k8s.kuma.io/service-account': `${app}-${version}`,
      'pod-template-hash': `${app}0`,
    },
    inbounds: [{ port: 80, name: 'main', tags: { 'kuma.io/service': app, version } }],
    ...more,
  };
}

export const inventory = [mesh, dataplane('web', 'v1'), dataplane('web', 'v2'), dataplane('db', 'v1')];

export type Item = readonly [clients: string | Fields, action: string];

export function from(...items: readonly Item[]): Fields[] {
  return items.map(([clients, action]) => ({
    targetRef: typeof clients === 'string' ? { kind: 'MeshService', name: clients } : clients,
    default: { action },
  }));
}

export const all = { kind: 'Mesh' };
export const version = (value: string): Fields => ({ kind: 'MeshSubset', tags: { version: value } });

export function policy(items: readonly Fields[], spec: Fields = {}, more: Fields = {}): Fields {
  return {
    type: 'MeshTrafficPermission',
    name: 'p',
    mesh: 'default',
    ...more,
    spec: { ...spec, from: items },
  };
}

export const toDb = { targetRef: { kind: 'Dataplane', labels: { app: 'db' } } };

export function plansOf(...policies: readonly Fields[]): Map<string, PolicyPlan> {
  const plan = planFor([...inventory, ...policies]);
  return new Map(plan.meshes.flatMap(({ policies: own }) => own.map((one) => [one.info.name, one])));
}
