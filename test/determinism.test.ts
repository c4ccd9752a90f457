import { expect, test } from 'vitest';
import { open } from '../src/index.ts';
import type { Channel } from '../src/pdp/model/request.ts';
import { generate } from './oracle/generate.ts';
import { Random } from './oracle/random.ts';
import type { Shape } from './oracle/shapes.ts';

/** Neither the order of documents nor that of keys shows in what `decide`, `explain` and `snapshot` say. */

const shuffles = 100;

/** The same value with the keys of all objects in another order. Lists keep theirs: it means something. */
function rekeyed(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((one) => rekeyed(one, random));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    random.shuffled(Object.entries(value)).map(([key, one]) => [key, rekeyed(one, random)]),
  );
}

function shuffled(documents: readonly Shape[], random: Random): Shape[] {
  return random.shuffled(documents).map((document) => rekeyed(document, random) as Shape);
}

function said(
  documents: readonly Shape[],
  channel: Channel | undefined,
  requests: readonly unknown[],
): string[] {
  const placet = open(documents, channel === undefined ? {} : { channel });
  const answers = requests.flatMap((request) => [placet.decide(request), placet.explain(request)]);
  return [placet.snapshot, ...answers.map((answer) => JSON.stringify(answer))];
}

function expectSame(
  documents: readonly Shape[],
  requests: readonly unknown[],
  seed: number,
  channel?: Channel,
) {
  const random = new Random(seed);
  const wanted = said(documents, channel, requests);
  for (let i = 0; i < shuffles; i++) {
    const askedAnew = requests.map((request) => rekeyed(request, random));
    expect(said(shuffled(documents, random), channel, askedAnew)).toEqual(wanted);
  }
}

test.each([3, 19, 40, 58])('[TIER2] [SNAP1] 100 shuffles of world %i say the same, byte for byte', (seed) => {
  const { documents, channel, requests } = generate(seed, 3);
  expectSame(documents, requests, seed, channel);
});

test('[SNAP1] a changed value gives another snapshot', () => {
  const { documents } = generate(3);
  const changed = structuredClone(documents);
  const service = changed.find((one) => (one.type ?? one.kind) === 'Service')!;
  const labels = { ...(service.labels ?? service.metadata?.labels), more: '1' };
  if (service.metadata === undefined) service.labels = labels;
  else service.metadata.labels = labels;
  expect(open(changed).snapshot).not.toBe(open(documents).snapshot);
});
