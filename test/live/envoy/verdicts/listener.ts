import type { FilterKind } from '../../../../src/envoy/export/types.ts';
import type { Filter, ListenerSpec } from '../../../support/envoy/listeners.ts';
import type { Form } from './sets.ts';

type Json = Readonly<Record<string, unknown>>;

const ok = { status: 200, body: { inline_string: 'ok' } };

/** A listener with the filters of an export; a request says by a header which route it takes. */
export function listenerFor(name: string, { exported }: Form, trust: Json): ListenerSpec {
  const { filters, routes, report } = exported;
  const named = routes.map(({ route, typed_per_filter_config }) => ({
    match: { prefix: '', headers: [{ name: 'x-route', string_match: { exact: route } }] },
    direct_response: ok,
    typed_per_filter_config,
  }));
  return plainListener(name, report.filter, filters as readonly Filter[], trust, named);
}

export function plainListener(
  name: string,
  kind: FilterKind,
  filters: readonly Filter[],
  trust: Json,
  routes: readonly Json[] = [],
): ListenerSpec {
  return {
    name,
    kind,
    filters,
    trust,
    // Who presents none gets as far as the filters, which must see to it themselves.
    certificate: false,
    routes: [...routes, { match: { prefix: '' }, direct_response: ok }],
  };
}
