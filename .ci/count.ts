// Prints `<passed> <failed>` from vitest's report; a skipped live test counts as failed and is named.
import { readFileSync } from 'node:fs';

interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly fullName: string;
    }[];
  }[];
}

const [, , file = '', runnerFailed = '0'] = process.argv;

function count(): { passed: number; failed: number } {
  const report: Report = JSON.parse(readFileSync(file, 'utf8'));
  const tests = report.testResults.flatMap((suite) => suite.assertionResults);
  const failures = tests.filter((test) => test.status === 'failed').length;
  // A file that cannot be loaded has no tests to fail.
  const unloaded = report.testResults.filter(
    (suite) => suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const skipped = tests.filter(
    (test) => ['skipped', 'pending'].includes(test.status) && test.title.startsWith('live: '),
  );
  for (const test of skipped) console.error(`a live test was skipped: ${test.fullName}`);
  const passed = tests.filter((test) => test.status === 'passed').length;
  return { passed, failed: failures + unloaded + skipped.length };
}

let counts = { passed: 0, failed: 1 };
try {
  counts = count();
} catch (error) {
  console.error(`no report of the tests: ${error instanceof Error ? error.message : error}`);
}
// The runner can fail with every test green: an unhandled rejection, a worker that died.
const failed = runnerFailed === '1' ? Math.max(counts.failed, 1) : counts.failed;
console.log(`${counts.passed} ${failed}`);
