import { expect, test } from 'vitest';
import { limits } from '../../src/pdp/model/limits.ts';
import { loadValues, violationsIn } from './loading.ts';

const permission = (matcher: object) => ({
  type: 'MeshTrafficPermission',
  name: 'p',
  default: { allow: [matcher] },
});
const access = (matchLabels: object) => ({
  type: 'AccessPolicy',
  name: 'p',
  action: 'allow',
  from: [{ workloadSelector: { matchLabels } }],
  to: [{ workloadSelector: {} }],
});
const hostName = (length: number) => `${'a'.repeat(60)}.`.repeat(4) + 'b'.repeat(length - 4 * 61);
const spiffeId = (length: number, start = 'spiffe://td.example/') => start.padEnd(length, 'a');

test.each<[string, number, (length: number) => object, string]>([
  [
    'a name',
    limits.nameBytes,
    (n) => ({ type: 'Service', name: 'a'.repeat(n) }),
    'want a name of at most 253',
  ],
  [
    'a SPIFFE ID',
    limits.spiffeIdBytes,
    (n) => permission({ spiffeId: { type: 'Exact', value: spiffeId(n) } }),
    'longer than the 2048 bytes',
  ],
  [
    'the beginning of a SPIFFE ID',
    limits.spiffeIdBytes,
    (n) => permission({ spiffeId: { type: 'Prefix', value: spiffeId(n) } }),
    'longer than the 2048 bytes',
  ],
  [
    'a trust domain',
    limits.trustDomainBytes,
    (n) => ({ type: 'Mesh', name: 'm', trustDomains: ['a'.repeat(n)] }),
    'longer than 255 bytes',
  ],
  [
    'a path',
    limits.pathBytes,
    (n) => permission({ path: { type: 'Exact', value: '/'.padEnd(n, 'a') } }),
    'want a path of at most 16384',
  ],
  [
    'a method',
    limits.methodBytes,
    (n) => permission({ method: 'A'.repeat(n) }),
    'want a method of at most 64',
  ],
  [
    'a server name',
    limits.sniBytes,
    (n) => permission({ sni: { type: 'Exact', value: hostName(n) } }),
    'want a host name of at most 253',
  ],
  [
    'an attribute key',
    limits.attributeKeyBytes,
    (n) => access({ ['a'.repeat(n)]: 'b' }),
    'want an attribute key of at most 512',
  ],
  [
    'an attribute value',
    limits.attributeValueBytes,
    (n) => access({ a: 'b'.repeat(n) }),
    'want a value of at most 4096',
  ],
])('[DOC6] %s of %i and of one more', (_title, limit, document, want) => {
  expect(violationsIn(loadValues(document(limit)))).toEqual([]);
  const over = violationsIn(loadValues(document(limit + 1)));
  expect(over).toHaveLength(1);
  expect(over[0]).toContain(want);
});
