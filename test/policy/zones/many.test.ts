import { expect, test } from 'vitest';
import type { Document } from '../../../src/policy/document.ts';
import { planSync } from '../../../src/policy/zones/plan.ts';
import { digest, global, type Value, zone } from './syncing.ts';

const documents = (values: readonly Value[]): Document[] =>
  values.map((value) => ({ value, place: () => undefined }));

const policy = (name: string, to: readonly object[]): Value => ({
  apiVersion: 'kuma.io/v1alpha1',
  kind: 'MeshTimeout',
  metadata: { name, namespace: 'ns' },
  spec: { to: to.map((targetRef) => ({ targetRef, default: {} })) },
});

function texts(source: readonly Value[]): string[] {
  const { actions, violations } = planSync({
    from: zone('zone-1'),
    to: global,
    source: documents(source),
    target: [],
    digest,
  });
  expect(violations).toEqual([]);
  return actions.map(({ text }) => text!);
}

test('[ZON2] [ZON9] 5,000 policies with the longest names there are, that refer to one service', () => {
  const service = {
    apiVersion: 'kuma.io/v1alpha1',
    kind: 'MeshService',
    metadata: { name: 's', namespace: 'ns' },
  };
  const many = Array.from({ length: 5000 }, (_, index) =>
    policy(`${'x'.repeat(248)}-${String(index).padStart(4, '0')}`, [{ kind: 'MeshService', name: 's' }]),
  );
  const written = texts([service, ...many]);
  expect(new Set(written.map((text) => /^ {2}name: (.*)$/m.exec(text)![1])).size).toBe(5001);
}, 60_000);

test('[ZON9] 5,000 references in one policy', () => {
  const refs = Array.from({ length: 5000 }, (_, index) => ({ kind: 'MeshService', name: `s-${index}` }));
  const [text] = texts([policy('p', refs)]);
  expect(new Set(text!.match(/name: s-\d+-[a-z0-9]{16}$/gm)).size).toBe(5000);
}, 60_000);

test('[ZON9] what nests beyond every route is copied as it is', () => {
  let deep: Value = { backendRefs: [{ kind: 'MeshService', name: 's' }] };
  for (let level = 0; level < 40; level++) deep = { deep };
  const route = {
    ...policy('p', []),
    kind: 'MeshHTTPRoute',
    spec: { to: [{ targetRef: { kind: 'Mesh' }, rules: [deep] }] },
  };
  expect(texts([route])[0]).toMatch(/name: s$/m);
});
