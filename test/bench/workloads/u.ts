import { attributesRequest } from './a.ts';
import { type AccessShape, accessRule } from './access.ts';
import { seeded } from './random.ts';
import type { Workload } from './types.ts';
import { growing } from './universe.ts';

/**
 * U: A with one value in ten unknown, on both sides: most of them left out of a set that says it is not
 * complete, a quarter only asserted, which is below the floor of every allow.
 */
const unknownShare = 0.1;

function blur(
  chance: (share: number) => boolean,
  attributes: Record<string, string>,
): Record<string, string | { value: string; trust: string }> {
  const left: Record<string, string | { value: string; trust: string }> = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (!chance(unknownShare)) left[key] = value;
    else if (chance(0.25)) left[key] = { value, trust: 'asserted' };
  }
  return left;
}

export function u(size: number, requests: number): Workload {
  const random = seeded(5_000 + size);
  const shape: AccessShape = { universe: growing(size), conditions: [1, 4] };
  const made = Array.from({ length: size }, (_, i) => accessRule(random, shape, i));
  const text = (): string => {
    const { source, destination } = attributesRequest(random, shape, made);
    return JSON.stringify({
      source: { attributes: blur(random.chance, source.attributes), complete: false },
      destination: {
        namespace: destination.namespace,
        attributes: blur(random.chance, destination.attributes),
        complete: false,
      },
    });
  };
  return {
    name: 'U',
    size,
    documents: made.map((one) => one.document),
    rules: made.map((one) => one.rule),
    dataplanes: [],
    requests: Array.from({ length: requests }, text),
  };
}
