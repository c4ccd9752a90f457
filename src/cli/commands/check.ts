import { byPlace } from '../../pdp/model/violation.ts';
import { nowhere } from '../cases/mistakes.ts';
import { readCases } from '../cases/read.ts';
import { engineOf } from '../engine.ts';
import { exit } from '../failure.ts';
import { bySeverity, findingsOf } from '../findings.ts';
import { countsOf, nothingIn, readSet, totalOf } from '../set.ts';
import { showIgnored } from '../show/ignored.ts';
import { showViolations } from '../show/violations.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';
import { count, wrap } from '../terminal/wrap.ts';

export interface CheckFlags {
  readonly json?: boolean;
  readonly strict?: boolean;
}

/** How things stand is told in full by `lint`. */
const mostNotes = 5;

export async function check(
  terminal: Terminal,
  paths: readonly string[],
  flags: CheckFlags,
): Promise<number> {
  const set = readSet(paths);
  const caseFiles = set.cases.map(readCases);
  const cases = caseFiles.flatMap((file) => file.cases);
  const nothing = nothingIn(set);
  const ofCases = caseFiles.flatMap((file) => file.violations);
  // Half a set has not every destination.
  const whole = set.violations.length === 0;
  if (whole && !nothing && cases.length > 0) {
    const engine = engineOf(set);
    for (const one of cases) ofCases.push(...nowhere(one, engine.decide(one.request)));
  }
  const findings = bySeverity(whole ? findingsOf(set) : []);
  const errors = [
    ...(nothing ? [nothing] : []),
    ...set.violations,
    ...ofCases.sort(byPlace),
    ...findings.errors,
  ];
  const { statuses } = set.loaded;
  const warnings = [...statuses, ...findings.warnings];
  const { notes } = findings;
  const documents = countsOf(set);
  const bad = errors.length > 0 || (flags.strict === true && warnings.length > 0);
  const { loaded } = set;
  const { out } = terminal;
  if (flags.json) {
    const { rules, snapshot, ignored } = loaded;
    await out.line(
      toJson({
        errors,
        warnings,
        notes,
        ignored,
        documents,
        rules: rules.length,
        cases: cases.length,
        snapshot,
      }),
    );
    return bad ? exit.problems : exit.ok;
  }

  await showViolations(out, errors, 'error');
  await showViolations(out, warnings, 'warning');
  await showViolations(out, notes.slice(0, mostNotes), 'note');
  if (notes.length > mostNotes)
    await out.line(`and ${count(notes.length - mostNotes, 'more note')}; placet lint lists all`);
  const paint = palette(out);
  const verdicts = [
    errors.length > 0 ? paint.red(count(totalOf(errors), 'error')) : paint.green('no errors'),
    ...(warnings.length > 0 ? [paint.yellow(count(warnings.length, 'warning'))] : []),
    ...(notes.length > 0 ? [count(notes.length, 'note')] : []),
  ];
  const kinds = Object.entries(documents).map(([kind, n]) => `${n} ${printable(kind)}`);
  const total = Object.values(documents).reduce((sum, n) => sum + n, 0);
  const summary = `${verdicts.join(', ')} in ${count(total, 'document')}${kinds.length > 0 ? ': ' : ''}${kinds.join(', ')}`;
  await out.line(wrap(summary, out.columns).join('\n'));
  for (const line of showIgnored(set.loaded.ignored, paint)) await out.line(line);
  if (errors.length === 0) {
    await out.line(
      `${count(loaded.rules.length, 'rule')}, ${count(cases.length, 'case')}, snapshot ${loaded.snapshot}`,
    );
  }
  return bad ? exit.problems : exit.ok;
}
