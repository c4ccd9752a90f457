import * as b from '../interpreter/build.ts';

/** Permissions of the tag form, and by hand the two filters for them; each with an item of every action. */

const permission = (name: string, targetRef: object, action: string) => ({
  type: 'MeshTrafficPermission',
  mesh: 'tags',
  name,
  spec: { targetRef: { kind: 'Mesh' }, from: [{ targetRef, default: { action } }] },
});

export const documents = [
  { type: 'Mesh', name: 'tags', certificates: 'tags' },
  { type: 'Mesh', name: 'elsewhere', certificates: 'tags' },
  {
    type: 'Dataplane',
    mesh: 'tags',
    name: 'web-1',
    inbounds: [{ name: 'tcp', port: 9000, protocol: 'tcp', tags: { 'kuma.io/service': 'web' } }],
  },
  // Of policies that differ in name only the one with the smaller name is stronger.
  permission('4-all', { kind: 'Mesh' }, 'Deny'),
  permission('3-dev', { kind: 'MeshSubset', tags: { env: 'dev' } }, 'Allow'),
  permission('2-east', { kind: 'MeshSubset', tags: { zone: 'east' } }, 'Deny'),
  permission('1-client', { kind: 'MeshService', name: 'client' }, 'AllowWithShadowDeny'),
];

export const destination = { mesh: 'tags', dataplane: 'web-1', inbound: 'tcp' };

const not = (principal: object) => ({ not_id: principal });
const all = (...ids: object[]) => ({ and_ids: { ids } });
const some = (...ids: object[]) => ({ or_ids: { ids } });
export const ofMesh = b.mtls({ safe_regex: { regex: 'spiffe://tags/[^/]+' } });
const tag = (key: string, value: string) => b.mtls({ exact: `kuma://${key}/${value}` });
const client = b.mtls({ exact: 'spiffe://tags/client' });

/** East is denied unless a stronger item of another effect takes over. */
const deniedEast = all(ofMesh, tag('zone', 'east'), not(client));
const allowed = some(client, all(ofMesh, tag('env', 'dev')));

export const filters = [
  b.network({
    stat_prefix: 'tags.',
    shadow_rules_stat_prefix: 'shadow.',
    rules: b.rules({ '2-east': [b.any, deniedEast] }, 'DENY'),
    // The client's own item denies here; it is the strongest.
    shadow_rules: b.rules({
      '3-dev': [b.any, all(ofMesh, tag('env', 'dev'), not(client), not(tag('zone', 'east')))],
    }),
  }),
  b.network({ stat_prefix: 'tags_allow.', rules: b.rules({ allow: [b.any, allowed] }) }),
];
