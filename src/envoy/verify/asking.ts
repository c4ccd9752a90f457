import { certificateChannel } from '../../pdp/model/certified.ts';
import { type Decision, refusal } from '../../pdp/model/decision.ts';
import type { RequestParts } from '../../pdp/model/request.ts';
import { meshOf, questionOf, requestOf } from './evidence.ts';
import type { Mentioned } from './mentioned.ts';
import { nearestPeers, peersFor } from './peers.ts';
import { tokenClients } from './tokens/clients.ts';
import type { Client } from './tokens/token.ts';
import { toldBy } from './tokens/told.ts';
import type { Verifying } from './verifying.ts';

/** Who is tried, and what the policies say to them: by their certificates, or by the tokens that they come with. */
export interface Asking {
  readonly clients: (about: Mentioned) => readonly Client[];
  /** The nearest to one rule, and few enough to be tried with all that it is about. */
  readonly nearest: (about: Mentioned) => readonly Client[];
  readonly ask: (client: Client, route: string | undefined, parts: RequestParts) => Decision;
}

export function askingOf(verifying: Verifying): Asking {
  const { destination, inventory, decide } = verifying;
  if (verifying.tokens === true && 'service' in destination)
    return askingByTokens(verifying, destination.service);
  const mesh = meshOf(destination);
  return {
    clients: (about) => peersFor(mesh, about, inventory),
    nearest: (about) => nearestPeers(mesh, about, inventory),
    ask: (client, route, parts) =>
      decide(questionOf(destination, route, client, parts, inventory), certificateChannel),
  };
}

function askingByTokens({ destination, inventory, decide }: Verifying, service: string): Asking {
  const ask: Asking['ask'] = (client, route, parts) => {
    const told = toldBy(client, inventory, service);
    if ('refused' in told) return refusal(told.refused, '');
    return decide(requestOf(destination, told.source, route, client, parts), told.channel);
  };
  const plain = { method: 'GET', path: '/' };
  const allows = (client: Client) => ask(client, undefined, plain).decision === 'allow';
  const clients = (about: Mentioned) => tokenClients(about, inventory, service, allows);
  return { clients, nearest: clients, ask };
}
