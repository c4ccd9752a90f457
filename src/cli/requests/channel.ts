import { type Channel, channelOf, operatorChannel, type Role, roles } from '../../pdp/model/request.ts';
import { isTrust, trustLevels } from '../../pdp/model/trust.ts';
import { exit, Failure } from '../failure.ts';

export interface ChannelFlags {
  readonly trust?: string;
  readonly asCaller?: string;
}

function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Who is believed to be asking: the operator, unless the flags say how far, or as which caller of the service. */
export function channelFrom(flags: ChannelFlags): Channel {
  const { trust, asCaller } = flags;
  if (asCaller !== undefined) {
    if (trust !== undefined) {
      throw new Failure(exit.usage, '--trust and --as-caller exclude each other', 'a role has its own trust');
    }
    if (!isRole(asCaller)) {
      throw new Failure(exit.usage, `--as-caller ${asCaller}: no such role`, `one of ${roles.join(', ')}`);
    }
    return channelOf(asCaller);
  }
  if (trust === undefined) return operatorChannel;
  if (!isTrust(trust)) {
    throw new Failure(exit.usage, `--trust ${trust}: no such level`, `one of ${trustLevels.join(', ')}`);
  }
  // What states its own trust is still believed: it is the operator who writes that too.
  return { ...operatorChannel, identity: trust, trust };
}
