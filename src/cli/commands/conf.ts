import { Confs, type KindConf } from '../../policy/merge/confs.ts';
import { kindToJson, type PlaceOf } from '../conf/json.ts';
import { pickDataplane, pickInbounds, pickKind, pickOutbounds } from '../conf/pick.ts';
import { kindText } from '../conf/text.ts';
import { exit, Failure } from '../failure.ts';
import { soundSet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';

export interface ConfFlags {
  readonly policies?: readonly string[];
  readonly dataplane?: string;
  readonly kind?: string;
  readonly outbound?: string;
  readonly inbound?: string;
  readonly shadow?: boolean;
  readonly json?: boolean;
}

export async function conf(terminal: Terminal, flags: ConfFlags): Promise<number> {
  if (flags.dataplane === undefined)
    throw new Failure(exit.usage, 'no dataplane was given', 'name one: --dataplane <mesh/name>');
  const set = await soundSet(flags.policies, terminal);
  pickKind(set, flags.kind);
  const dataplane = pickDataplane(set, flags.dataplane);
  const confs = new Confs({ ...set.loaded, shadow: flags.shadow === true });
  const all = only(confs.of(dataplane, flags.kind), flags, dataplane);
  const placeOf: PlaceOf = (document, path) => set.documents[document]?.place(path);
  const { mesh, name } = dataplane;
  const { out } = terminal;
  if (flags.json) {
    const kinds = all.map((one) => kindToJson(one, placeOf));
    await out.line(toJson({ dataplane: { mesh, name }, snapshot: set.loaded.snapshot, kinds }));
    return exit.ok;
  }
  const paint = palette(out);
  await out.line(paint.bold(printable(`${mesh}/${name}`)));
  if (all.length === 0) {
    const kind = flags.kind === undefined ? '' : ` of the kind ${flags.kind}`;
    const asked = flags.outbound ?? flags.inbound;
    const what = asked === undefined ? 'selects it' : `says anything of ${asked}`;
    await out.line(printable(`no policy${kind} ${what}`));
  }
  for (const one of all) await out.line(`\n${kindText(one, placeOf, paint, out.columns).join('\n')}`);
  return exit.ok;
}

/** What was asked for: with an outbound or an inbound, nothing else. */
function only(
  all: readonly KindConf[],
  { outbound, inbound }: ConfFlags,
  dataplane: Parameters<typeof pickInbounds>[0],
): readonly KindConf[] {
  if (outbound === undefined && inbound === undefined) return all;
  const isOutbound = outbound === undefined ? () => false : pickOutbounds(all, outbound);
  const isInbound = inbound === undefined ? () => false : pickInbounds(dataplane, inbound);
  const narrowed = all.map((one) => ({
    ...one,
    own: undefined,
    outbounds: one.outbounds.filter(isOutbound),
    inbounds: one.inbounds.filter(isInbound),
  }));
  return narrowed.filter(saysSomething);
}

function saysSomething({ outbounds, inbounds }: KindConf): boolean {
  return (
    outbounds.some(
      ({ merged, routes }) => merged !== undefined || routes.some((one) => one.merged !== undefined),
    ) ||
    inbounds.some(({ conf, routes }) => conf !== undefined || routes.some((one) => one.conf !== undefined))
  );
}
