import type { RequestDestination } from './request.ts';

/** What proxies say of what a request is for, and what we say of ours: headers under one prefix, for us alone. */

export const destinationFields = ['mesh', 'dataplane', 'inbound', 'service', 'route', 'namespace'] as const;

export type SaidDestination = { -readonly [K in (typeof destinationFields)[number]]?: string | undefined };

export const ownHeader = <const Name extends string>(name: Name) => `x-placet-${name}` as const;

export const toldHeaders = {
  id: ownHeader('decision-id'),
  reason: ownHeader('reason'),
  trust: ownHeader('trust'),
} as const;

const named = destinationFields.map((field) => [field, ownHeader(field)] as const);
const ofDestination = named.map(([, header]) => header);

/** What an upstream must not get as a client sends it, beside what it is told. */
export function unsaidHeaders(tellUpstream: boolean): readonly string[] {
  return tellUpstream ? ofDestination : [toldHeaders.reason, toldHeaders.trust, ...ofDestination];
}

/** Headers as Node has them. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export function destinationInHeaders(headers: Headers): SaidDestination {
  const said: SaidDestination = {};
  for (const [field, header] of named) {
    const value = headers[header];
    if (typeof value === 'string') said[field] = value;
  }
  return said;
}

/** Undefined where neither a dataplane nor a service is named. Where both are, so they stay, and are no request (REQ3). */
export function destinationSaid(said: SaidDestination): RequestDestination | undefined {
  const { mesh, dataplane, inbound, service, route, namespace } = said;
  if (dataplane === undefined && service === undefined) return undefined;
  const destination: SaidDestination = dataplane === undefined ? {} : { dataplane };
  if (service !== undefined) destination.service = service;
  if (dataplane !== undefined) {
    if (mesh !== undefined) destination.mesh = mesh;
    if (inbound !== undefined) destination.inbound = inbound;
    if (route !== undefined) destination.route = route;
  }
  if (namespace !== undefined) destination.namespace = namespace;
  return destination as RequestDestination;
}
