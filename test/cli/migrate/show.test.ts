import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { showMigration } from '../../../src/cli/migrate/show.ts';
import { Output } from '../../../src/cli/terminal/output.ts';
import type { PolicyReport, Report } from '../../../src/policy/migrate/report.ts';

const tally = (stays: number, narrows: number) => ({ stays, widens: 0, narrows, examples: [] });

function shown(shadowNarrows: number, documents: readonly unknown[]): readonly string[] {
  const policy: PolicyReport = {
    policy: 'web',
    kri: 'kri_mtp_default___web_',
    status: 'equal',
    written: true,
    enforced: tally(2, 0),
    shadow: tally(2, shadowNarrows),
    reasons: [],
    examples: [],
    beyond: null,
    documents,
  };
  const others = { enforced: tally(0, 0), shadow: tally(0, 0), examples: [] };
  const report: Report = {
    meshes: [{ mesh: 'default', clients: 2, inbounds: 1, policies: [policy], others }],
    unknown: [],
    shared: [],
  };
  return showMigration(report, new Output(new PassThrough(), {}), undefined);
}

test('[MIG9] shadow verdicts are counted apart where they change otherwise', () => {
  expect(shown(0, [{}])).toContain('policy                   verdicts  written  stay  widen  narrow');
  expect(shown(1, [{}])).toContain(
    'policy                   verdicts  written  stay  widen  narrow  shadow widen  shadow narrow',
  );
});

test('[MIG9] a policy that need not be written is not counted among the written', () => {
  expect(shown(0, [{}])).toContain('1 of 1 policy written');
  expect(shown(0, [])).toContain('0 of 1 policy written, 1 not needed');
});
