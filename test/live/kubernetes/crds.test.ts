import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { formatViolation } from '../../../src/pdp/model/violation.ts';
import { readPaths, shippedKinds } from '../../../src/policy/files.ts';
import { load } from '../../../src/policy/load.ts';
import { parseText } from '../../../src/policy/text/parse.ts';
import { live } from '../../live.ts';
import { digest, fixture } from '../../policy/loading.ts';
import { Refused } from '../../support/kubernetes/client.ts';
import { openCluster, type TestCluster } from '../../support/kubernetes/cluster.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { programsMissing } from '../../support/programs/missing.ts';
import {
  type Definition,
  definitions,
  definitionsPath,
  install,
  pathOf,
  placed,
  remove,
  store,
} from './resources.ts';

const missing = programsMissing([etcd, kubeApiserver]);
let cluster: TestCluster;

beforeAll(async () => {
  if (missing !== undefined) return;
  cluster = await openCluster();
  await install(cluster.api);
});
afterAll(() => cluster?.stop());

/** What became of it, or why it was refused. */
async function tried(value: unknown): Promise<string> {
  const one = placed(value);
  if (one === undefined) return 'no resource';
  // Before each try: what another document was stored as is not in the way.
  await remove(cluster.api, one).catch(() => undefined);
  try {
    await store(cluster.api, one);
    return 'stored';
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.body.message ?? '';
  }
}

const documentsOf = (file: string) => parseText(readFileSync(file, 'utf8'), file).documents;

/** What documents that are not used are to Placet they are to the API server: nothing of ours. */
const isIgnored = (value: unknown) =>
  load([{ value, place: () => undefined }], digest, shippedKinds).ignored.some(
    ({ path }) => path.length === 0,
  );

const structural = new Set(['missing', 'type', 'unknown-field']);
/** Null is no value to Kubernetes; of two types it keeps both; and what stands between fields it knows by a few rules. */
const beyond = /got null|want a string or an object| beside /;

describe('[CRD3] a real API server', () => {
  live(missing, '[CRD3] serves every definition, whose schemas are structural', async () => {
    for (const { metadata } of definitions) {
      const { status } = (await cluster.api.get(
        `${definitionsPath}/${metadata.name}`,
      )) as unknown as Definition;
      const conditions = new Map(status?.conditions?.map((one) => [one.type, one]));
      expect([metadata.name, conditions.get('NonStructuralSchema')]).toEqual([metadata.name, undefined]);
      expect([metadata.name, conditions.get('Established')?.status]).toEqual([metadata.name, 'True']);
    }
  });

  live(missing, '[CRD3] stores what is right', async () => {
    const good = [
      ...readPaths(['policies']).documents.map(({ value }) => value),
      ...parseText(fixture('good/shapes.yaml')).documents.map(({ value }) => value),
      ...documentsOf('test/policy/targets/fixtures/good.yaml').map(({ value }) => value),
    ].filter((value) => (value as { $schema?: unknown }).$schema === undefined && !isIgnored(value));
    const counts = { stored: 0, others: 0 };
    const refused: string[] = [];
    for (const value of good) {
      const said = await tried(value);
      if (said === 'stored') counts.stored++;
      else if (said === 'no resource') counts.others++;
      else refused.push(said);
    }
    expect(refused).toEqual([]);
    expect(counts.stored).toBeGreaterThan(80);
    expect(counts.others).toBeLessThan(counts.stored / 4);
  });

  live(missing, '[CRD4] refuses what is wrong in shape', async () => {
    const stored: string[] = [];
    let refused = 0;
    for (const name of ['access-policy', 'matchers', 'tag-form', 'targets', 'things', 'peers'])
      for (const { value } of parseText(fixture(`bad/${name}.yaml`)).documents) {
        const { violations } = load([{ value, place: () => undefined }], digest, shippedKinds);
        const wrong = violations.filter((one) => structural.has(one.code) && !beyond.test(one.message));
        if (wrong.length === 0) continue;
        if ((await tried(value)) === 'stored')
          stored.push(`${name}: ${wrong.map(formatViolation).join('; ')}`);
        else refused++;
      }
    expect(stored).toEqual([]);
    expect(refused).toBeGreaterThan(15);
  });

  const everybody = [{ workloadSelector: {} }];
  const access = (expression: object) => ({
    type: 'AccessPolicy',
    name: 'x',
    spec: {
      action: 'allow',
      from: [{ workloadSelector: { matchExpressions: [expression] } }],
      to: everybody,
    },
  });
  const permission = (spec: object) => ({ type: 'MeshTrafficPermission', name: 'x', spec });
  const spiffeId = { type: 'Exact', value: 'spiffe://td.example/a' };

  const matched = (matchLabels: object | null) => ({
    ...access({ key: 'a', operator: 'Exists' }),
    spec: { action: 'allow', from: [{ workloadSelector: { matchLabels } }], to: everybody },
  });
  live(missing, '[CRD4] keeps a null where nothing else may stand, for Placet to refuse', async () => {
    const nulls = [
      matched({ 'k8s:ns': null }),
      matched(null),
      permission({ default: { allow: [{ spiffeID: null, path: { type: 'Exact', value: '/x' } }] } }),
      permission({ default: { allow: [{ spiffeID: spiffeId, path: null }] } }),
      permission({ default: { allow: [{ spiffeID: spiffeId, dataplaneLabels: null }] } }),
    ];
    for (const value of nulls) {
      expect([JSON.stringify(value), await tried(value)]).toEqual([JSON.stringify(value), 'stored']);
      const { resource, namespace, name } = placed(value)!;
      const kept = (await cluster.api.get(pathOf(resource, namespace, name))) as object;
      const { violations } = load([{ value: kept, place: () => undefined }], digest, shippedKinds);
      expect([JSON.stringify(value), violations.map(({ message }) => message)]).toEqual([
        JSON.stringify(value),
        [expect.stringContaining('got null')],
      ]);
    }
  });

  const floorless = matched({ 'k8s:ns': 'a' });
  live(missing, '[CRD4] refuses a null where one of several words stands', async () => {
    const said = await tried({ ...floorless, spec: { ...floorless.spec, trust: null } });
    expect(said).toContain('spec.trust: Unsupported value: null');
  });

  const wrong: readonly (readonly [object, string])[] = [
    [
      access({ key: 'k8s:ns', operator: 'In' }),
      'spec.from[0].workloadSelector.matchExpressions[0]: Invalid value: want at least one value for "In"',
    ],
    [access({ key: 'k8s:ns', operator: 'Exists', values: ['a'] }), 'none for "Exists" and "DoesNotExist"'],
    [
      { ...access({ key: 'a', operator: 'Is' }) },
      'operator: Unsupported value: "Is": supported values: "In", "NotIn", "Exists", "DoesNotExist"',
    ],
    [
      {
        type: 'PrivilegedAccessPolicy',
        name: 'x',
        spec: { action: 'deny', from: [{ workloadSelector: {}, workloadSets: ['a'] }], to: everybody },
      },
      'spec.from[0]: Invalid value: got "workloadSets", want "workloadSelector"',
    ],
    [permission({}), 'spec: Invalid value: want one of "default", "rules", "from" and "conf"'],
    [permission({ default: {}, from: [] }), 'want one of "default", "rules", "from" and "conf"'],
    [
      permission({ default: { allow: [{}] } }),
      'spec.default.allow[0] in body should have at least 1 propert',
    ],
    [
      permission({ default: { allow: [{ spiffeId, spiffeID: spiffeId }] } }),
      'spec.default.allow[0]: Invalid value: got both "spiffeId" and "spiffeID", want one of them',
    ],
    [permission({ targetRef: { name: 'web' }, default: {} }), 'got no "kind", want it beside the other'],
    [
      permission({ targetRef: { kind: 'Dataplane', name: 'a', labels: { a: 'b' } }, default: {} }),
      'spec.targetRef: Invalid value: got both "name" and "labels", want one of them',
    ],
    [
      { type: 'Workload', name: 'x', spec: { images: ['a'], containers: [] } },
      'spec: Invalid value: got both "images" and "containers", want one of them',
    ],
    [
      { type: 'Dataplane', name: 'x', spec: { inbounds: [], networking: {} } },
      'got both "inbounds" and "networking", want one of them',
    ],
    [
      {
        apiVersion: 'kuma.io/v1alpha1',
        kind: 'MeshTimeout',
        metadata: { name: 'x' },
        spec: { conf: {}, to: [] },
      },
      'spec: Invalid value: got both "conf" and "to", want one of them',
    ],
    [{ type: 'Site', name: 'x', spec: { flor: 'observed' } }, 'unknown field "spec.flor"'],
  ];
  for (const [value, message] of wrong)
    live(missing, `[CRD4] says of ${JSON.stringify(value).slice(0, 70)}… what is wanted`, async () => {
      expect(await tried(value)).toContain(message);
    });

  live(missing, '[CRD4] a misspelt matcher lets nobody in, whoever stores it', async () => {
    const misspelt = permission({ default: { allow: [{ spifeId: spiffeId }] } });
    const one = placed({ ...misspelt, namespace: 'default' })!;
    const stored = cluster.api.post(pathOf(one.resource, 'default'), one.body);
    await expect(stored).rejects.toThrow('should have at least 1 propert');
  });

  live(missing, '[CRD5] what was stored is read as it was written', async () => {
    for (const { value } of readPaths(['policies']).documents) {
      const one = placed(value);
      if (one === undefined || (await tried(value)) !== 'stored') continue;
      const back = await cluster.api.get<{ spec: unknown }>(pathOf(one.resource, one.namespace, one.name));
      expect(back.spec).toEqual(one.body['spec']);
    }
  });
});
