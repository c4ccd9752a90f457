import { pushTo } from '../../pdp/model/lists.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { displayName, kriOf, ownNamespace } from '../../policy/kinds/head.ts';
import type { Clients } from '../../policy/merge/clients.ts';
import type { InboundEntry, KindConf, OutboundConf } from '../../policy/merge/confs.ts';
import type { Origin } from '../../policy/merge/entries.ts';
import type { InboundConf } from '../../policy/merge/inbounds.ts';
import type { Merged } from '../../policy/merge/layers.ts';
import type { Resource } from '../../policy/targets/resources.ts';
import type { Targeted } from '../../policy/targets/targeted.ts';
import { showPlace } from '../show/place.ts';
import type { Palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { wrap } from '../terminal/wrap.ts';
import type { PlaceOf } from './json.ts';
import { confLines, type Line } from './lines.ts';

/** What the policies of one kind come to, as a tree. */

interface Context {
  readonly paint: Palette;
  readonly room: number;
  readonly nameOf: (origin: Origin) => string;
  readonly lineOf: (origin: Origin, said: Path) => number | undefined;
}

export function kindText(conf: KindConf, placeOf: PlaceOf, paint: Palette, room: number): readonly string[] {
  const names = namesOf(conf.policies);
  const nameOf = ({ kri }: Origin) => printable(names.get(kri) ?? kri);
  const lineOf = ({ document, confPath }: Origin, said: Path) =>
    placeOf(document, [...confPath, ...said])?.line;
  const context = { paint, room, nameOf, lineOf };
  const policies = conf.policies.map(({ head }) => [
    printable(names.get(kriOf(head))!),
    paint.dim(showPlace(placeOf(head.document, head.root))),
  ]);
  const said = [
    ...(conf.own === undefined ? [] : ['  proxy', ...mergedText(conf.own, '    ', context)]),
    ...outboundsText(conf.outbounds, context),
    ...conf.inbounds.flatMap((one) => inboundText(one, context)),
  ];
  return [
    paint.bold(printable(conf.kind)),
    ...table([{ title: '' }, { title: '' }], policies, room - 2).map((line) => `  ${line}`),
    ...(said.length === 0 ? ['  they say nothing of what it calls or offers'] : said),
  ];
}

/** As short as they are told apart: the name, with the namespace, or the whole identifier. */
function namesOf(policies: readonly Targeted[]): ReadonlyMap<string, string> {
  const forms = policies.map(({ head }) => {
    const [name, namespace, kri] = [displayName(head), ownNamespace(head), kriOf(head)];
    return { kri, forms: [name, namespace === '' ? name : `${namespace}/${name}`, kri] };
  });
  const counts = [0, 1].map((form) => {
    const count = new Map<string, number>();
    for (const { forms: all } of forms) count.set(all[form]!, (count.get(all[form]!) ?? 0) + 1);
    return count;
  });
  return new Map(
    forms.map(({ kri, forms: all }) => [
      kri,
      all.find((text, form) => (counts[form]?.get(text) ?? 1) === 1) ?? kri,
    ]),
  );
}

/** Outbounds with the same conf are shown together. */
function outboundsText(outbounds: readonly OutboundConf[], context: Context): readonly string[] {
  const groups = new Map<Merged<Origin>, OutboundConf[]>();
  for (const one of outbounds) {
    if (one.merged === undefined) continue;
    pushTo(groups, one.merged, one);
  }
  const lines = [...groups].flatMap(([merged, group]) => [
    ...heading(`to ${group.map(outboundName).join(', ')}`, '  ', context),
    ...mergedText(merged, '    ', context),
  ]);
  const routes = outbounds.flatMap((one) =>
    one.routes.flatMap(({ route, merged }) => {
      if (merged === undefined) return [];
      const title = heading(`to ${outboundName(one)} by ${routeName(route)}`, '  ', context);
      return merged === one.merged
        ? [...title, '    the same']
        : [...title, ...mergedText(merged, '    ', context)];
    }),
  );
  return [...lines, ...routes];
}

function outboundName({ outbound: { destination, port } }: OutboundConf): string {
  const { name = 'an outbound without a service', namespace } = destination;
  const service = namespace === undefined ? name : `${namespace}/${name}`;
  const at = destination.port === undefined ? '' : ` port ${destination.port}`;
  return printable(service) + at + (port === undefined ? '' : ` (${port})`);
}

function routeName({ kind, head }: Resource): string {
  return printable(`${kind} ${displayName(head)}`);
}

function inboundText({ inbound, conf, routes }: InboundEntry, context: Context): readonly string[] {
  const name = inbound.name === undefined ? String(inbound.port) : `${inbound.name} (${inbound.port})`;
  const title = `at inbound ${printable(name)}`;
  return [
    ...clientsText(title, conf, context),
    ...routes.flatMap(({ route, conf: own }) => clientsText(`${title} by ${routeName(route)}`, own, context)),
  ];
}

function clientsText(title: string, conf: InboundConf | undefined, context: Context): readonly string[] {
  if (conf === undefined) return [];
  if (conf.as === 'rules') {
    const several = conf.rules.length > 1;
    return conf.rules.flatMap((rule) => [
      ...heading(`${title} from ${clientsName(rule.clients, several)}`, '  ', context),
      ...mergedText(rule, '    ', context),
    ]);
  }
  const items = conf.items.flatMap(({ clients, conf: own, origin }) => [
    ...heading(`${clientsName(clients, false)}, says ${context.nameOf(origin)}`, '    ', context),
    ...confLines({ conf: own, origins: [] }, () => '').map(({ text }) => `      ${text}`),
  ]);
  const why = 'clients overlap in too many ways to list; items as they are, the strongest first';
  return [...heading(`${title}: ${why}`, '  ', context), ...items];
}

function clientsName({ mesh, is, not }: Clients, others: boolean): string {
  const tags = [...is].map(([tag, value]) => `${tag}=${value}`);
  const without = [...not].flatMap(([tag, values]) => values.map((value) => `${tag}!=${value}`));
  const all = [...tags, ...without];
  if (all.length === 0) return printable(`${others ? 'all others' : 'all'} of the mesh ${mesh}`);
  return printable(`${all.join(' ')} of the mesh ${mesh}`);
}

function heading(text: string, indent: string, { paint, room }: Context): readonly string[] {
  return wrap(text, room - indent.length - 2).map(
    (line, at) => indent + (at === 0 ? '' : '  ') + paint.bold(line),
  );
}

const gap = 2;

/** Who says a field stands behind it where there is room, else on a line of its own. */
function mergedText(merged: Merged<Origin>, indent: string, context: Context): readonly string[] {
  const { paint, room, nameOf, lineOf } = context;
  const lines = confLines(merged, (origin, said) => {
    const line = lineOf(origin, said);
    return nameOf(origin) + (line === undefined ? '' : `, line ${line}`);
  });
  const width = (line: Line) => indent.length + line.text.length;
  const fitting = lines.filter((line) => line.by !== '' && width(line) + gap + 2 + line.by.length <= room);
  const column = Math.max(0, ...fitting.map(width)) + gap;
  return lines.flatMap((line) => {
    if (line.by === '') return [indent + line.text];
    const comment = paint.dim(`# ${line.by}`);
    const at = Math.min(column, room - 2 - line.by.length);
    if (width(line) + gap > at)
      return [indent + line.text, `${indent}${' '.repeat(leading(line.text) + 2)}${comment}`];
    return [`${indent}${line.text}${' '.repeat(at - width(line))}${comment}`];
  });
}

function leading(text: string): number {
  return text.length - text.trimStart().length;
}
