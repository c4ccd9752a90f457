import { exit } from '../failure.ts';
import { findingsOf, isError } from '../findings.ts';
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
  const set = await soundSet(paths, terminal);
  const findings = findingsOf(set);
  if (flags.json) await terminal.out.line(toJson({ findings }));
  else {
    const warnings = findings.filter((finding) => !isError(finding));
    const errors = findings.filter(isError);
    await showViolations(terminal.out, errors, 'error');
    await showViolations(terminal.out, warnings, 'warning');
    const counts = [
      ...(errors.length > 0 ? [count(errors.length, 'error')] : []),
      count(warnings.length, 'warning'),
    ];
    await terminal.out.line(findings.length === 0 ? 'nothing to warn of' : counts.join(', '));
  }
  return findings.length === 0 ? exit.ok : exit.problems;
}
