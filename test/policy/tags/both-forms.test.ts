import { describe, expect, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { backend } from './documents.ts';

/** Both forms of permission on one inbound, and policies that are only tried. */

const id = 'spiffe://td.example/ns/shop/sa/web';
const source = { spiffeId: id, mesh: 'default', tags: { 'kuma.io/service': 'web' } };

function verdict(...documents: object[]): string {
  const { decision, tier, by, shadow, shadowBy } = open([backend, ...documents]).decide({
    source,
    destination: { dataplane: 'backend-1' },
  });
  return `${decision} ${tier} ${by?.policy ?? '-'}, shadow ${shadow} ${shadowBy?.policy ?? '-'}`;
}

function permission(name: string, spec: object, labels: object = {}): object {
  return { type: 'MeshTrafficPermission', name, labels, spec };
}

const matcher = { spiffeId: { type: 'Exact', value: id } };
const spiffe = (effect: string) => permission('spiffe', { default: { [effect]: [matcher] } });
const everybody = (action: string) =>
  permission('tags', { from: [{ targetRef: { kind: 'Mesh' }, default: { action } }] });
const web = { kind: 'MeshService', name: 'web' };
const some = (action: string) => permission('tags', { from: [{ targetRef: web, default: { action } }] });

describe('[TIER1] [TAG2] both forms on one inbound', () => {
  test('a written catch-all is a default, which any allow goes before', () => {
    expect(verdict(everybody('Deny'))).toBe('deny 4 tags, shadow deny tags');
    expect(verdict(everybody('Deny'), spiffe('allow'))).toBe('allow 3 spiffe, shadow allow spiffe');
    expect(verdict(everybody('Deny'), spiffe('allowWithShadowDeny'))).toBe(
      'allow 3 spiffe, shadow deny spiffe',
    );
  });

  test('a deny of some is a ban, which no allow of the other form lifts', () => {
    expect(verdict(some('Deny'), spiffe('allow'))).toBe('deny 2 tags, shadow deny tags');
    expect(verdict(some('DenyWithShadowAllow'), spiffe('allow'))).toBe('deny 2 tags, shadow allow tags');
  });

  test('a deny of the other form goes before what a list allows', () => {
    expect(verdict(some('Allow'), spiffe('deny'))).toBe('deny 2 spiffe, shadow deny spiffe');
    expect(verdict(everybody('Allow'), spiffe('deny'))).toBe('deny 2 spiffe, shadow deny spiffe');
  });

  test('only the item that counts takes part: what it overrides bans nobody', () => {
    const list = permission('tags', {
      from: [
        { targetRef: web, default: { action: 'Deny' } },
        { targetRef: { kind: 'Mesh' }, default: { action: 'Deny' } },
      ],
    });
    expect(verdict(list, spiffe('allow'))).toBe('allow 3 spiffe, shadow allow spiffe');
  });

  test('forms of one mesh in one list, the older one below', () => {
    const older = permission('older', { conf: { from: [{ targetRef: web, action: 'DENY' }] } });
    expect(verdict(older, some('Allow'))).toBe('allow 3 tags, shadow allow tags');
    expect(verdict(older, spiffe('allow'))).toBe('deny 2 older, shadow deny older');
  });
});

describe('[SHD1] [SHD2] [LST1] a list with policies that are only tried', () => {
  const tried = { 'kuma.io/effect': 'shadow' };
  const item = (action: string) => ({ from: [{ targetRef: web, default: { action } }] });

  test('the shadow world has a winner of its own', () => {
    const enforced = permission('b-enforced', item('Allow'));
    expect(verdict(enforced, permission('a-tried', item('Deny'), tried))).toBe(
      'allow 3 b-enforced, shadow deny a-tried',
    );
    expect(verdict(enforced, permission('c-tried', item('Deny'), tried))).toBe(
      'allow 3 b-enforced, shadow allow b-enforced',
    );
  });

  test('alone it decides nothing that is enforced', () => {
    expect(verdict(permission('tried', item('Allow'), tried))).toBe('deny null -, shadow allow tried');
    expect(verdict(permission('tried', item('DENY_WITH_SHADOW_ALLOW'), tried))).toBe(
      'deny null -, shadow allow tried',
    );
  });

  test('in the older form too', () => {
    const older = permission('older', { conf: { from: [{ targetRef: web, action: 'DENY' }] } }, tried);
    expect(verdict(older, spiffe('allow'))).toBe('allow 3 spiffe, shadow deny older');
  });
});
