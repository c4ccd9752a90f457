import { effectOf, type Rule } from '../../pdp/model/rule.ts';
import { exit, Failure } from '../failure.ts';
import { placeOf, soundSet } from '../set.ts';
import { showCondition } from '../show/condition.ts';
import { showPlace, showRule } from '../show/place.ts';
import type { Terminal } from '../terminal/output.ts';
import { effectPaint, type Palette, palette } from '../terminal/paint.ts';
import { count } from '../terminal/wrap.ts';
import { type TableFlags, tagTable } from './tag-table.ts';

const batch = 500;

function verdictOf({ tier, shadow }: Rule, paint: Palette): string {
  const enforced = tier === null ? 'nothing' : effectPaint(effectOf(tier), paint);
  const trial = effectOf(shadow);
  return tier !== null && effectOf(tier) === trial
    ? enforced
    : `${enforced}, shadow ${effectPaint(trial, paint)}`;
}

function show(rule: Rule, place: string, paint: Palette): string {
  const list = rule.list === undefined ? '' : `, item ${rule.list.strength} of ${rule.list.id}`;
  const when =
    rule.when.length === 0 ? ['    always'] : rule.when.map((part) => `    ${showCondition(part)}`);
  return [
    `tier ${rule.tier ?? rule.shadow}  ${verdictOf(rule, paint)}  ${paint.bold(showRule(rule.origin))}${list}`,
    `    ${paint.dim(place)}`,
    ...when,
  ].join('\n');
}

function tierFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[0-4]$/.test(text))
    throw new Failure(exit.usage, `--tier ${text}: no such tier`, 'a number from 0 to 4');
  return Number(text);
}

export async function rules(
  terminal: Terminal,
  paths: readonly string[],
  flags: { tier?: string } & TableFlags,
): Promise<number> {
  const { tier: _, table, ...only } = flags;
  const stray = Object.keys(only)[0];
  if (table === true && flags.tier !== undefined)
    throw new Failure(
      exit.usage,
      '--tier goes without --table',
      'a table shows all that counts at an inbound',
    );
  if (table === true) return tagTable(terminal, paths, only);
  if (stray !== undefined)
    throw new Failure(exit.usage, `--${stray} goes with --table`, 'without it, all rules are listed');
  const tier = tierFrom(flags.tier);
  const set = await soundSet(paths, terminal);
  const strongest = (rule: Rule) => rule.tier ?? rule.shadow;
  const shown = set.loaded.rules
    .filter((rule) => tier === undefined || strongest(rule) === tier)
    .sort((a, b) => strongest(a) - strongest(b));
  const paint = palette(terminal.out);
  for (let from = 0; from < shown.length && !terminal.out.closed; from += batch) {
    const texts = shown
      .slice(from, from + batch)
      .map((rule) => show(rule, showPlace(placeOf(set, rule)), paint));
    await terminal.out.write(`${texts.join('\n')}\n`);
  }
  await terminal.out.line(count(shown.length, 'rule'));
  return exit.ok;
}
