import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Outcome, runCase } from '../cases/run.ts';
import { engineOf } from '../engine.ts';
import { exit, Failure } from '../failure.ts';
import { soundSet } from '../set.ts';
import { shippedPolicies as home } from '../shipped.ts';
import { showRule } from '../show/place.ts';
import { reasonInWords } from '../show/reason.ts';
import type { Terminal } from '../terminal/output.ts';
import { effectPaint, type Palette, palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { count } from '../terminal/wrap.ts';
import { readAllCases } from './test.ts';

function topicsOf(wanted: readonly string[]): string[] {
  if (!existsSync(home))
    throw new Failure(exit.problems, `${home}: the policies that come with Placet are not there`);
  const all = readdirSync(home, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^\d/.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  const found = all.filter((topic) => wanted.length === 0 || wanted.some((start) => topic.startsWith(start)));
  if (found.length === 0) {
    throw new Failure(exit.usage, `${wanted.join(', ')}: no such topic`, `one of ${all.join(', ')}`);
  }
  return found;
}

function rowOf({ case: wanted, decision, misses }: Outcome, paint: Palette): string[] {
  const { by, reason, shadow } = decision;
  const remarks = [
    ...(by !== null && reason !== 'rule' ? [reasonInWords(decision)] : []),
    ...(shadow === decision.decision ? [] : [`shadow: ${effectPaint(shadow, paint)}`]),
  ];
  const remark = remarks.length === 0 ? '' : ` (${remarks.join('; ')})`;
  const failed = misses.length === 0 ? '' : paint.red('  not as the case wants');
  return [
    `  ${effectPaint(decision.decision, paint)}`,
    printable(wanted.note) + remark + failed,
    paint.dim(by === null ? reasonInWords(decision) : showRule(by)),
  ];
}

/** For whoever has just seen all of it: the command that says why. */
const next = `Why is it so? Ask:
  placet explain --policies policies/30-privileged --service tiers/api --source k8s:ns=web --incomplete
In a clone, placet is: npm run -s placet --`;

export async function tour(terminal: Terminal, wanted: readonly string[]): Promise<number> {
  const { out } = terminal;
  const paint = palette(out);
  const here = relative(process.cwd(), home) || home;
  let [cases, failed, rules] = [0, 0, 0];
  const topics = topicsOf(wanted);
  for (const topic of topics) {
    const set = await soundSet([join(here, topic)], terminal);
    const engine = engineOf(set);
    rules += set.loaded.rules.length;
    for (const file of await readAllCases(set, terminal)) {
      const outcomes = file.cases.map((one) => runCase(one, (request) => engine.decide(request)));
      cases += outcomes.length;
      failed += outcomes.filter(({ misses }) => misses.length > 0).length;
      const about = file.about === undefined ? '' : `: ${printable(file.about)}`;
      const columns = [{ title: '' }, { title: '', flexible: true }, { title: '' }];
      const rows = outcomes.map((outcome) => rowOf(outcome, paint));
      const lines = [`${paint.bold(printable(file.title ?? topic))}${about}`, `  ${paint.dim(file.file)}`];
      await out.line([...lines, ...table(columns, rows, out.columns), ''].join('\n'));
    }
  }
  const total = `${count(cases, 'case')} in ${count(topics.length, 'topic')}, ${count(rules, 'rule')}`;
  await out.line(
    failed === 0
      ? `${total}: ${paint.green('all as they should be')}`
      : paint.red(`${total}: ${failed} failed`),
  );
  if (wanted.length === 0) await out.line(`\n${paint.dim(next)}`);
  return failed === 0 ? exit.ok : exit.problems;
}
