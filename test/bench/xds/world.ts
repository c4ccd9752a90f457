import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { s } from '../workloads/s.ts';

/** What a change is about: a policy that selects one dataplane, ten of them, or the mesh. */
export const concerns = ['one', 'ten', 'all'] as const;
export type Concern = (typeof concerns)[number];

export const tens = 10;
export const idOf = (at: number) => `default/node-${at}`;
/** The one inbound of each. */
export const resource = 'placet/http/http/0';

const dataplane = (at: number) => ({
  type: 'Dataplane',
  mesh: 'default',
  name: `node-${at}`,
  labels: { app: `app-${at}`, group: at >= 1 && at <= tens ? 'ten' : 'rest' },
  inbounds: [{ name: 'http', port: 8080, protocol: 'http', tags: { 'kuma.io/service': `app-${at}` } }],
});

const targets: Readonly<Record<Concern, object>> = {
  one: { kind: 'Dataplane', labels: { app: 'app-0' } },
  ten: { kind: 'Dataplane', labels: { group: 'ten' } },
  all: { kind: 'Mesh' },
};

/** Which nodes a change concerns. */
export function concerned(concern: Concern, nodes: number): readonly number[] {
  if (concern === 'one') return [0];
  return Array.from({ length: concern === 'ten' ? tens : nodes }, (_, i) => i + (concern === 'ten' ? 1 : 0));
}

/** Who has the rules: all nodes share them, each has its part of them for itself, or each has one more than all. */
export type Sharing = 'shared' | 'own' | 'both';

/** Files of a folder: dataplanes, rules, and one policy for each thing that changes. */
export function writeWorld(folder: string, sharing: Sharing, nodes: number, rules: number): void {
  const { documents } = s(rules, 0);
  const of = (type: string) =>
    documents.filter((one) => (one as { readonly type: string }).type === type) as readonly Permission[];
  const permissions = of('MeshTrafficPermission');
  write(folder, 'mesh.yaml', of('Mesh'));
  write(
    folder,
    'nodes.yaml',
    Array.from({ length: nodes }, (_, at) => dataplane(at)),
  );
  const own = Array.from({ length: nodes }, (_, at) => ({
    list: 'allow',
    matcher: { spiffeID: { type: 'Exact', value: `spiffe://td0.example/ns/own/sa/${at}` } },
  }));
  if (sharing !== 'own') write(folder, 'shared.yaml', permissions);
  if (sharing !== 'shared')
    write(folder, 'own.yaml', dealt(sharing === 'own' ? matchersOf(permissions) : own, nodes));
  for (const concern of concerns) writeChange(folder, concern, 0);
}

/** A policy whose one permission is for another client each time. */
export function writeChange(folder: string, concern: Concern, version: number): void {
  const value = `spiffe://td0.example/ns/changes/sa/${concern}-${version}`;
  const lists = { allow: [{ spiffeID: { type: 'Exact', value } }] };
  write(folder, `changed-${concern}.yaml`, [
    {
      type: 'MeshTrafficPermission',
      mesh: 'default',
      name: `changed-${concern}`,
      spec: { targetRef: targets[concern], rules: [{ default: lists }] },
    },
  ]);
}

interface Permission {
  readonly spec: {
    readonly rules: readonly { readonly default: Readonly<Record<string, readonly object[]>> }[];
  };
}

interface Listed {
  readonly list: string;
  readonly matcher: object;
}

function matchersOf(permissions: readonly Permission[]): readonly Listed[] {
  return permissions.flatMap(({ spec }) =>
    spec.rules.flatMap(({ default: lists }) =>
      Object.entries(lists).flatMap(([list, matchers]) => matchers.map((matcher) => ({ list, matcher }))),
    ),
  );
}

/** In turns, a policy for each. */
function dealt(all: readonly Listed[], nodes: number): readonly object[] {
  return Array.from({ length: nodes }, (_, at) => {
    const lists: Record<string, object[]> = {};
    for (let i = at; i < all.length; i += nodes) {
      const { list, matcher } = all[i]!;
      lists[list] = [...(lists[list] ?? []), matcher];
    }
    return {
      type: 'MeshTrafficPermission',
      mesh: 'default',
      name: `node-${at}`,
      spec: { targetRef: { kind: 'Dataplane', labels: { app: `app-${at}` } }, rules: [{ default: lists }] },
    };
  });
}

/** Whole at once, as whoever reads it wants it. */
function write(folder: string, name: string, documents: readonly object[]): void {
  const file = join(folder, name);
  writeFileSync(`${file}.new`, documents.map((one) => JSON.stringify(one)).join('\n---\n'));
  renameSync(`${file}.new`, file);
}
