import { expect } from 'vitest';
import { open, operatorChannel } from '../../src/index.ts';

/** A service, and policies of its namespace about who may ask for it. */

export type Shape = Record<string, unknown>;

export function access(name: string, action: string, from: Shape, namespace = 'shop', to: Shape = {}): Shape {
  const spec = { action, from: [{ workloadSelector: from }], to: [{ workloadSelector: to }] };
  return { type: 'AccessPolicy', name, namespace, spec };
}

export const is = (key: string, value: string): Shape => ({ matchLabels: { [key]: value } });
export const service = { type: 'Service', name: 'db', namespace: 'shop' };
export const db = { service: 'shop/db' };

/** What is decided, as `explain` has it too, and by which policy. */
export function ask(documents: Shape[], request: Shape, channel = operatorChannel) {
  const placet = open(documents, { channel });
  const decision = placet.decide(request);
  expect(placet.explain(request).decision).toEqual(decision);
  return [decision.decision, decision.reason, decision.by?.policy ?? null];
}
