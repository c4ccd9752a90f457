import {
  destinationFields,
  destinationInHeaders,
  destinationSaid,
  type Headers,
  type SaidDestination,
} from '../../pdp/model/proxies.ts';
import type { RequestDestination } from '../../pdp/model/request.ts';

/** In a path, that headers of the proxy say what is asked for. */
const inHeaders = 'headers';

/**
 * What a segment of a path says that a request is for: `mesh=default;dataplane=web-1;inbound=http`, percent-encoded, or
 * `headers`. It is part of the address by which a proxy's configuration names us, which no client changes.
 */
export function destinationIn(segment: string, headers: Headers): RequestDestination | undefined {
  if (segment === inHeaders) return destinationSaid(destinationInHeaders(headers));
  const said: SaidDestination = {};
  for (const pair of decoded(segment).split(';')) {
    const equals = pair.indexOf('=');
    const field = destinationFields.find((one) => one === pair.slice(0, equals));
    const value = pair.slice(equals + 1);
    if (field === undefined || said[field] !== undefined || value === '') return undefined;
    said[field] = value;
  }
  return destinationSaid(said);
}

/** Broken encoding is nothing that names anything. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** A prefix, a segment, and all that stands behind it, byte for byte. */
export function behind(prefix: string, url: string): { readonly segment: string; readonly rest: string } {
  const slash = url.indexOf('/', prefix.length);
  const end = slash < 0 ? url.length : slash;
  return { segment: url.slice(prefix.length, end), rest: url.slice(end) };
}
