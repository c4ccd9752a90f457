import { expect, test } from 'vitest';
import { lint } from '../../../../src/policy/lint/lint.ts';
import { masksOf } from '../../../../src/policy/lint/masks/masks.ts';
import { groupsOf } from '../../../../src/policy/lint/masks/scopes.ts';
import { load } from '../../../../src/policy/load.ts';
import { digest } from '../../loading.ts';

/** Sets in which everything is in everything's way. */

const policies = 2_000;
const dataplanes = 4_000;

function loaded(target: (index: number) => object) {
  const planes = Array.from({ length: dataplanes }, (_, i) => ({
    type: 'Dataplane',
    name: `plane-${i}`,
    inbounds: [{ name: 'http', port: 8080, tags: { 'kuma.io/service': `s${i % 800}` } }],
  }));
  const permissions = Array.from({ length: policies }, (_, i) => {
    const client = { kind: 'MeshService', name: `c${i}` };
    const spiffeId = { type: 'Exact', value: `spiffe://td/ns/x/sa/c${i}` };
    const effect =
      i % 2 === 0
        ? { default: { allow: [{ spiffeId }] } }
        : { from: [{ targetRef: client, default: { action: 'Deny' } }] };
    return { type: 'MeshTrafficPermission', name: `p${i}`, spec: { targetRef: target(i), ...effect } };
  });
  const documents = [...planes, ...permissions].map((value) => ({ value, place: () => undefined }));
  return { set: load(documents, digest), documents };
}

test('[LINT12] of pairs that are too many a part is looked at', { timeout: 60_000 }, () => {
  const { set } = loaded(() => ({}));
  const groups = groupsOf(set)!;
  expect(groups).toHaveLength(1);
  const some = masksOf(set, groups, 100);
  expect(some.length).toBeGreaterThan(20);
  expect(some.length).toBeLessThanOrEqual(100);
  expect(some[0]!.groups[0]!.inbounds).toHaveLength(dataplanes);
});

test('[LINT10] [LINT11] [LINT12] large sets are told of in few words', { timeout: 60_000 }, () => {
  const { set, documents } = loaded((i) => ({ kind: 'MeshService', name: `s${(i >> 1) % 800}` }));
  const found = lint(set, documents).filter(({ code }) => ['bars-everybody', 'masks'].includes(code));
  // One for each ban that wins somewhere, and one for each policy that masks another.
  expect(found.length).toBeLessThanOrEqual(policies);
  expect(found.some(({ code }) => code === 'bars-everybody')).toBe(true);
  for (const { message } of found) expect(message.length).toBeLessThan(1_000);
});

test('[LINT10] [LINT11] [LINT12] nothing is said of more than can be looked at', { timeout: 60_000 }, () => {
  const { set } = loaded((i) => ({ kind: 'MeshService', name: `s${(i >> 1) % 800}` }));
  // Each of 800 services has five inbounds, and one target.
  expect(groupsOf(set, 4_000)).toHaveLength(800);
  expect(groupsOf(set, 3_999)).toBeUndefined();
});
