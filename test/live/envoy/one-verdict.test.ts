import { describe, expect } from 'vitest';
import { live } from '../../live.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { agree, expectAllKinds, minutes } from './verdicts/agree.ts';
import { Counts } from './verdicts/counts.ts';
import { compareExports, type Plan } from './verdicts/run.ts';
import { exportDiffers } from './verdicts/small.ts';

/** The PDP, a real Envoy with its export, and the interpreter, on random sets, clients and requests. */

const tryAll = (plan: Plan) => agree(plan, new Counts(), compareExports, exportDiffers);

describe('one verdict', () => {
  live(
    envoyMissing,
    '[DEF1] [ENV2] [ENV3] [ENV4] [ENV5] [ENV6] [ENV7] [ENV13] 220 sets for clients with SPIFFE IDs',
    async () => {
      const counts = await tryAll({ from: 1, count: 220, tags: () => false });
      expect(counts.requests).toBeGreaterThan(220 * 60);
      expect(counts.exactSets / counts.sets).toBeGreaterThan(0.8);
      expect(counts.allowed / counts.requests).toBeGreaterThan(0.3);
      expect(counts.shadowDiffers / counts.requests).toBeGreaterThan(0.05);
      expect(counts.routed).toBeGreaterThan(5);
      expect(counts.early).toBeGreaterThan(200);
      expect(counts.narrower).toBeGreaterThan(2);
      expectAllKinds(counts, 7);
    },
    10 * minutes,
  );

  live(
    envoyMissing,
    '[ENV2] [ENV4] [ENV8] [ENV9] [ENV13] 100 sets for clients with certificates of tags',
    async () => {
      const counts = await tryAll({ from: 1_001, count: 100, tags: () => true });
      expect(counts.requests).toBeGreaterThan(100 * 60);
      expect(counts.exactSets / counts.sets).toBeGreaterThan(0.8);
      expect(counts.allowed / counts.requests).toBeGreaterThan(0.3);
      expect(counts.shadowDiffers / counts.requests).toBeGreaterThan(0.05);
      expectAllKinds(counts, 6);
      expect([...counts.forms].some((form) => form.includes('table'))).toBe(true);
    },
    10 * minutes,
  );

  const fresh = Date.now() % 1_000_000_000;
  live(
    envoyMissing,
    `[ENV2] on sets of this run alone, from seed ${fresh}`,
    () => tryAll({ from: fresh, count: 24, tags: (seed) => seed % 3 === 0 }).then(() => undefined),
    10 * minutes,
  );
});
