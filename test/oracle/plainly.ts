import { isRequest } from './request.ts';

/** A request with less in it, as machines write them: an identity or attributes that are strings, one destination. */
export function plainly(request: unknown): object | undefined {
  if (!isRequest(request)) return undefined;
  const { source = {}, destination, request: parts } = request;
  const { attributes, spiffeId } = source;
  const stated = attributes === undefined ? [] : texts(attributes);
  const { mesh, dataplane, inbound, service, namespace } = destination;
  const outright = destination.attributes === undefined ? [] : texts(destination.attributes);
  return {
    ...(stated.length > 0
      ? { source: { attributes: Object.fromEntries(stated) } }
      : spiffeId === undefined
        ? {}
        : { source: { spiffeId } }),
    destination:
      dataplane !== undefined
        ? { mesh, dataplane, ...(inbound === undefined ? {} : { inbound: String(inbound) }) }
        : service !== undefined
          ? { service, namespace }
          : { namespace, attributes: Object.fromEntries(outright) },
    ...(parts === undefined || Object.keys(parts).length === 0 ? {} : { request: parts }),
  };
}

function texts(attributes: object): [string, string][] {
  return Object.entries(attributes).flatMap(([key, stated]: [string, unknown]) => {
    const value = typeof stated === 'string' ? stated : (stated as { value?: string }).value;
    return value === undefined ? [] : [[key, value]];
  });
}
