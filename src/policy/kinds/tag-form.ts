import type { z } from 'zod';
import { choice, name, object, strings } from '../schema/fields.ts';
import { type Flaw, whole } from '../schema/flaw.ts';

/** The parts of a MeshTrafficPermission's `from[]` items (SPEC TAG1, TAG2). */

export const action = choice(
  [
    'Allow',
    'Deny',
    'AllowWithShadowDeny',
    'DenyWithShadowAllow',
    'ALLOW',
    'DENY',
    'ALLOW_WITH_SHADOW_DENY',
    'DENY_WITH_SHADOW_ALLOW',
    'allow',
    'deny',
    'allowWithShadowDeny',
    'denyWithShadowAllow',
  ],
  'Enforced first, shadow effect second.',
  { named: ['Allow', 'Deny', 'AllowWithShadowDeny', 'DenyWithShadowAllow'] },
);

export const clients = object(
  {
    kind: choice(
      ['Mesh', 'MeshSubset', 'MeshService', 'MeshServiceSubset'],
      'All clients of the mesh, or those with the tags, of the service, or both.',
      {
        unread: ['MeshGateway', 'MeshExternalService', 'MeshMultiZoneService', 'MeshHTTPRoute', 'Dataplane'],
      },
    ).optional(),
    mesh: name("The clients' mesh. Not given: the policy's.").optional(),
    name: name('The value of the tag kuma.io/service.').optional(),
    tags: strings('Tags that the client must have; "!v" is any value but v.').optional(),
  },
  'Which clients. Not given: all of the mesh.',
).check(
  whole((value) => {
    const flaws: Flaw[] = [];
    const kind = value.kind ?? 'Mesh';
    const named = kind === 'MeshService' || kind === 'MeshServiceSubset';
    const tagged = kind === 'MeshSubset' || kind === 'MeshServiceSubset';
    if (value.kind === undefined && (value.name !== undefined || value.tags !== undefined))
      return [
        {
          code: 'missing',
          message: 'got nothing, want the kind beside the name or the tags',
          path: ['kind'],
        },
      ];
    if (named && value.name === undefined)
      flaws.push({ code: 'missing', message: 'got nothing, want the name of the service', path: ['name'] });
    const known = named || tagged || kind === 'Mesh';
    if (known && !named && value.name !== undefined) flaws.push(misplaced('name', kind, 'MeshService'));
    if (known && !tagged && value.tags !== undefined) flaws.push(misplaced('tags', kind, 'MeshSubset'));
    if (typeof value.tags === 'object' && value.tags !== null)
      for (const [tag, wanted] of Object.entries(value.tags))
        if (wanted === '' || wanted === '!')
          flaws.push({
            code: 'empty',
            message: `got "${wanted}", want a value of the tag, or "!" and a value`,
            path: ['tags', tag],
          });
    return flaws;
  }),
);

export type Clients = z.infer<typeof clients>;
export type Action = z.infer<typeof action>;

function misplaced(field: string, kind: unknown, wanted: string): Flaw {
  const message = `got "${field}" beside kind "${String(kind)}", want it beside kind "${wanted}"`;
  return { code: 'conflict', message, path: [field] };
}
