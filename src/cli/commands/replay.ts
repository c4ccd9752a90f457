import { createReadStream } from 'node:fs';
import type { Line } from '../../gateway/log/line.ts';
import { type By, type Decision, reasons } from '../../pdp/model/decision.ts';
import { isFields } from '../../pdp/model/fields.ts';
import { isTrust } from '../../pdp/model/trust.ts';
import { engineOf } from '../engine.ts';
import { exit, Failure } from '../failure.ts';
import { cannotRead } from '../path-words.ts';
import { type Item, noRequest, type Parse } from '../requests/item.ts';
import { LineReader } from '../requests/lines.ts';
import { soundSet } from '../set.ts';
import { showRule } from '../show/place.ts';
import { reasonInWords } from '../show/reason.ts';
import type { Terminal } from '../terminal/output.ts';
import { effectPaint, type Palette, palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';

export interface ReplayFlags {
  readonly policies?: readonly string[];
  /** Each a set of its own. */
  readonly older?: readonly string[];
  readonly json?: boolean;
}

type Written = Pick<Line, 'decision' | 'shadow' | 'by' | 'shadowBy' | 'reason'>;

interface Difference {
  readonly id: string;
  readonly time: string;
  readonly was: Written;
  readonly now: Written;
}

interface Replayed {
  lines: number;
  same: number;
  /** Decided with other policies than those that are given. */
  otherSnapshot: number;
  /** What was masked, or refused before any policy was asked, cannot be decided again. */
  masked: number;
  refused: number;
  unreadable: number;
  different: number;
}

/** Decides again what a log says was decided, and names what comes out otherwise. */
export async function replay(
  terminal: Terminal,
  logs: readonly string[],
  flags: ReplayFlags,
): Promise<number> {
  const engine = engineOf(await soundSet(flags.policies, terminal));
  const engines = new Map([[engine.snapshot, engine]]);
  for (const path of flags.older ?? []) {
    const older = engineOf(await soundSet([path], terminal));
    engines.set(older.snapshot, older);
  }
  const paint = palette(terminal.out);
  const sum: Replayed = {
    lines: 0,
    same: 0,
    otherSnapshot: 0,
    masked: 0,
    refused: 0,
    unreadable: 0,
    different: 0,
  };
  for (const log of logs) {
    for await (const items of itemsOf(log, terminal)) {
      let text = '';
      for (const item of items) {
        sum.lines++;
        const line = item.ok ? lineFrom(item.value) : undefined;
        if (line === undefined) sum.unreadable++;
        else if (line.masked !== undefined) sum.masked++;
        else if (line.refused === true) sum.refused++;
        else {
          const own = engines.get(line.snapshot);
          if (own === undefined) sum.otherSnapshot++;
          const now = (own ?? engine).decide(line.request, line.channel);
          if (agree(line, now)) sum.same++;
          else {
            sum.different++;
            const difference = { id: line.id, time: line.time, was: verdict(line), now: verdict(now) };
            text += flags.json ? `${toJson(difference)}\n` : `${show(difference, paint)}\n`;
          }
        }
      }
      if (text !== '') await terminal.out.write(text);
      if (terminal.out.closed) return exit.problems;
    }
  }
  if (flags.json) await terminal.out.line(toJson(sum));
  else await terminal.out.line(summary(sum));
  return sum.different > 0 || sum.unreadable > 0 || sum.lines === 0 ? exit.problems : exit.ok;
}

async function* itemsOf(log: string, terminal: Terminal): AsyncGenerator<Item[]> {
  const reader = new LineReader(log, parseLine);
  try {
    for await (const chunk of log === '-' ? terminal.in : createReadStream(log)) yield reader.push(chunk);
  } catch (error) {
    throw new Failure(exit.problems, cannotRead(log, error));
  }
  yield reader.end();
}

/** A log holds also what no request may: paths of proxies with any characters. */
const parseLine: Parse = (from, file, line, column) => {
  try {
    return { ok: true, line, column, value: JSON.parse(from.toString()) };
  } catch {
    return noRequest({ file, line, column }, 'syntax', 'no JSON');
  }
};

/** What cannot be decided again is no line: everything that is shown or compared is looked at. */
function lineFrom(value: unknown): Line | undefined {
  if (!isFields(value)) return undefined;
  const { id, time, decision, reason, shadow, by, shadowBy, snapshot, request, channel } = value;
  const known =
    [decision, shadow].every((one) => one === 'allow' || one === 'deny') &&
    [id, time, snapshot].every((one) => typeof one === 'string') &&
    reasons.some((one) => one === reason) &&
    [by, shadowBy].every(isBy) &&
    isFields(request) &&
    isChannel(channel);
  return known ? (value as unknown as Line) : undefined;
}

function isBy(value: unknown): boolean {
  if (value === null) return true;
  if (!isFields(value)) return false;
  const { policy, kri, effect, index } = value;
  return [policy, kri, effect].every((one) => typeof one === 'string') && typeof index === 'number';
}

function isChannel(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { identity, trust, ceiling, complete, serverNames } = value;
  return (
    [identity, trust, ceiling].every(isTrust) &&
    typeof complete === 'boolean' &&
    (serverNames === undefined || serverNames === 'untold')
  );
}

function agree(line: Line, now: Decision): boolean {
  return (
    line.decision === now.decision &&
    line.shadow === now.shadow &&
    nameOf(line.by) === nameOf(now.by) &&
    nameOf(line.shadowBy) === nameOf(now.shadowBy)
  );
}

function nameOf(by: By | null): string {
  return by !== null ? `${by.kri}#${by.effect}/${by.index}` : '';
}

function verdict({ decision, shadow, by, shadowBy, reason }: Written): Written {
  return { decision, shadow, by, shadowBy, reason };
}

function show({ id, time, was, now }: Difference, paint: Palette): string {
  return [
    `${printable(time)} ${paint.dim(printable(id))}`,
    `  was ${inWords(was, paint)}`,
    `  now ${inWords(now, paint)}`,
  ].join('\n');
}

function inWords({ decision, shadow, by, reason }: Written, paint: Palette): string {
  const why = by === null ? reasonInWords({ reason }) : `by ${showRule(by)}`;
  const trial = shadow === decision ? '' : `; shadow ${effectPaint(shadow, paint)}`;
  return `${effectPaint(decision, paint)}, ${why}${trial}`;
}

function summary(sum: Replayed): string {
  const parts = [
    `${count(sum.lines, 'line')}: ${sum.same.toLocaleString('en')} the same`,
    `${sum.different.toLocaleString('en')} different`,
    ...(sum.otherSnapshot > 0
      ? [`${sum.otherSnapshot.toLocaleString('en')} decided with other policies`]
      : []),
    ...(sum.masked > 0 ? [`${sum.masked.toLocaleString('en')} masked`] : []),
    ...(sum.refused > 0 ? [`${sum.refused.toLocaleString('en')} refused before policies were asked`] : []),
    ...(sum.unreadable > 0
      ? [`${sum.unreadable.toLocaleString('en')} that are no lines of a decision log`]
      : []),
  ];
  return parts.join(', ');
}
