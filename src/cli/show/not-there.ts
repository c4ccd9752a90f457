import { isFields } from '../../pdp/model/fields.ts';
import { findDataplane, type Inventory, ownNameOf } from '../../pdp/model/inventory.ts';
import { byText, nearest } from '../../pdp/model/text.ts';
import { printable } from '../terminal/plain.ts';

const mostListed = 5;

/** What was looked for where a request names no destination of the inventory, and what there is instead. */
export function notThere(request: unknown, inventory: Inventory): string[] {
  const { dataplanes, services } = inventory;
  const given = isFields(request) ? request['destination'] : undefined;
  if (!isFields(given)) return [];
  const { dataplane, mesh = 'default', inbound, service, namespace } = given;
  if (typeof service === 'string') return said('service', service, [...services.keys()]);
  if (typeof dataplane !== 'string') return [];
  const name = `${String(mesh)}/${dataplane}`;
  const found = findDataplane(inventory, String(mesh), dataplane, namespace as string | undefined);
  if (found === undefined) {
    const elsewhere = [...dataplanes.values()].filter((one) => ownNameOf(one) === dataplane);
    const names =
      elsewhere.length > 0 ? elsewhere.map((one) => `${one.mesh}/${one.name}`) : dataplanes.keys();
    return said('dataplane', name, [...names]);
  }
  const inbounds = found.inbounds.map((one) => one.name ?? String(one.port));
  return said(`inbound of ${name}`, String(inbound), inbounds);
}

function said(what: string, name: string, there: readonly string[]): string[] {
  const looked = `  there is no ${what} ${JSON.stringify(name)}`;
  if (there.length === 0) return [printable(`${looked}, nor any other`)];
  const near = there.length === 1 ? there[0] : nearest(name, there);
  if (near !== undefined) return [printable(`${looked}; there is ${JSON.stringify(near)}`)];
  const listed = [...there].sort(byText).slice(0, mostListed);
  const more = there.length > listed.length ? ` and ${there.length - listed.length} more` : '';
  return [printable(`${looked}; there are ${listed.map((one) => JSON.stringify(one)).join(', ')}${more}`)];
}
