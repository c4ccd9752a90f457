import { describe, expect, test } from 'vitest';
import type { Side } from '../../../src/policy/zones/plan.ts';
import { syncedName } from '../../../src/policy/zones/suffix.ts';
import { leads } from './resolving.ts';
import { changes, digest, Folder, global, sync, universal, zone } from './syncing.ts';

/** Two zones and a Global, in which everything refers to everything that it may. */

const head = (kind: string, name: string, namespace?: string) =>
  `apiVersion: kuma.io/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name}${namespace === undefined ? '' : `, namespace: ${namespace}`} }\n`;
const to = (ref: string, rest = 'default: {}') => `spec:\n  to:\n    - targetRef: ${ref}\n      ${rest}\n`;
const all = (...texts: string[]) => texts.join('---\n');
const copied = (name: string, zoneName: string, namespace: string, longest = 253) =>
  syncedName({ mesh: 'default', name, zone: zoneName, namespace }, longest, digest);

const backend = copied('backend', 'zone-1', 'backend-ns', 63);

const zoneOne = all(
  `${head('MeshService', 'backend', 'backend-ns')}spec: {}\n`,
  `${head('MeshGateway', 'edge')}spec: {}\n`,
  `${head('Dataplane', 'backend-1', 'backend-ns')}spec: { networking: { inbound: [{ port: 80, tags: { kuma.io/service: backend } }] } }\n`,
  head('MeshTimeout', 'producer', 'backend-ns') + to('{ kind: MeshService, name: backend }'),
  head('MeshHTTPRoute', 'backend-route', 'backend-ns') +
    to(
      '{ kind: MeshService, name: backend }',
      'rules: [{ matches: [], default: { backendRefs: [{ kind: MeshServiceSubset, name: backend, tags: { version: v2 } }], filters: [{ type: RequestMirror, requestMirror: { backendRef: { kind: MeshService, name: backend, namespace: backend-ns } } }] } }]',
    ),
  head('MeshTimeout', 'route-timeout', 'backend-ns') + to('{ kind: MeshHTTPRoute, name: backend-route }'),
  head('MeshCircuitBreaker', 'gateway', 'backend-ns') +
    to('{ kind: MeshService, name: backend }').replace(
      'spec:\n',
      'spec:\n  targetRef: { kind: MeshGateway, name: edge }\n',
    ),
  `${head('MeshMetric', 'one-proxy', 'backend-ns')}spec: { targetRef: { kind: Dataplane, name: backend-1, namespace: backend-ns }, default: {} }\n`,
  head('MeshRetry', 'local-consumer', 'frontend-ns') +
    to('{ kind: MeshService, name: backend, namespace: backend-ns }'),
  head('MeshRetry', 'operator', 'kuma-system') +
    to('{ kind: MeshService, name: backend, namespace: backend-ns }'),
  // What Global made, under the name that its copy has in a zone.
  head('MeshRetry', 'of-global', 'kuma-system') +
    to(`{ kind: MeshMultiZoneService, name: ${copied('everywhere', '', 'kuma-system', 63)} }`),
);
const zoneTwo = all(
  head('MeshTimeout', 'consumer', 'frontend-ns') +
    to(`{ kind: MeshService, name: ${backend}, namespace: kuma-system }`),
  head('MeshTimeout', 'by-labels', 'frontend-ns') +
    to('{ kind: MeshHTTPRoute, labels: { kuma.io/display-name: backend-route, kuma.io/zone: zone-1 } }'),
);
const middleText = all(
  `${head('MeshMultiZoneService', 'everywhere', 'kuma-system')}spec: {}\n`,
  `${head('MeshExternalService', 'aws', 'kuma-system')}spec: {}\n`,
  head('MeshHTTPRoute', 'own-route', 'kuma-system') +
    to('{ kind: MeshMultiZoneService, name: everywhere }', 'rules: []'),
  head('MeshTimeout', 'for-route', 'kuma-system') +
    to('{ kind: MeshHTTPRoute, name: own-route, namespace: kuma-system }'),
  head('MeshTimeout', 'for-external', 'kuma-system') + to('{ kind: MeshExternalService, name: aws }'),
  // Of one zone: there it is no copy.
  head('MeshTimeout', 'for-backend', 'kuma-system') + to(`{ kind: MeshService, name: ${backend} }`),
);

function run([one, two, middle]: Folder[]): string[] {
  return [
    ...changes(sync(one!, middle!)),
    ...changes(sync(two!, middle!)),
    ...changes(sync(middle!, one!)),
    ...changes(sync(middle!, two!)),
  ];
}

const other = { zone: 'zone-2', systemNamespace: 'mesh-system' };

describe.each<[string, Side, Side, Side]>([
  ['Kubernetes everywhere', zone('zone-1'), zone('zone-2'), global],
  ['a zone with another system namespace', zone('zone-1'), other, global],
  [
    'a Global with another system namespace',
    zone('zone-1'),
    zone('zone-2'),
    { zone: undefined, systemNamespace: 'hub' },
  ],
])('%s', (_, one, two, middle) => {
  const renamed = (side: Side, text: string) => text.replaceAll('kuma-system', side.systemNamespace!);
  const folders = [
    new Folder(
      one,
      zoneOne.replaceAll(
        copied('everywhere', '', 'kuma-system', 63),
        copied('everywhere', '', middle.systemNamespace!, 63),
      ),
    ),
    new Folder(two, renamed(two, zoneTwo)),
    new Folder(middle, renamed(middle, middleText)),
  ];
  for (let round = 0; round < 2; round++) run(folders);

  test('[ZON9] every reference leads to the same thing in every place', () => {
    const [inOne, inTwo, inMiddle] = folders.map((place) => leads(place));
    expect(inMiddle!.size).toBe(14);
    for (const [who, expected] of inOne!)
      if (who.includes(' zone-1 ')) expect([who, inMiddle!.get(who)]).toEqual([who, expected]);
    for (const [who, expected] of inTwo!)
      if (who.includes(' zone-2 ')) expect([who, inMiddle!.get(who)]).toEqual([who, expected]);
    for (const place of [inOne!, inTwo!])
      for (const [who, found] of place) {
        if (who.includes(' gateway')) continue;
        expect([who, found]).toEqual([who, inMiddle!.get(who)]);
      }
    const nowhere = [inOne!, inTwo!, inMiddle!].flatMap((place) =>
      [...place].flatMap(([who, found]) => found.filter((one) => one.includes('nowhere')).map(() => who)),
    );
    // The gateway of a zone does not go to other zones; that of the same name there would be another one.
    expect(nowhere).toEqual(['MeshCircuitBreaker default zone-1 backend-ns gateway']);
  });

  test('[ZON9] a mirror of a route is a backend too', () => {
    const [{ rules }] = folders[1]!.copy('MeshHTTPRoute', 'backend-route').spec.to;
    expect(rules[0].default.filters[0].requestMirror.backendRef).toEqual({
      kind: 'MeshService',
      name: backend,
      namespace: two.systemNamespace,
    });
  });

  test('[ZON10] and another round changes nothing', () => {
    expect(run(folders)).toEqual([]);
  });

  test('[ZON7] [ZON8] each zone has what is for it', () => {
    expect(folders[1]!.kinds()).toEqual([
      'MeshCircuitBreaker gateway',
      'MeshExternalService aws',
      'MeshHTTPRoute backend-route',
      'MeshHTTPRoute own-route',
      'MeshMultiZoneService everywhere',
      'MeshService backend',
      'MeshTimeout for-backend',
      'MeshTimeout for-external',
      'MeshTimeout for-route',
      'MeshTimeout producer',
      'MeshTimeout route-timeout',
    ]);
    expect(folders[0]!.kinds()).toEqual([
      'MeshExternalService aws',
      'MeshHTTPRoute own-route',
      'MeshMultiZoneService everywhere',
      'MeshTimeout for-backend',
      'MeshTimeout for-external',
      'MeshTimeout for-route',
    ]);
  });

  test('[ZON9] what Global says of a zone has there the names of that zone', () => {
    expect(folders[0]!.copy('MeshTimeout', 'for-backend').spec.to[0].targetRef).toEqual({
      kind: 'MeshService',
      name: 'backend',
      namespace: 'backend-ns',
    });
    expect(folders[1]!.copy('MeshTimeout', 'for-backend').spec.to[0].targetRef.name).toBe(backend);
  });
});

test('[ZON5] [ZON9] Global without namespaces between zones that have them', () => {
  const [one, two, middle] = [
    new Folder(zone('zone-1'), zoneOne),
    new Folder(zone('zone-2'), zoneTwo),
    new Folder(universal(), ''),
  ];
  run([one, two, middle]);
  for (const copy of middle.copies()) {
    expect([copy.metadata, copy.namespace, copy.apiVersion]).toEqual([undefined, undefined, undefined]);
    expect(copy.type).toMatch(/^(Mesh\w+|Dataplane)$/);
  }
  // A legacy kind has its fields beside its name there.
  expect(middle.copy('Dataplane', 'backend-1').networking).toBeDefined();
  const route = leads(middle).get('MeshTimeout default zone-1 backend-ns route-timeout');
  expect(route).toEqual(['MeshHTTPRoute default zone-1 backend-ns backend-route']);
  expect(leads(two).get('MeshTimeout default zone-1 backend-ns route-timeout')).toEqual(route);
  expect(two.copy('MeshHTTPRoute', 'backend-route').metadata.namespace).toBe('kuma-system');
  expect(run([one, two, middle])).toEqual([]);
});

test('[ZON9] the value of a tag, which is no name of a document, stays', () => {
  const text = head('MeshTimeout', 'p', 'kuma-system') + to('{ kind: MeshService, name: backend_ns_svc_80 }');
  const middle = new Folder(global);
  sync(new Folder(zone('zone-1'), text), middle);
  expect(middle.copies()[0].spec.to[0].targetRef).toEqual({ kind: 'MeshService', name: 'backend_ns_svc_80' });
  const top = `${head('MeshMetric', 'm', 'ns')}spec: { targetRef: { kind: MeshService, name: backend }, default: {} }\n`;
  sync(new Folder(zone('zone-1'), all(top, `${head('MeshService', 'backend', 'ns')}spec: {}\n`)), middle);
  expect(middle.copy('MeshMetric', 'm').spec.targetRef).toEqual({ kind: 'MeshService', name: 'backend' });
});

test('[ZON9] from[] names clients by tags, and stays', () => {
  const spec =
    'spec: { from: [{ targetRef: { kind: MeshService, name: backend }, default: { action: Allow } }] }\n';
  const middle = new Folder(global);
  sync(
    new Folder(
      zone('zone-1'),
      all(
        head('MeshTrafficPermission', 'p', 'ns') + spec,
        `${head('MeshService', 'backend', 'ns')}spec: {}\n`,
      ),
    ),
    middle,
  );
  expect(middle.copy('MeshTrafficPermission', 'p').spec).toEqual({
    from: [{ targetRef: { kind: 'MeshService', name: 'backend' }, default: { action: 'Allow' } }],
  });
});

test('[ZON9] the older form and other spellings are followed too', () => {
  const middle = new Folder(global);
  const text = `
type: UpstreamTimeout
name: t
namespace: ns
conf:
  to:
    - targetRef: { kind: Service, name: backend }
      connectTimeout: 1s
---
type: MeshService
name: backend
namespace: ns
`;
  sync(new Folder(zone('zone-1'), text), middle);
  const { name } = middle.copy('MeshService', 'backend').metadata;
  expect(middle.copy('UpstreamTimeout', 't').spec).toEqual({
    conf: { to: [{ targetRef: { kind: 'Service', name, namespace: 'kuma-system' }, connectTimeout: '1s' }] },
  });
});

test('[ZON5] a kind that a document describes is copied into the group that it says', () => {
  const text = `
type: PolicyKind
name: Mine
spec: { directions: [to], shortName: mine, apiVersion: example.com/v1 }
---
type: Mine
name: p
namespace: ns
spec: { to: [{ targetRef: { kind: MeshService, name: backend }, default: {} }] }
`;
  const [one, middle, two] = [
    new Folder(zone('zone-1'), text),
    new Folder(global),
    new Folder(zone('zone-2')),
  ];
  sync(one, middle);
  sync(middle, two);
  expect(two.copy('Mine', 'p').apiVersion).toBe('example.com/v1');
});
