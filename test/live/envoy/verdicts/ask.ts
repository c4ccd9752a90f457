import type { FilterKind } from '../../../../src/envoy/export/types.ts';
import type { Lab, Said } from '../../../support/envoy/lab.ts';
import { certificateOf } from './certificates.ts';
import type { Client } from './clients.ts';

/** All questions of one client over one connection, each with its answer; of a connection there is but one. */
export async function askClient(
  lab: Lab,
  listener: string,
  filter: FilterKind,
  { peer, sni, claims, questions }: Client,
  route: string | undefined,
): Promise<Said[]> {
  const certificate = await certificateOf(peer);
  const connecting = {
    ...(certificate === undefined ? {} : { certificate }),
    ...(sni === undefined ? {} : { sni }),
  };
  if (filter === 'network') return [await lab.knock(listener, connecting)];
  const headers = {
    ...(route === undefined ? {} : { 'x-route': route }),
    ...(claims === undefined ? {} : { 'x-forwarded-client-cert': claims }),
  };
  return await lab.ask(
    listener,
    connecting,
    questions.map(({ method, path }) => ({ method, path, headers })),
  );
}
