import { planOf } from '../../policy/migrate/plan.ts';
import { reportOf } from '../../policy/migrate/report.ts';
import { loadShipped } from '../../policy/shipped.ts';
import { yamlText } from '../../policy/text/write.ts';
import { exit } from '../failure.ts';
import { filesOf, writeFiles } from '../migrate/files.ts';
import { showCleared, showMigration } from '../migrate/show.ts';
import { soundSet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';
import { toJson } from '../terminal/plain.ts';

interface MigrateFlags {
  readonly out?: string;
  readonly allowNarrower?: boolean;
  readonly allowWider?: boolean;
  readonly everySource?: boolean;
  readonly json?: boolean;
}

export async function migrate(
  terminal: Terminal,
  paths: readonly string[],
  flags: MigrateFlags,
): Promise<number> {
  const set = await soundSet(paths, terminal);
  const options = {
    allowNarrower: flags.allowNarrower === true,
    allowWider: flags.allowWider === true,
    everySource: flags.everySource === true,
  };
  const plan = planOf(set.loaded, set.documents, options, loadShipped);
  const report = reportOf(plan);
  const files = filesOf(plan);
  const folder = flags.out;
  const cleared = folder === undefined ? undefined : writeFiles(folder, files, paths, set.documents);
  const { out, err } = terminal;
  if (flags.json) await out.line(toJson(report));
  else {
    // What is said goes beside the documents, so that these can be piped.
    const beside = folder === undefined ? err : out;
    for (const line of showMigration(report, beside, folder)) await beside.line(line);
    if (folder === undefined)
      await out.write(files.flatMap(({ documents }) => documents.map(yamlText)).join('---\n'));
  }
  if (cleared !== undefined) for (const line of showCleared(cleared, err)) await err.line(line);
  const isWhole = report.meshes.every(
    ({ refused, policies }) => refused === undefined && policies.every(({ written }) => written),
  );
  return isWhole ? exit.ok : exit.problems;
}
