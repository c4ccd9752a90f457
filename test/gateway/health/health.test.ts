import { afterEach, expect, test } from 'vitest';
import type { Overview } from '../../../src/gateway/live/overview.ts';
import type { Inspector, Readiness, Service } from '../../../src/gateway/service.ts';
import { openWorld, snapshotOf, type World } from '../world.ts';

const policies = 'policies/30-privileged';
let world: World | undefined;
afterEach(() => world?.close());

const source = { name: 'policies', synced: true, fresh: true, age: 7, problems: [] };
const { snapshot, engine } = snapshotOf(policies);

async function open(
  readiness: Readiness,
  overview?: Partial<Overview>,
  more: Partial<Service> = {},
): Promise<World> {
  const inspector = {
    overview: async () => ({ sources: readiness.sources, problems: [], ...overview }),
  } as unknown as Inspector;
  world = await openWorld(policies, {
    live: {
      current: () => snapshot,
      explain: async (request, channel) => engine.explain(request, channel),
      readiness: () => readiness,
    },
    inspector,
    ...more,
  });
  return world;
}

test('[RUN1] it lives as long as it answers, whoever asks and whatever else is', async () => {
  const { fetch } = await open({ ready: false, sources: [] }, {}, { callers: { caller: () => undefined } });
  for (const path of ['/live', '/healthz']) {
    const { status, json } = await fetch(path);
    expect([status, json]).toEqual([200, { live: true }]);
  }
});

test('[RUN2] it is ready, or not, in one word for everybody', async () => {
  const { fetch } = await open(
    { ready: true, sources: [source] },
    {},
    { callers: { caller: () => undefined } },
  );
  for (const path of ['/ready', '/ready?verbose']) {
    const { status, text } = await fetch(path);
    expect([status, text]).toEqual([200, '{"ready":true}']);
  }
  await world!.close();
  const late = await open(
    { ready: false, draining: true, sources: [source] },
    {},
    { callers: { caller: () => undefined } },
  );
  const { status, text } = await late.fetch('/ready?verbose');
  expect([status, text]).toEqual([503, '{"ready":false}']);
});

test('[RUN2] callers with a role see why', async () => {
  const stale = { ...source, fresh: false, problems: ['got nothing, where 3 files were'] };
  const violation = {
    path: ['spec', 'action'],
    code: 'value',
    message: 'got "x"',
    place: { file: 'a.yaml', line: 2, column: 3 },
  } as const;
  const { fetch } = await open(
    { ready: false, draining: true, sources: [stale] },
    { snapshot: 'abc', problems: [violation], worker: 2 },
  );
  const { status, json } = await fetch('/ready?verbose');
  expect([status, json]).toEqual([
    503,
    {
      ready: false,
      draining: true,
      snapshot: 'abc',
      worker: 2,
      sources: [stale],
      problems: [
        { field: 'spec.action', code: 'value', message: 'got "x"', file: 'a.yaml', line: 2, column: 3 },
      ],
    },
  ]);
  const nobody = await fetch('/ready?verbose', { headers: { authorization: 'Bearer -' } });
  expect([nobody.status, nobody.text]).toEqual([503, '{"ready":false}']);
});
