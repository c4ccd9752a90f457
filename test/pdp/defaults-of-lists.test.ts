import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';

/** Bans of the tag form beside allows of the SPIFFE form, and defaults of which it is not known whether they match. */

type Shape = Record<string, unknown>;

const plane = {
  type: 'Dataplane',
  name: 'd1',
  inbounds: [
    { name: 'http', port: 80 },
    { name: 'admin', port: 81 },
  ],
};
const ids = permission('ids', {
  default: { allow: [{ spiffeId: { type: 'PathPrefix', value: 'spiffe://td' } }] },
});
const ban = item({ kind: 'MeshSubset', tags: { v: 'bad' } });
const everybody = item({ kind: 'Mesh' });

function permission(name: string, spec: Shape): Shape {
  return { type: 'MeshTrafficPermission', name, spec };
}

function item(targetRef: Shape): Shape {
  return { targetRef, default: { action: 'Deny' } };
}

function tierOf(documents: Shape[], source: Shape, more: Shape = {}): unknown[] {
  const placet = open([plane, ids, ...documents]);
  const spiffeId = 'spiffe://td/ns/a/sa/b';
  const request = {
    source: { spiffeId, tags: { v: 'bad' }, ...source },
    destination: { dataplane: 'd1', inbound: 'http', ...more },
  };
  const decision = placet.decide(request);
  const { decision: explained, rules } = placet.explain(request);
  expect(explained).toEqual(decision);
  const overruled = rules.filter(({ overruledBy }) => overruledBy !== undefined).map(({ by }) => by.policy);
  return [decision.decision, decision.tier, ...overruled];
}

const mesh = 'default';

describe('[LST1] a ban stands below a default of which it is not known that it matches', () => {
  const others = permission('tags', { from: [ban, item({ kind: 'Mesh', mesh: 'other' })] });

  test('where the mesh of the client is not', () => {
    expect(tierOf([others], { mesh })).toEqual(['deny', 2]);
    expect(tierOf([others], {})).toEqual(['deny', 2, 'tags']);
    // What a plain certificate says: nothing of tags.
    expect(tierOf([others], { tags: {}, complete: false })).toEqual(['deny', 2, 'tags']);
    expect(tierOf([others], { mesh: 'other' })).toEqual(['allow', 3]);
  });

  const bans = permission('ban', { from: [ban] });

  test('where the inbound is not', () => {
    const one = { targetRef: { kind: 'Dataplane', name: 'd1', sectionName: 'http' }, from: [everybody] };
    const documents = [bans, permission('default-of-http', one)];
    expect(tierOf(documents, { mesh }, { inbound: 'admin' })).toEqual(['deny', 2]);
    expect(tierOf(documents, { mesh }, { inbound: undefined })).toEqual(['deny', 2, 'default-of-http']);
  });

  test('where the route is not', () => {
    const one = { targetRef: { kind: 'MeshHTTPRoute', name: 'r1' }, from: [everybody] };
    const documents = [bans, permission('default-of-r1', one)];
    expect(tierOf(documents, { mesh }, { route: 'other' })).toEqual(['deny', 2]);
    expect(tierOf(documents, { mesh })).toEqual(['deny', 2, 'default-of-r1']);
  });

  test('not below one that does, nor below an allow', () => {
    const sure = permission('tags', { from: [ban, everybody] });
    expect(tierOf([sure], { mesh })).toEqual(['allow', 3, 'tags']);
    const excepted = { targetRef: { kind: 'Mesh' }, default: { action: 'Allow' } };
    const between = permission('tags', { from: [ban, excepted, item({ kind: 'Mesh', mesh: 'other' })] });
    expect(tierOf([between], { mesh })).toEqual(['allow', 3, 'tags']);
  });

  test('below several', () => {
    const other = (name: string) => item({ kind: 'Mesh', mesh: name });
    const many = permission('tags', { from: [ban, other('b'), other('c'), other('d')] });
    expect(tierOf([many], {})).toEqual(['deny', 2, 'tags', 'tags', 'tags']);
  });
});
