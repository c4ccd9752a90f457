import { findDataplane, type Inventory } from '../../pdp/model/inventory.ts';
import { effectOf, type Rule, type WrittenEffect } from '../../pdp/model/rule.ts';
import { mostTags, type Table, type TableRow, type TooManyTags, tagTables } from '../../policy/tags/table.ts';
import { exit, Failure } from '../failure.ts';
import { requestFromFlags } from '../requests/flags.ts';
import { soundSet } from '../set.ts';
import { showRule } from '../show/place.ts';
import type { Terminal } from '../terminal/output.ts';
import { type Palette, palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { count } from '../terminal/wrap.ts';

export interface TableFlags {
  readonly table?: boolean;
  readonly dataplane?: string;
  readonly inbound?: string;
  readonly route?: string;
  readonly json?: boolean;
}

/** As the tag permissions write them. */
const actions: Readonly<Record<WrittenEffect, string>> = {
  allow: 'ALLOW',
  deny: 'DENY',
  allowWithShadowDeny: 'ALLOW_WITH_SHADOW_DENY',
  denyWithShadowAllow: 'DENY_WITH_SHADOW_ALLOW',
};

/** `placet rules --table` */
export async function tagTable(
  terminal: Terminal,
  paths: readonly string[],
  { dataplane, inbound, route, json }: TableFlags,
): Promise<number> {
  if (dataplane === undefined)
    throw new Failure(exit.usage, '--table shows one inbound', 'name its proxy: --dataplane mesh/name');
  const given = {
    dataplane,
    ...(inbound !== undefined && { inbound }),
    ...(route !== undefined && { route }),
  };
  const { loaded } = await soundSet(paths, terminal);
  const { destination } = requestFromFlags(given, loaded.inventory);
  knownInbound(loaded.inventory, dataplane, destination.mesh ?? 'default', inbound);
  const tables = tagTables(loaded.rules, loaded.inventory, destination).map(sized);
  if (json === true) {
    await terminal.out.line(toJson({ tables: tables.map(asJson) }));
    return exit.ok;
  }
  const paint = palette(terminal.out);
  for (const one of tables)
    await terminal.out.write(`${show(one, paint, terminal.out.columns).join('\n')}\n`);
  if (tables.length === 0) await terminal.out.line('no permission by tags governs this inbound');
  return exit.ok;
}

function knownInbound(
  inventory: Inventory,
  dataplane: string,
  mesh: string,
  inbound: string | undefined,
): void {
  const name = dataplane.slice(dataplane.indexOf('/') + 1);
  const found = findDataplane(inventory, mesh, name);
  if (found === undefined)
    throw new Failure(exit.problems, `no document describes the proxy ${printable(`${mesh}/${name}`)}`);
  const names = found.inbounds.map((one) => one.name ?? String(one.port));
  if (inbound === undefined && names.length > 1)
    throw new Failure(
      exit.usage,
      `the proxy ${printable(`${mesh}/${name}`)} has ${names.length} inbounds, and a table is of one`,
      `give --inbound ${names.map(printable).join(' or --inbound ')}`,
    );
  const known = found.inbounds.some((one) => one.name === inbound || String(one.port) === inbound);
  if (inbound !== undefined && !known)
    throw new Failure(
      exit.problems,
      `the proxy ${printable(`${mesh}/${name}`)} has no inbound ${printable(inbound)}`,
      `it has ${names.map(printable).join(', ') || 'none'}`,
    );
}

function sized(found: Table | TooManyTags): Table {
  if ('rows' in found) return found;
  const { tags, combinations, mesh } = found;
  const digits = tags <= 64 ? ` = ${combinations.toLocaleString('en')}` : '';
  throw new Failure(
    exit.problems,
    `clients of the mesh ${printable(mesh)} are told apart by ${tags} distinct tags, which make 2^${tags}${digits} combinations; a table has at most ${mostTags} tags`,
    'the list itself has one line for each item: placet rules',
  );
}

function show({ mesh, rows }: Table, paint: Palette, width: number): string[] {
  const tags = [...new Set(rows.flatMap((row) => [...row.tags.keys(), ...row.not.keys()]))];
  const tried = rows.some((row) => row.rule !== row.shadowRule);
  const titles = [...tags.map(printable), 'action', 'decided by', ...(tried ? ['shadow'] : [])];
  const lines = rows.map((row) => [
    ...tags.map((tag) => cell(row, tag)),
    row.rule === undefined ? 'DENY' : actions[row.rule.origin.effect],
    row.rule === undefined ? 'nothing matches' : showRule(row.rule.origin),
    ...(tried ? [shadowWords(row)] : []),
  ]);
  return [
    paint.bold(`clients of the mesh ${printable(mesh)}`),
    ...table(
      titles.map((title) => ({ title })),
      lines,
      width,
    ),
    count(rows.length, 'row'),
  ];
}

function cell({ tags, not }: TableRow, tag: string): string {
  const value = tags.get(tag);
  if (value !== undefined) return printable(value);
  return (not.get(tag) ?? []).map((one) => `!${printable(one)}`).join(' ');
}

/** Only where another item counts in the shadow world. */
function shadowWords({ rule, shadowRule }: TableRow): string {
  if (rule === shadowRule) return '';
  if (shadowRule === undefined) return 'deny, nothing matches';
  return `${effectOf(shadowRule.shadow)}, ${showRule(shadowRule.origin)}`;
}

function asJson({ mesh, rows }: Table): object {
  return {
    clients: mesh,
    rows: rows.map(({ tags, not, rule, shadowRule }) => ({
      tags: Object.fromEntries(tags),
      not: Object.fromEntries(not),
      action: rule === undefined ? null : actions[rule.origin.effect],
      by: byOf(rule),
      shadow: shadowRule === undefined ? 'deny' : effectOf(shadowRule.shadow),
      shadowBy: byOf(shadowRule),
    })),
  };
}

function byOf(rule: Rule | undefined): object | null {
  if (rule === undefined) return null;
  const { policy, kri, effect, index } = rule.origin;
  return { policy, kri, effect, index };
}
