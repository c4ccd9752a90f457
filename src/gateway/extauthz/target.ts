import {
  destinationFields,
  destinationInHeaders,
  destinationSaid,
  type Headers,
  ownHeader,
  type SaidDestination,
} from '../../pdp/model/proxies.ts';
import type { RequestDestination } from '../../pdp/model/request.ts';
import { nearest } from '../../pdp/model/text.ts';

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

/** Why a segment says nothing that a request could be for, in words. */
export function whyUnnamed(segment: string): string {
  if (segment === inHeaders) return `no header says ${ownHeader('dataplane')} or ${ownHeader('service')}`;
  const text = decoded(segment);
  if (text === '') return segment === '' ? 'nothing is named' : 'its percent-encoding is broken';
  const seen = new Set<string>();
  for (const pair of text.split(';')) {
    const [field = '', ...value] = pair.split('=');
    const shown = JSON.stringify(field.slice(0, mostShown));
    if (!destinationFields.some((one) => one === field)) {
      const near = nearest(field, destinationFields);
      return `${shown} is none of ${destinationFields.join(', ')}${near === undefined ? '' : `; did you mean "${near}"?`}`;
    }
    if (seen.has(field)) return `${shown} stands there twice`;
    if (value.join('=') === '') return `${shown} has no value`;
    seen.add(field);
  }
  return 'neither a dataplane nor a service is named';
}

const mostShown = 80;

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
