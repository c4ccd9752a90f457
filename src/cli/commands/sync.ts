import { join } from 'node:path';
import type { Violation } from '../../pdp/model/violation.ts';
import { sha256 } from '../../policy/files.ts';
import { load } from '../../policy/load.ts';
import { parseText } from '../../policy/text/parse.ts';
import { type Action, planSync, type Side } from '../../policy/zones/plan.ts';
import { exit, Failure } from '../failure.ts';
import { showPlace } from '../show/place.ts';
import { showViolations } from '../show/violations.ts';
import { type DirectionFlags, directionOf } from '../sync/direction.ts';
import { type Folder, readFolder, refuseNested } from '../sync/folder.ts';
import { carryOut } from '../sync/write.ts';
import type { Terminal } from '../terminal/output.ts';
import { type Palette, palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';

export interface SyncFlags extends DirectionFlags {
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly allowEmpty?: boolean;
}

export async function sync(terminal: Terminal, flags: SyncFlags): Promise<number> {
  const { from, to } = directionOf(flags);
  refuseNested(flags.from, flags.to);
  const [source, target] = [readFolder(flags.from), readFolder(flags.to)];
  const found = [...source.violations, ...target.violations];
  if (found.length > 0) return refuse(terminal, flags, found);
  const plan = planSync({ from, to, source: source.documents, target: target.held, digest: sha256 });
  if (plan.violations.length > 0) return refuse(terminal, flags, plan.violations);
  const broken = violationsAfter(flags.to, target, plan.actions);
  if (broken.length > 0) return refuse(terminal, flags, broken);
  refuseEmpty(source, plan.actions, flags);
  if (flags.dryRun !== true) carryOut(flags.to, plan.actions);
  if (flags.json === true) {
    const ends = { from: { zone: from.zone ?? null }, to: { zone: to.zone ?? null } };
    const actions = plan.actions.map(({ text: _, ...action }) => action);
    await terminal.out.line(toJson({ ...ends, dryRun: flags.dryRun === true, actions }));
  } else await show(terminal, plan.actions, from, to, flags.dryRun === true);
  return exit.ok;
}

/** What would be wrong with the folder if the plan were carried out: then it is not. */
function violationsAfter(folder: string, target: Folder, actions: readonly Action[]): readonly Violation[] {
  const touched = new Set(actions.flatMap(({ action, file }) => (action === 'skip' ? [] : [file])));
  const kept = target.held.filter(({ file }) => !touched.has(file)).map(({ document }) => document);
  const readings = actions.flatMap(({ file, text }) =>
    file === undefined || text === undefined ? [] : [parseText(text, join(folder, file))],
  );
  const documents = [...kept, ...readings.flatMap((reading) => reading.documents)];
  return [
    ...readings.flatMap((reading) => reading.violations),
    ...load(documents, sha256, [], null).violations,
  ];
}

/** A volume that is not there looks like this, and with its policies would go the denies among them. */
function refuseEmpty(source: Folder, actions: readonly Action[], { from, allowEmpty }: SyncFlags): void {
  const deleted = actions.filter(({ action }) => action === 'delete').length;
  if (source.documents.length > 0 || deleted === 0 || allowEmpty === true) return;
  const message = `${from} holds no document, and ${count(deleted, 'copy', 'copies')} of what it held would be deleted`;
  throw new Failure(exit.problems, message, 'if that is meant, say --allow-empty');
}

async function refuse(terminal: Terminal, flags: SyncFlags, found: readonly Violation[]): Promise<number> {
  if (flags.json === true) await terminal.out.line(toJson({ errors: found }));
  else {
    await showViolations(terminal.err, found, 'error');
    await terminal.err.line(`${count(found.length, 'problem')}, so nothing is written`);
  }
  return exit.problems;
}

async function show(
  { out }: Terminal,
  actions: readonly Action[],
  from: Side,
  to: Side,
  dryRun: boolean,
): Promise<void> {
  const paint = palette(out);
  // Carried out, what was left alone is counted only: a dry run says why of each.
  const shown = dryRun ? actions : actions.filter(({ action }) => action !== 'skip');
  for (const action of shown) await out.line(lineOf(action, paint));
  const counts = (['create', 'update', 'delete', 'skip'] as const).map(
    (kind) => `${actions.filter(({ action }) => action === kind).length} ${words[kind][dryRun ? 0 : 1]}`,
  );
  const end = dryRun ? '; nothing was written' : '';
  await out.line(`${nameOf(from)} to ${nameOf(to)}: ${counts.join(', ')}${end}`);
}

const words = {
  create: ['to create', 'created'],
  update: ['to update', 'updated'],
  delete: ['to delete', 'deleted'],
  skip: ['to skip', 'skipped'],
} as const;

function lineOf({ action, kind, namespace, name, reason, place, file }: Action, paint: Palette): string {
  const who = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  const where = file ?? (place === undefined ? '' : showPlace(place));
  const coloured = { create: paint.green, update: paint.yellow, delete: paint.red, skip: paint.dim }[action];
  return `${coloured(action)} ${printable(who)}: ${printable(reason)}\n    ${paint.dim(printable(where))}`;
}

function nameOf({ zone }: Side): string {
  return zone === undefined ? 'global' : `zone ${zone}`;
}
