import { describe, expect } from 'vitest';
import { live } from '../../live.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { agree, expectAllKinds, minutes } from './verdicts/agree.ts';
import { ModeCounts } from './verdicts/modes/counts.ts';
import { compareAllModes, modesDiffer } from './verdicts/modes/run.ts';
import type { Plan } from './verdicts/run.ts';

/** The PDP asked itself, an Envoy that asks it in each way, and an Envoy with the export: one verdict of all. */

const tryAll = (plan: Plan) => agree(plan, new ModeCounts(), compareAllModes, modesDiffer);

const least = 30;

/** What each way has asked at the least, and how lively that was; of connections less is allowed. */
function expectEnough(counts: ModeCounts): void {
  const { grpc, http, network, 'native http': native, 'native network': connected } = counts.ways;
  expect(counts.withoutExport).toBe(0);
  expect(grpc.asked + network.asked).toBeGreaterThan(counts.sets * least);
  expect(grpc.sets).toBeGreaterThan(counts.sets * 0.8);
  expect([http.sets, http.asked]).toEqual([grpc.sets, grpc.asked]);
  expect(native.sets).toBe(grpc.sets);
  expect(connected.sets).toBe(network.sets);
  for (const way of [native, grpc, http]) {
    expect(way.asked).toBeGreaterThan(way.sets * least);
    expect(way.allowed / way.asked).toBeGreaterThan(0.3);
    expect(way.shadowDiffers / way.asked).toBeGreaterThan(0.05);
  }
  for (const way of [connected, network]) {
    expect(way.asked).toBeGreaterThan(way.sets * 8);
    expect(way.allowed / way.asked).toBeGreaterThan(0.15);
    expect(way.shadowDiffers / way.asked).toBeGreaterThan(0.03);
  }
  expect(network.early).toBeGreaterThan(30);
  expect(counts.routed).toBeGreaterThan(5);
  expect(counts.forwardings.size).toBe(10);
  expect(counts.odd).toBeGreaterThan(50);
  expect(counts.oddDiffers / grpc.asked).toBeLessThan(0.02);
  expect(counts.withoutName / http.asked).toBeLessThan(0.02);
}

describe('one verdict of three modes', () => {
  live(
    envoyMissing,
    '[AUTHZ7] 220 sets for clients with SPIFFE IDs',
    async () => {
      const counts = await tryAll({ from: 1, count: 220, tags: () => false });
      expectEnough(counts);
      expectAllKinds(counts, 7);
      expect(counts.narrower).toBeGreaterThan(2);
    },
    10 * minutes,
  );

  live(
    envoyMissing,
    '[AUTHZ7] 100 sets for clients with certificates of tags',
    async () => {
      const counts = await tryAll({ from: 1_001, count: 100, tags: () => true });
      expectEnough(counts);
      expectAllKinds(counts, 6);
    },
    10 * minutes,
  );

  const fresh = Date.now() % 1_000_000_000;
  live(
    envoyMissing,
    `[AUTHZ7] on sets of this run alone, from seed ${fresh}`,
    () => tryAll({ from: fresh, count: 24, tags: (seed) => seed % 3 === 0 }).then(() => undefined),
    10 * minutes,
  );
});
