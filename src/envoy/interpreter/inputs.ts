import { type Cursor, required } from './cursor.ts';
import { type HttpRequest, type Metadata, own, type Seen } from './evidence.ts';
import { asciiLower } from './text-matcher.ts';
import { readKeys, valueAt } from './value-matcher.ts';

/**
 * What a matcher reads. A text input that has nothing is undefined: every predicate over it is false. Metadata is
 * no text: only the metadata matcher reads it, and to it a missing value is one more value.
 */
export type Input =
  | { readonly kind: 'text'; readonly read: (seen: Seen) => string | undefined }
  | { readonly kind: 'metadata'; readonly read: (seen: Seen) => Metadata | undefined };

const ssl = 'envoy.extensions.matching.common_inputs.ssl.v3.';
const network = 'envoy.extensions.matching.common_inputs.network.v3.';
const header = 'envoy.type.matcher.v3.HttpRequestHeaderMatchInput';

export type FilterKind = 'http' | 'network';

export function readInput(cursor: Cursor, filter: FilterKind): Input | undefined {
  const extension = cursor.extension();
  if (extension === undefined) return undefined;
  const { type, config } = extension;
  switch (type) {
    case `${ssl}UriSanInput`:
      return config.fields() && text(({ peer }) => joined(peer.uriSans));
    case `${ssl}DnsSanInput`:
      return config.fields() && text(({ peer }) => joined(peer.dnsSans));
    case `${ssl}SubjectInput`:
      return config.fields() && text(({ peer }) => peer.subject || undefined);
    case `${network}ServerNameInput`:
      return config.fields() && text(({ peer }) => serverName(peer.sni) || undefined);
  }
  const read = requestInputs.get(type);
  if (read === undefined) return config.unknown(`the input ${type}`);
  if (filter === 'http') return read(config);
  if (read === readFilterState) return config.unknown('a filter state in a network filter');
  return config.refuse('value', `got the input ${type} in a network filter, which Envoy refuses`);
}

function text(read: (seen: Seen) => string | undefined): Input {
  return { kind: 'text', read };
}

/** All names of a certificate are one text to the matcher API. */
function joined(sans: readonly string[]): string | undefined {
  return sans.length === 0 ? undefined : sans.join(',');
}

/** The TLS inspector keeps it in lower case. */
export function serverName(sni: string | undefined): string {
  return asciiLower(sni ?? '');
}

function readMetadata(config: Cursor): Input | undefined {
  const fields = config.fields('filter', 'path');
  const filter = fields && required(config, fields, 'filter')?.text(1);
  const path = fields && required(config, fields, 'path');
  const keys = path && readKeys(path);
  if (filter === undefined || keys === undefined) return undefined;
  return { kind: 'metadata', read: ({ request }) => valueAt(request?.metadata, filter, keys) };
}

function readFilterState(config: Cursor): Input | undefined {
  const fields = config.fields('key', 'field');
  if (fields?.has('field')) return fields.get('field')?.unknown('a field of a filter state');
  const key = fields && required(config, fields, 'key')?.text(1);
  return key === undefined ? undefined : text(({ request }) => own(request?.filterState, key));
}

function readHeader(config: Cursor): Input | undefined {
  const fields = config.fields('header_name');
  const name = fields && required(config, fields, 'header_name');
  const read = name && readHeaderName(name);
  return read && text(({ request }) => (request === undefined ? undefined : read(request)));
}

/** How a header of a request is read, by its name as a configuration has it. */
export function readHeaderName(cursor: Cursor): ((request: HttpRequest) => string | undefined) | undefined {
  const given = cursor.text();
  if (given === undefined) return undefined;
  if (!/^:?[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(given)) {
    return cursor.unknown(`${JSON.stringify(given)} as the name of a header`);
  }
  const name = asciiLower(given);
  if (name === ':path') return ({ path }) => path;
  if (name === ':method') return ({ method }) => method;
  if (name.startsWith(':') && name !== ':authority') return cursor.unknown(`the pseudo-header ${name}`);
  // Envoy itself reads this name as the authority.
  if (name === 'host') return cursor.unknown('the header "host"');
  return ({ headers }) => own(headers, name);
}

const requestInputs: ReadonlyMap<string, (config: Cursor) => Input | undefined> = new Map([
  [`${network}DynamicMetadataInput`, readMetadata],
  [`${network}FilterStateInput`, readFilterState],
  [header, readHeader],
]);
