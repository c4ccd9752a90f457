import type { Channel } from '../../pdp/model/request.ts';
import { byPlace, type Violation } from '../../pdp/model/violation.ts';
import type { CaseFile } from '../cases/case.ts';
import { type Coverage, coverageOf } from '../cases/coverage.ts';
import { nowhere } from '../cases/mistakes.ts';
import { readCases } from '../cases/read.ts';
import { type Outcome, runCase } from '../cases/run.ts';
import { engineOf } from '../engine.ts';
import { exit, Failure } from '../failure.ts';
import { type ChannelFlags, channelFrom } from '../requests/channel.ts';
import { type PolicySet, placeOf, ruleFinder, showErrors, soundSet } from '../set.ts';
import { showPlace, showRule } from '../show/place.ts';
import { showViolations } from '../show/violations.ts';
import type { Terminal } from '../terminal/output.ts';
import { type Palette, palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { count } from '../terminal/wrap.ts';

export interface TestFlags extends ChannelFlags {
  readonly minCoverage?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

function leastCoverage(text: string | undefined): number {
  if (text === undefined) return 0;
  const percent = Number(text);
  if (text.trim() === '' || !(percent >= 0 && percent <= 100)) {
    throw new Failure(exit.usage, `--min-coverage ${text}: not a percentage`, 'a number from 0 to 100');
  }
  return percent;
}

export async function readAllCases(set: PolicySet, terminal: Terminal): Promise<CaseFile[]> {
  const files = set.cases.map(readCases);
  const violations = files.flatMap((file) => file.violations);
  if (violations.length > 0) await refuse(violations, terminal, {});
  return files;
}

async function refuse(
  violations: readonly Violation[],
  terminal: Terminal,
  { json = false }: TestFlags,
): Promise<never> {
  await showErrors(terminal, violations, json);
  throw new Failure(exit.problems, `the cases have ${count(violations.length, 'problem')}`);
}

function showFailure({ case: wanted, misses }: Outcome, paint: Palette, room: number): string[] {
  const rows = misses.map(({ field, want, got }) => [
    `  ${field}`,
    `want ${paint.green(printable(want))}`,
    `got ${paint.red(printable(got))}`,
  ]);
  const columns = [{ title: '' }, { title: '' }, { title: '' }];
  return [
    `${paint.red('FAIL')} ${paint.bold(printable(wanted.note))}`,
    `  ${paint.dim(showPlace(wanted.place))}`,
    ...table(columns, rows, room),
    '',
  ];
}

function showCoverage(set: PolicySet, coverage: Coverage, paint: Palette, room: number): string[] {
  if (coverage.missing.length === 0) return [];
  const rows = coverage.missing.map((rule) => [
    `  ${showRule({ policy: rule.origin.policy, effect: rule.origin.effect, index: rule.origin.index })}`,
    paint.dim(showPlace(placeOf(set, rule))),
  ]);
  return ['Rules that decided no case:', ...table([{ title: '' }, { title: '' }], rows, room), ''];
}

/** What came of all the cases. */
interface Tested {
  /** How many there are, those that are wrong themselves too. */
  readonly total: number;
  /** What is wrong with cases. */
  readonly errors: readonly Violation[];
  /** Of those that nothing is wrong with. */
  readonly outcomes: readonly Outcome[];
}

/** A case that is wrong says nothing of the others, so these are run. */
function runAll(set: PolicySet, channel: Channel): Tested {
  const files = set.cases.map(readCases);
  const engine = engineOf(set);
  const errors: Violation[] = [];
  const outcomes: Outcome[] = [];
  let total = 0;
  for (const file of files) {
    total += file.total;
    errors.push(...file.violations);
    for (const one of file.cases) {
      const outcome = runCase(one, (request) => engine.decide(request, channel));
      const mistakes = nowhere(one, outcome.decision);
      errors.push(...mistakes);
      if (mistakes.length === 0 && !file.unsure) outcomes.push(outcome);
    }
  }
  return { total, errors: errors.sort(byPlace), outcomes };
}

function failuresOf(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ misses }) => misses.length > 0);
}

function asJson(set: PolicySet, { total, errors, outcomes }: Tested, coverage: Coverage): string {
  return toJson({
    ...(errors.length > 0 && { errors }),
    cases: total,
    failures: failuresOf(outcomes).map(({ case: { note, place }, misses, decision }) => ({
      note,
      place,
      misses,
      decision,
    })),
    coverage: {
      rules: coverage.rules,
      exercised: coverage.exercised,
      percent: coverage.percent,
      missing: coverage.missing.map((rule) => ({ rule: showRule(rule.origin), place: placeOf(set, rule) })),
    },
    snapshot: set.loaded.snapshot,
  });
}

export async function test(terminal: Terminal, paths: readonly string[], flags: TestFlags): Promise<number> {
  const least = leastCoverage(flags.minCoverage);
  const channel = channelFrom(flags);
  const set = await soundSet(paths, terminal, flags);
  const tested = runAll(set, channel);
  const { total, errors, outcomes } = tested;
  if (total === 0 && errors.length > 0) return refuse(errors, terminal, flags);
  if (total === 0) {
    const [message, hint] = [
      'there are no cases in these paths',
      'a file with a list "cases"; see policies/README.md',
    ];
    if (flags.json) await showErrors(terminal, [{ path: [], code: 'empty', message, hint }], true);
    throw new Failure(exit.problems, message, hint);
  }
  const failed = total - outcomes.length + failuresOf(outcomes).length;
  const coverage = coverageOf(set.loaded.rules, outcomes, ruleFinder(set));
  const enough = (100 * coverage.exercised) / Math.max(1, coverage.rules) >= least || coverage.rules === 0;
  const code = failed === 0 && errors.length === 0 && enough ? exit.ok : exit.problems;
  const { out } = terminal;
  if (flags.json) {
    await out.line(asJson(set, tested, coverage));
    return code;
  }

  await showViolations(out, errors, 'error');
  const paint = palette(out);
  const lines: string[] = errors.length > 0 ? [''] : [];
  for (const outcome of outcomes) {
    if (outcome.misses.length > 0) lines.push(...showFailure(outcome, paint, out.columns));
    else if (flags.verbose) lines.push(`${paint.green('ok')}   ${printable(outcome.case.note)}`);
  }
  if (flags.verbose && failed === 0) lines.push('');
  lines.push(...showCoverage(set, coverage, paint, out.columns));
  const verdict =
    failed === 0
      ? paint.green(`${count(total, 'case holds', 'cases hold')}`)
      : paint.red(`${failed} of ${count(total, 'case')} failed`);
  const wrong = errors.length === 0 ? '' : paint.red(`, ${count(errors.length, 'problem')} in cases`);
  const share = `${coverage.exercised} of ${count(coverage.rules, 'rule')} exercised (${coverage.percent} %)`;
  lines.push(`${verdict}${wrong}, ${enough ? share : paint.red(`${share}, ${least} % wanted`)}`);
  await out.line(lines.join('\n'));
  return code;
}
