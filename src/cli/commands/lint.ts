import { exit } from '../failure.ts';
import { bySeverity, findingsOf } from '../findings.ts';
import { soundSet } from '../set.ts';
import { showViolations } from '../show/violations.ts';
import type { Terminal } from '../terminal/output.ts';
import { toJson } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';

export async function lint(
  terminal: Terminal,
  paths: readonly string[],
  flags: { json?: boolean },
): Promise<number> {
  const set = await soundSet(paths, terminal, flags);
  const findings = findingsOf(set);
  const { errors, warnings, notes } = bySeverity(findings);
  const problems = errors.length + warnings.length;
  if (flags.json) await terminal.out.line(toJson({ findings }));
  else {
    await showViolations(terminal.out, errors, 'error');
    await showViolations(terminal.out, warnings, 'warning');
    await showViolations(terminal.out, notes, 'note');
    const counts = [
      ...(errors.length > 0 ? [count(errors.length, 'error')] : []),
      problems === 0 ? 'nothing to warn of' : count(warnings.length, 'warning'),
      ...(notes.length > 0 ? [count(notes.length, 'note')] : []),
    ];
    await terminal.out.line(counts.join(', '));
  }
  return problems === 0 ? exit.ok : exit.problems;
}
