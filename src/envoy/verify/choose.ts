import { type Chain, chainsOf, looseChain } from './chains.ts';
import { field, textOf } from './json.ts';
import { portsOf, type Resources } from './resources.ts';

/** Which listener is the inbound's: the one that is named, else the one at its port, else the only one. */
export type Choice =
  | { readonly chains: readonly Chain[] }
  | { readonly chains: undefined; readonly message: string; readonly listeners: readonly string[] };

export function chooseChains(
  resources: Resources,
  wanted: string | undefined,
  ports: readonly number[],
): Choice {
  const { listeners } = resources;
  if (listeners.length === 0) {
    if (wanted !== undefined) return nothing(resources, `there is no listener ${JSON.stringify(wanted)}`);
    const loose = [...resources.filters, ...resources.extensions.values()];
    if (loose.length > 0) return { chains: [looseChain(loose, resources.exportedRoutes)] };
    return nothing(resources, 'there is neither a listener nor an RBAC filter in the configuration');
  }
  if (wanted !== undefined) {
    const named = listeners.filter((one) => field(one, 'name') === wanted);
    if (named.length === 0) return nothing(resources, `there is no listener ${JSON.stringify(wanted)}`);
    return found(named, resources);
  }
  const there = listeners.filter((one) => portsOf(one).some((port) => ports.includes(port)));
  if (there.length > 0) return found(there, resources);
  if (listeners.length === 1) return found(listeners, resources);
  return nothing(
    resources,
    ports.length === 0
      ? 'nobody says at which listener the service is'
      : `no listener is at the inbound's port (${ports.join(', ')})`,
  );
}

function found(listeners: readonly unknown[], resources: Resources): Choice {
  const chains = listeners.flatMap((one) => chainsOf(one, resources));
  if (chains.length > 0) return { chains };
  const names = listeners.map((one) => textOf(field(one, 'name')) ?? '(no name)').join(', ');
  return nothing(resources, `${names}: no filter chain of it is in the configuration`);
}

function nothing({ listeners }: Resources, message: string): Choice {
  const names = listeners.map(
    (one) => `${textOf(field(one, 'name')) ?? '(no name)'} at ${portsOf(one).join(', ')}`,
  );
  return { chains: undefined, message, listeners: names };
}
