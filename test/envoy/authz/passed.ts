import type { Inventory, Peer } from '../../../src/pdp/model/inventory.ts';
import type { Drawn } from '../../live/envoy/tokens/drawn.ts';
import { gateways } from '../../live/envoy/tokens/world.ts';

type Token = NonNullable<Drawn['token']>;

/** What a proxy's jwt_authn lets pass as a token of the peer whose gateway calls; undefined: nothing. */
export function passed(
  { token, caller }: Drawn,
  { peers }: Inventory,
): { readonly token: Token; readonly peer: Peer } | undefined {
  const gateway = gateways.find(({ id }) => caller.uriSans.length === 1 && id === caller.uriSans[0]);
  const peer = gateway && peers?.get(gateway.name);
  if (token?.signedBy === undefined || peer === undefined || !gateway!.keys.includes(token.signedBy))
    return undefined;
  const { kid, typ, crit, b64 } = token.header;
  const sound = kid === token.signedBy.kid && [undefined, 'JWT', 'JOSE'].includes(typ as never);
  if (!sound || crit !== undefined || b64 !== undefined || Buffer.byteLength(token.text) > 16_384)
    return undefined;
  return { token, peer };
}
