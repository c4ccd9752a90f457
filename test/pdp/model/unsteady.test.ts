import { expect, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { access } from '../shop.ts';

/** Objects of programs, which may run code when they are read. */

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** The ways to all that an object has. */
function pathsOf(object: object): string[][] {
  return Object.entries(object).flatMap(([key, value]) => [
    [key],
    ...(typeof value === 'object' ? pathsOf(value as object).map((path) => [key, ...path]) : []),
  ]);
}

/** Makes a field one that is another from so many reads on. */
function changing(object: object, [key, ...rest]: string[], reads: number, later: unknown): void {
  const value: unknown = Reflect.get(object, key!);
  if (rest.length > 0) return changing(value as object, rest, reads, later);
  let left = reads;
  Object.defineProperty(object, key!, { enumerable: true, get: () => (left-- > 0 ? value : later) });
}

const service = { service: 'shop/pay' };

test.each<[string, () => unknown]>([
  [
    'a field that throws',
    () => ({
      destination: service,
      get source() {
        throw new Error('no');
      },
    }),
  ],
  [
    'an attribute that throws',
    () => ({
      destination: service,
      source: {
        attributes: {
          get a() {
            throw new Error('no');
          },
        },
      },
    }),
  ],
  ['a proxy that was revoked', () => ({ destination: service, source: revoked() })],
  [
    'a field that is not listed',
    () => Object.defineProperty({ destination: service }, 'source', { value: {} }),
  ],
])('[REQ1] %s is refused, and nothing is thrown', (_, made) => {
  const placet = open([]);
  const value = made();
  const decision = placet.decide(value);
  expect([decision.reason, decision.violations?.length]).toEqual(['invalid-request', 1]);
  expect(placet.explain(value).decision).toEqual(decision);
});

test('[REQ1] what is another when it is read again makes nothing throw', () => {
  const placet = open([access('all', 'allow', { matchLabels: { 'k8s:ns': 'shop' } })]);
  const request = () => ({
    source: { spiffeId: 'spiffe://td/ns/shop/sa/pay', attributes: { 'k8s:ns': 'shop' } },
    destination: { namespace: 'shop', attributes: { 'k8s:ns': 'shop' } },
    request: { path: '/' },
  });
  const reasons = new Set<string>();
  for (const later of [undefined, null, 5, {}, 'x', revoked()])
    for (let reads = 1; reads < 8; reads++)
      for (const path of pathsOf(request()))
        for (const ask of [placet.decide, (value: unknown) => placet.explain(value).decision]) {
          const value = request();
          changing(value, path, reads, later);
          reasons.add(ask(value).reason);
        }
  expect([...reasons]).toContain('invalid-request');
});

test('[REQ1] what throws when it is looked at is no request, itself and in parts', () => {
  const placet = open([]);
  const unknowable = new Proxy({}, { getPrototypeOf: () => expect.unreachable() });
  for (const value of [revoked(), unknowable, { destination: revoked() }]) {
    const decision = placet.decide(value);
    expect([decision.reason, decision.violations?.length]).toEqual(['invalid-request', 1]);
    expect(placet.explain(value).decision).toEqual(decision);
  }
});
