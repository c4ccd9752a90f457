import { describe, expect, test } from 'vitest';
import type { ExportOptions } from '../../../src/envoy/export/types.ts';
import type { ChainReport } from '../../../src/envoy/verify/verify.ts';
import { Random } from '../../oracle/random.ts';
import { reduce } from '../../oracle/reduce.ts';
import { documentsOf } from '../export/documents-of.ts';
import { both, differs, exportAndVerify, inboundsOf } from './exported.ts';

const forms: readonly ExportOptions[] = [
  { form: 'tree' },
  { form: 'list' },
  { form: 'tree', minimise: false },
];

interface Counts {
  sets: number;
  chains: number;
  ways: number;
  requests: number;
  allowed: number;
}

function run(seeds: readonly number[], tags: boolean, most: number): Counts {
  const counts: Counts = { sets: 0, chains: 0, ways: 0, requests: 0, allowed: 0 };
  for (const seed of seeds) {
    const documents = documentsOf(seed, tags, 30);
    const set = both(...documents);
    const random = new Random(seed);
    const inbounds = random.some(inboundsOf(set), 1, 4);
    counts.sets++;
    for (const destination of inbounds) {
      const options = random.pick(forms);
      const report = exportAndVerify(set, destination, options, most);
      if (report === undefined) continue;
      if (differs(report)) {
        const small = reduce(documents, (fewer) =>
          differs(exportAndVerify(both(...fewer), destination, options, most)),
        );
        const again = exportAndVerify(both(...small), destination, options, most);
        throw new Error(
          `seed ${seed}: ${JSON.stringify({ destination, options, small, told: told(again) }, null, 1)}`,
        );
      }
      counts.chains++;
      for (const { tried, allowed } of report.compared) {
        counts.ways++;
        counts.requests += tried;
        counts.allowed += allowed;
      }
    }
  }
  return counts;
}

function told(report: ChainReport | undefined) {
  return {
    violations: report?.violations,
    differences: report?.compared.flatMap(({ differences }) => differences.slice(0, 3)),
  };
}

const fresh = Date.now() % 1_000_000_000;
const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

describe('what is exported is what is decided', { timeout: 300_000 }, () => {
  test('[VER10] clients with SPIFFE IDs', () => {
    const counts = run(from(1, 100), false, 1_500);
    console.log(JSON.stringify(counts));
    expect(counts.requests).toBeGreaterThanOrEqual(200_000);
    expect(counts.allowed).toBeGreaterThan(8_000);
  });

  test('[VER10] clients with certificates of tags', () => {
    const counts = run(from(1, 60), true, 4_000);
    console.log(JSON.stringify(counts));
    expect(counts.requests).toBeGreaterThanOrEqual(80_000);
    expect(counts.allowed).toBeGreaterThan(10_000);
  });

  test(`[VER10] sets of this run alone, from seed ${fresh}`, () => {
    expect(run(from(fresh, 8), fresh % 2 === 0, 1_000).sets).toBe(8);
  });
});
