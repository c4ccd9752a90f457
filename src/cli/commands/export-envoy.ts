import { join } from 'node:path';
import { ExportRefused } from '../../envoy/export/refused.ts';
import type { ExportReport } from '../../envoy/export/types.ts';
import type { Asked } from '../../pdp/governing.ts';
import { everyInbound, fileFor } from '../export/destinations.ts';
import { askedFrom, checkAsked, documentKinds, type ExportFlags, optionsFrom } from '../export/flags.ts';
import { Making, type Wanted } from '../export/making.ts';
import { askingFrom } from '../export/mode.ts';
import { makeFolder, writeText } from '../export/write.ts';
import { exit } from '../failure.ts';
import { type PolicySet, soundSet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';
import { printable } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';
import { word } from '../word.ts';

export async function exportEnvoy(terminal: Terminal, flags: ExportFlags): Promise<number> {
  checkAsked(flags);
  const options = optionsFrom(flags);
  const kind = word('--as', flags.as, documentKinds) ?? 'filter';
  const asking = askingFrom(flags, kind);
  const wanted: Wanted = { kind, options, flags, ...(asking === undefined ? {} : { asking }) };
  const set = await soundSet(flags.policies, terminal);
  const asked = askedFrom(flags, set);
  if (flags.watch) {
    const { watchExport } = await import('../export/watch.ts');
    return await watchExport(terminal, set, asked, wanted);
  }
  return asked === undefined ? await all(terminal, set, wanted) : await one(terminal, set, wanted, asked);
}

async function one(terminal: Terminal, set: PolicySet, wanted: Wanted, asked: Asked): Promise<number> {
  const made = await new Making(terminal, set, wanted).make(asked);
  if (made instanceof ExportRefused) return exit.problems;
  await terminal.out.write(made.text);
  report(wanted.flags, made.exported?.report);
  return exit.ok;
}

/** Every inbound of every dataplane, each in a file of its own. What cannot be exported keeps no other from it. */
async function all(terminal: Terminal, set: PolicySet, wanted: Wanted): Promise<number> {
  const { flags, asking } = wanted;
  const folder = flags.out as string;
  makeFolder(folder);
  const making = new Making(terminal, set, wanted);
  const reports: ExportReport[] = [];
  let [written, failed] = [0, 0];
  for (const asked of everyInbound(set.loaded.inventory)) {
    const made = await making.make(asked);
    if (made instanceof ExportRefused) {
      failed++;
      continue;
    }
    writeText(join(folder, fileFor(asked, flags)), made.text);
    written++;
    if (made.exported !== undefined) reports.push(made.exported.report);
  }
  report(flags, reports);
  const bytes = reports.reduce((sum, { size }) => sum + size.bytes, 0);
  const filters = asking === undefined ? `, ${bytes} bytes of filters` : '';
  await terminal.out.line(
    `${count(written, 'listener')} in ${printable(folder)}${filters}${failed > 0 ? `, ${failed} refused` : ''}`,
  );
  return failed > 0 ? exit.problems : exit.ok;
}

function report({ report: file }: ExportFlags, about: unknown): void {
  if (file !== undefined) writeText(file, `${JSON.stringify(about, null, 2)}\n`);
}
