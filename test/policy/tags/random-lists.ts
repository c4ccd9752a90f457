import type { Random } from '../../oracle/random.ts';

/** Random lists of tag permissions of one mesh, and clients with one value per tag. */

const values: Readonly<Record<string, readonly string[]>> = {
  'kuma.io/service': ['web', 'api'],
  version: ['v1', 'v2', 'v3'],
  env: ['dev', 'prod'],
  'kuma.io/zone': ['east', 'west'],
};
const actions = ['Allow', 'DENY', 'ALLOW_WITH_SHADOW_DENY', 'denyWithShadowAllow'];
const meshes = [undefined, undefined, undefined, 'default', 'other'];

export function randomPermission(random: Random, name: string): object {
  const items = Array.from({ length: random.between(1, 6) }, () => ({
    targetRef: clients(random),
    action: random.pick(actions),
  }));
  const spec = random.chance(0.7)
    ? { from: items.map(({ targetRef, action }) => ({ targetRef, default: { action } })) }
    : { conf: { from: items } };
  const targetRef = random.pick([
    undefined,
    undefined,
    { kind: 'MeshService', name: 'backend' },
    { kind: 'MeshSubset', tags: { version: random.pick(['v1', '!v1', 'v2']) } },
    { kind: 'MeshHTTPRoute', name: random.pick(['r1', 'r2']) },
    { kind: 'Dataplane', name: 'other' },
  ]);
  const labels = random.chance(0.15) ? { labels: { 'kuma.io/effect': 'shadow' } } : {};
  return {
    type: 'MeshTrafficPermission',
    name,
    ...labels,
    spec: { ...spec, ...(targetRef && { targetRef }) },
  };
}

function clients(random: Random): object {
  const mesh = random.pick(meshes);
  const tags: Record<string, string> = {};
  for (const tag of random.some(Object.keys(values), 0, 3)) {
    const value = random.pick(values[tag]!);
    tags[tag] = random.chance(0.35) ? `!${value}` : value;
  }
  return { kind: 'MeshSubset', tags, ...(mesh && { mesh }) };
}

export function randomClient(random: Random): { mesh: string; tags: Record<string, string> } {
  const tags: Record<string, string> = {};
  for (const tag of random.some(Object.keys(values), 0, 4))
    tags[tag] = random.pick([...values[tag]!, 'unheard-of']);
  return { mesh: random.pick(['default', 'default', 'other']), tags };
}
