import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { coverageOf } from '../../src/cli/cases/coverage.ts';
import { readCases } from '../../src/cli/cases/read.ts';
import { runCase } from '../../src/cli/cases/run.ts';
import { engineOf } from '../../src/cli/engine.ts';
import { readSet, ruleFinder } from '../../src/cli/set.ts';

const home = fileURLToPath(new URL('../../policies', import.meta.url));
const topics = readdirSync(home).filter((name) => /^\d/.test(name));

function tried(path: string) {
  const set = readSet([path]);
  const files = set.cases.map(readCases);
  const engine = engineOf(set);
  const outcomes = files.flatMap(({ cases }) =>
    cases.map((one) => runCase(one, (request) => engine.decide(request))),
  );
  const explained = outcomes.map(({ case: { request } }) => engine.explain(request).decision);
  return {
    set,
    files,
    outcomes,
    explained,
    coverage: coverageOf(set.loaded.rules, outcomes, ruleFinder(set)),
  };
}

describe.each([...topics.map((topic) => [topic, `${home}/${topic}`]), ['all topics at once', home]])(
  '%s',
  (_, path) => {
    const { set, files, outcomes, explained, coverage } = tried(path!);

    test('[CLI10] is well written, holds its cases, and exercises every rule', () => {
      expect(set.violations).toEqual([]);
      expect(set.loaded.ignored).toEqual([]);
      expect(files.flatMap(({ violations }) => violations)).toEqual([]);
      expect(
        outcomes
          .filter(({ misses }) => misses.length > 0)
          .map(({ case: { note }, misses }) => [note, misses]),
      ).toEqual([]);
      expect(coverage.missing.map(({ id }) => id)).toEqual([]);
    });

    test('[CLI10] is explained as it is decided', () => {
      expect(explained).toEqual(outcomes.map(({ decision }) => decision));
    });

    test('[CLI10] shows in each file of cases both what is let in and what is not', () => {
      for (const { file, cases } of files) {
        // Without a policy nothing is let in.
        const wanted = file.includes('01-default-deny') ? ['deny'] : ['allow', 'deny'];
        expect(new Set(cases.map(({ want }) => want)), file).toEqual(new Set(wanted));
      }
    });
  },
);

test('[CLI10] there is a topic for each of the stories', () => {
  const files = (topic: string) =>
    readdirSync(`${home}/${topic}`).filter((name) => /^\d.*\.cases\.yaml$/.test(name)).length;
  expect(['10-mesh-operator', '11-service-owner', '20-attributes'].map(files)).toEqual([4, 4, 4]);
});
