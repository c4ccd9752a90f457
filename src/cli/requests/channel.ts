import { type Channel, channelOf, operatorChannel, roles } from '../../pdp/model/request.ts';
import { trustLevels } from '../../pdp/model/trust.ts';
import { exit, Failure } from '../failure.ts';
import { word } from '../word.ts';

export interface ChannelFlags {
  readonly trust?: string;
  readonly asCaller?: string;
}

/** Who is believed to be asking: the operator, unless the flags say how far, or as which caller of the service. */
export function channelFrom(flags: ChannelFlags): Channel {
  const { asCaller } = flags;
  if (asCaller !== undefined && flags.trust !== undefined)
    throw new Failure(exit.usage, '--trust and --as-caller exclude each other', 'a role has its own trust');
  const role = word('--as-caller', asCaller, roles);
  if (role !== undefined) return channelOf(role);
  const trust = word('--trust', flags.trust, trustLevels);
  if (trust === undefined) return operatorChannel;
  // What states its own trust is still believed: it is the operator who writes that too.
  return { ...operatorChannel, identity: trust, trust };
}
