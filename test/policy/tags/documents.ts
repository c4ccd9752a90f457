import { parseText } from '../../../src/policy/text/parse.ts';

/** Documents as the papers write them. */
export function documentsOf(text: string): object[] {
  const { documents, violations } = parseText(text);
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
  return documents.map(({ value }) => value as object);
}

export function inboundOf(
  tags: Readonly<Record<string, string>>,
  mesh = 'default',
  name = 'backend-1',
): object {
  return { type: 'Dataplane', mesh, name, inbounds: [{ port: 8080, tags }] };
}

export const backend = inboundOf({ 'kuma.io/service': 'backend' });

/** Two names in one mesh: in paper 001 the larger one is on top, in the papers after it the smaller one. */
export const largerWins = { type: 'Mesh', name: 'default', certificates: 'tags', nameOrder: 'larger-wins' };

/** Paper 001's input, its documents without a mesh being of the default one. */
export const paper001 = documentsOf(`
type: MeshTrafficPermission
name: global
spec:
  targetRef: {kind: Mesh}
  from:
    - targetRef: {kind: Mesh}
      default: {action: DENY}
---
type: MeshTrafficPermission
name: global-2
spec:
  targetRef: {kind: Mesh}
  from:
    - targetRef: {kind: MeshSubset, tags: {kuma.io/zone: us-east}}
      default: {action: DENY_WITH_SHADOW_ALLOW}
---
type: MeshTrafficPermission
name: backend
spec:
  targetRef: {kind: MeshService, name: backend}
  from:
    - targetRef: {kind: MeshSubset, tags: {env: dev}}
      default: {action: ALLOW}
    - targetRef: {kind: MeshService, name: web}
      default: {action: ALLOW_WITH_SHADOW_DENY}
`);

/** Its second example, for which it names no policy. */
export const secondExample = documentsOf(`
type: MeshTrafficPermission
name: zones
spec:
  from:
    - targetRef: {kind: Mesh}
      default: {action: ALLOW}
    - targetRef: {kind: MeshSubset, tags: {zone: us-east}}
      default: {action: DENY}
    - targetRef: {kind: MeshSubset, tags: {env: dev}}
      default: {action: ALLOW}
    - targetRef: {kind: MeshSubset, tags: {env: prod}}
      default: {action: ALLOW}
`);
