import { type Address, filesIn, type Wiring } from '../../envoy/export/wiring.ts';
import type { Asked } from '../../pdp/governing.ts';
import { findDataplane, type Inventory } from '../../pdp/model/inventory.ts';
import { addressFrom, type ExportFlags } from './flags.ts';

const usualFolder = '/etc/placet/tls';
/** Of a service nobody says where it listens. */
const usualPort = 8443;

/** Where a listener stands, as far as the flags say; the rest as a sidecar would have it. */
export function wiringFrom(flags: ExportFlags, asked: Asked, inventory: Inventory): Wiring {
  const port = portOf(asked, inventory) ?? usualPort;
  const listen = addressFrom('--listen', flags.listen, { host: '0.0.0.0', port }) as Address;
  const upstream = addressFrom('--upstream', flags.upstream, { host: '127.0.0.1', port }) as Address;
  const admin = addressFrom('--admin', flags.admin, undefined);
  return {
    listen,
    upstream,
    ...filesIn(flags.tls ?? usualFolder),
    ...(admin === undefined ? {} : { admin }),
  };
}

function portOf(asked: Asked, inventory: Inventory): number | undefined {
  if ('service' in asked) return undefined;
  const inbounds = findDataplane(inventory, asked.mesh, asked.dataplane)?.inbounds ?? [];
  const wanted = asked.inbound === undefined ? undefined : String(asked.inbound);
  const found =
    wanted === undefined
      ? inbounds[0]
      : inbounds.find(({ name, port }) => name === wanted || String(port) === wanted);
  return found?.port;
}
