import { type AccessRule, type AccessShape, accessRule, satisfy } from './access.ts';
import { type Random, seeded } from './random.ts';
import type { Workload, WorkloadName } from './types.ts';
import { destinationAttributes, growing, service, sourceAttributes } from './universe.ts';

/**
 * A: namespaced AccessPolicies, 95 % allow and 5 % deny, one to four source conditions, one or two on the
 * destination, in a universe that grows with them. Requests give 14 source and 6 destination attributes
 * outright; about half are allowed.
 */
export function a(size: number, requests: number): Workload {
  return attributesWorkload('A', { universe: growing(size), conditions: [1, 4] }, size, requests, 2_000);
}

export function attributesWorkload(
  name: WorkloadName,
  shape: AccessShape,
  size: number,
  requests: number,
  seed: number,
): Workload {
  const random = seeded(seed + size);
  const made: AccessRule[] = [];
  for (let i = 0; i < size; i++) made.push(accessRule(random, shape, i));
  return {
    name,
    size,
    documents: made.map((one) => one.document),
    rules: made.map((one) => one.rule),
    dataplanes: [],
    requests: Array.from({ length: requests }, () => JSON.stringify(attributesRequest(random, shape, made))),
  };
}

export interface AttributesRequest {
  readonly source: { attributes: Record<string, string> };
  readonly destination: { namespace: string; attributes: Record<string, string> };
}

/** Half of the requests are made to fit a rule, the others fit one by chance. */
export function attributesRequest(
  random: Random,
  shape: AccessShape,
  made: readonly AccessRule[],
): AttributesRequest {
  const attributes = sourceAttributes(random, shape.universe);
  let target = service(shape.universe, random.int(shape.universe.services));
  if (random.chance(0.5)) {
    const fitting = random.pick(made);
    target = fitting.target;
    satisfy(random, attributes, fitting.rule);
  }
  return {
    source: { attributes },
    destination: { namespace: target.namespace, attributes: destinationAttributes(random, target) },
  };
}
