import { type Chain, type FoundFilter, isRbac } from './chains.ts';
import { entries, field, items, textOf, typeOf } from './json.ts';

/** What filters before RBAC write that RBAC reads: metadata by its namespace, filter state by its key. */

const setMetadata = 'envoy.extensions.filters.http.set_metadata.v3.Config';
const setFilterState = 'envoy.extensions.filters.http.set_filter_state.v3.Config';

/** Its RBAC, and that of its routes. */
export function readsOf({ filters, httpFilters, routes }: Chain): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { json } of [...filters, ...httpFilters].filter(isRbac)) collect(json, found);
  for (const { overrides } of routes) for (const config of overrides.values()) collect(config, found);
  return found;
}

export function writesOf({ type, json }: FoundFilter): readonly string[] {
  const config = field(json, 'typed_config');
  if (type === setMetadata)
    return [config, ...items(field(config, 'metadata'))].flatMap((one) => {
      const namespace = textOf(field(one, 'metadata_namespace'));
      return namespace === undefined ? [] : [metadata(namespace)];
    });
  if (type === setFilterState)
    return items(field(config, 'on_request_headers')).flatMap((one) => {
      const key = textOf(field(one, 'object_key')) ?? textOf(field(one, 'factory_key'));
      return key === undefined ? [] : [state(key)];
    });
  return [];
}

function collect(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) collect(one, found);
  const namespace = textOf(field(value, 'filter'));
  if (namespace !== undefined) found.add(metadata(namespace));
  const key = textOf(field(value, 'key'));
  if (key !== undefined && typeOf(value).endsWith('.FilterStateInput')) found.add(state(key));
  for (const [, one] of entries(value)) if (typeof one === 'object') collect(one, found);
}

function metadata(namespace: string): string {
  return `the metadata ${namespace}`;
}

function state(key: string): string {
  return `the filter state ${key}`;
}
