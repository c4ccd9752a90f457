import { describe, expect, test } from 'vitest';
import { fold, matchesText } from '../../../src/envoy/export/expression.ts';
import { sourceGuard, unclearPath } from '../../../src/envoy/export/guards.ts';
import { typed } from '../../../src/envoy/export/json.ts';
import { action, matcherOf } from '../../../src/envoy/export/matcher.ts';
import type { RbacFilter } from '../../../src/envoy/interpreter/filter.ts';
import { readRbac } from '../../../src/envoy/interpreter/interpret.ts';
import { pathAmbiguity } from '../../../src/pdp/model/path.ts';
import { isSpiffeId } from '../../../src/pdp/model/spiffe-id.ts';
import { Random } from '../../oracle/random.ts';
import { leftOf } from './peers.ts';

/** The guards against the model's own readers, on texts that are nearly right. */

function filterOf(always: boolean): RbacFilter {
  const matcher = matcherOf([{ kind: 'list', entries: [sourceGuard(always)] }], action('allowed', 'allow'));
  const type = 'envoy.extensions.filters.http.rbac.v3.RBAC';
  const { filter } = readRbac({ name: 'rbac', typed_config: typed(type, { matcher }) });
  if (filter === undefined) throw new Error('the interpreter does not read the guard');
  return filter;
}

const [atInbound, atService] = [filterOf(true), filterOf(false)];

function guarded(uriSans: readonly string[], always: boolean): string {
  const peer = { uriSans, dnsSans: ['spiffe://td/a'], presented: true, validated: true };
  const seen = { peer, request: { method: 'GET', path: '/' } };
  return (always ? atInbound : atService).decide(seen).enforced.action;
}

const pieces = [
  'spiffe://',
  'td',
  'td.example',
  '/',
  '/ns',
  '/a',
  '.',
  '..',
  '/.',
  '/..',
  '/...',
  '-',
  '_',
  'A',
  '%61',
  ',',
  '?',
  '#',
  ':1',
  '@',
  ' ',
  'ü',
];

describe('the guard of identities', () => {
  test('[ENV4] lets through what is a SPIFFE ID, and nothing else', () => {
    const random = new Random(7);
    let [valid, invalid] = [0, 0];
    for (let i = 0; i < 10_000; i++) {
      const body = Array.from({ length: random.between(0, 6) }, () => random.pick(pieces)).join('');
      const id = random.chance(0.8) ? `spiffe://td${body}` : body;
      const sound = isSpiffeId(id);
      if (sound) valid++;
      else invalid++;
      if (id !== '') expect([id, guarded([id], true)]).toEqual([id, sound ? 'ALLOW' : 'DENY']);
    }
    expect(valid).toBeGreaterThan(1_000);
    expect(invalid).toBeGreaterThan(2_000);
  });

  test.each([
    ['the longest there is', `spiffe://td/${'a'.repeat(2048 - 12)}`, 'ALLOW'],
    ['one longer', `spiffe://td/${'a'.repeat(2048 - 11)}`, 'DENY'],
    ['the longest trust domain', `spiffe://${'a'.repeat(255)}/x`, 'ALLOW'],
    ['one longer', `spiffe://${'a'.repeat(256)}/x`, 'DENY'],
  ])('[ENV4] %s', (_, id, verdict) => {
    expect(guarded([id], true)).toBe(verdict);
  });

  test('[ENV4] several URIs are none; none is none at an inbound, and nobody at a service', () => {
    expect(guarded(['spiffe://td/a', 'kuma://k/v'], true)).toBe('DENY');
    expect(guarded(['spiffe://td/a', 'spiffe://td/b'], false)).toBe('DENY');
    expect(guarded([], true)).toBe('DENY');
    expect(guarded([], false)).toBe('ALLOW');
  });
});

describe('the guard of paths', () => {
  const parts = [
    '/',
    '/a',
    '/%2f',
    '%5C',
    '%00',
    '%41',
    '%',
    '%2',
    '#',
    '\\',
    '?',
    '?x=/..%2f#',
    '//',
    '/..',
    '/.',
    '/%2e.',
    '\\.',
    ';x',
    ';',
    '%e4',
    'ü',
    ' ',
    '~',
    '"',
  ];

  test('[ENV4] [ENV5] of what Envoy leaves of a path, the same are ambiguous', () => {
    const random = new Random(11);
    let [clear, ambiguous] = [0, 0];
    for (let i = 0; i < 30_000; i++) {
      const raw =
        (random.chance(0.9) ? '/' : '') +
        Array.from({ length: random.between(0, 5) }, () => random.pick(parts)).join('');
      const seen = leftOf(raw);
      const sound = pathAmbiguity(raw) === undefined;
      if (sound) clear++;
      else ambiguous++;
      expect([raw, fold(unclearPath, (leaf) => matchesText(leaf, seen))]).toEqual([raw, !sound]);
    }
    expect(clear).toBeGreaterThan(2_000);
    expect(ambiguous).toBeGreaterThan(2_000);
  });
});
