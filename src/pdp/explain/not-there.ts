import { findDataplane, type Inventory, ownNameOf } from '../model/inventory.ts';
import type { RequestDestination } from '../model/request.ts';
import { byText, nearest } from '../model/text.ts';

const mostListed = 5;

/** Of a request that names no destination of the inventory. */
export interface NotThere {
  /** What was looked for, in words. */
  readonly looked: string;
  /** What there is instead, the nearest if one is near; undefined where there is nothing. */
  readonly instead?: string;
}

export function notThere(
  { dataplane, mesh = 'default', inbound, service, namespace }: RequestDestination,
  inventory: Inventory,
): NotThere | undefined {
  const { dataplanes, services } = inventory;
  if (service !== undefined) return said('service', service, [...services.keys()]);
  if (dataplane === undefined) return undefined;
  const name = `${mesh}/${dataplane}`;
  const found = findDataplane(inventory, mesh, dataplane, namespace);
  if (found === undefined) {
    const elsewhere = [...dataplanes.values()].filter((one) => ownNameOf(one) === dataplane);
    const names =
      elsewhere.length > 0 ? elsewhere.map((one) => `${one.mesh}/${one.name}`) : dataplanes.keys();
    return said('dataplane', name, [...names]);
  }
  const inbounds = found.inbounds.map((one) => one.name ?? String(one.port));
  return said(`inbound of ${name}`, String(inbound), inbounds);
}

function said(what: string, name: string, there: readonly string[]): NotThere {
  const looked = `there is no ${what} ${JSON.stringify(name)}`;
  if (there.length === 0) return { looked };
  const near = there.length === 1 ? there[0] : nearest(name, there);
  if (near !== undefined) return { looked, instead: `there is ${JSON.stringify(near)}` };
  const listed = [...there].sort(byText).slice(0, mostListed);
  const more = there.length > listed.length ? ` and ${there.length - listed.length} more` : '';
  return { looked, instead: `there are ${listed.map((one) => JSON.stringify(one)).join(', ')}${more}` };
}
