import { findInbound, inboundKri } from '../../policy/inspect/layout.ts';
import { type Inspected, viewProxy } from '../../policy/inspect/proxy.ts';
import { Confs } from '../../policy/merge/confs.ts';
import { pickDataplane, pickInbounds, pickOutbounds } from '../conf/pick.ts';
import { exit, Failure } from '../failure.ts';
import { inspectText } from '../inspect/text.ts';
import { soundSet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { toJson } from '../terminal/plain.ts';

export interface InspectFlags {
  readonly policies?: readonly string[];
  readonly layout?: boolean;
  readonly inbound?: string;
  readonly outbound?: string;
  readonly shadow?: boolean;
  readonly json?: boolean;
}

export async function inspectDataplane(
  terminal: Terminal,
  named: string | undefined,
  flags: InspectFlags,
): Promise<number> {
  if (named === undefined)
    throw new Failure(
      exit.usage,
      'no dataplane was given',
      'name it before --policies, which takes every path that follows',
    );
  const parts = [
    flags.layout === true && '--layout',
    flags.inbound && '--inbound',
    flags.outbound && '--outbound',
  ];
  const asked = parts.filter((one) => typeof one === 'string' && one !== '');
  if (asked.length > 1) throw new Failure(exit.usage, `${asked.join(', ')} exclude each other`);
  const set = await soundSet(flags.policies, terminal);
  const dataplane = pickDataplane(set, named);
  const world = { ...set.loaded, shadow: flags.shadow === true };
  const all = new Confs(world);
  const view = viewProxy(world, all, dataplane);
  const { layout } = view;
  const { out } = terminal;
  const show = async (inspected: Partial<Inspected>, json: unknown): Promise<number> => {
    if (flags.json) await out.line(toJson(json));
    else await out.line(inspectText(inspected, palette(out), out.columns).join('\n'));
    return exit.ok;
  };

  if (flags.layout) return await show({ layout }, layout);
  if (flags.inbound !== undefined) {
    const inbound = findInbound(dataplane, flags.inbound);
    if (inbound === undefined) pickInbounds(dataplane, flags.inbound);
    else {
      const found = view.inbound(inbound);
      return await show({ inbounds: [{ kri: inboundKri(dataplane, inbound), ...found }] }, found);
    }
  }
  if (flags.outbound !== undefined) {
    const found = view.outbounds(pickOutbounds(all.of(dataplane), flags.outbound));
    return await show(
      { outbounds: found },
      found.length === 1 ? { policies: found[0]!.policies } : { outbounds: found },
    );
  }
  const inspected = view.all();
  return await show(inspected, inspected);
}
