import { expect, test } from 'vitest';
import { BodySheet } from '../../../src/gateway/http/sheet.ts';
import { channelOf } from '../../../src/pdp/model/request.ts';
import { engineOf } from '../../oracle/compare.ts';
import type { Shape } from '../../oracle/shapes.ts';
import { gc } from '../../soak/gc.ts';

const attributes = 40;
/** What is longer lies outside of the heap that is looked at. */
const padding = 524_288;

function allow(key: string, value: string): Shape {
  return {
    apiVersion: 'placet.dev/v1alpha1',
    kind: 'PrivilegedAccessPolicy',
    metadata: { name: key.replaceAll(':', '-') },
    spec: {
      action: 'allow',
      trust: 'asserted',
      from: [{ workloadSelector: { matchLabels: { [key]: value } } }],
      to: [{ workloadSelector: {} }],
    },
  } as unknown as Shape;
}

test('[REQ7] what is kept of a body is not the whole of it', () => {
  const value = 'longer than what is copied';
  const engine = engineOf([
    {
      type: 'Site',
      name: 'here',
      local: true,
      attributeRules: [{ keys: ['k8s:label:*'], from: [{ namespaces: ['shop'] }] }],
    } as unknown as Shape,
    { type: 'Service', name: 'pay', namespace: 'shop' } as Shape,
    ...Array.from({ length: attributes }, (_, i) => allow(`k8s:label:l${i}`, value)),
  ]);
  const channel = channelOf('decide');
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < attributes; i++) {
    const source = { attributes: { 'k8s:ns': 'shop', [`k8s:label:l${i}`]: value } };
    const request = JSON.stringify({ source, destination: { service: 'shop/pay' } });
    const written = engine.scan(new BodySheet(Buffer.from(' '.repeat(padding) + request))).one();
    expect(written).toBeDefined();
    expect(engine.decide(written, channel).decision).toBe('allow');
  }
  gc();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((attributes / 4) * padding);
});
