/** Pieces of RBAC configurations, as an operator would write them. */

type Json = Readonly<Record<string, unknown>>;

const type = (name: string) => `type.googleapis.com/${name}`;

export function extension(of: string, more: Json = {}): Json {
  return { name: of.slice(of.lastIndexOf('.') + 1), typed_config: { '@type': type(of), ...more } };
}

export const http = (config: Json): Json => extension('envoy.extensions.filters.http.rbac.v3.RBAC', config);
export const network = (config: Json): Json =>
  extension('envoy.extensions.filters.network.rbac.v3.RBAC', { stat_prefix: 'inbound.', ...config });

const inputs = 'envoy.extensions.matching.common_inputs';
export const uri = extension(`${inputs}.ssl.v3.UriSanInput`);
export const dns = extension(`${inputs}.ssl.v3.DnsSanInput`);
export const subject = extension(`${inputs}.ssl.v3.SubjectInput`);
export const serverName = extension(`${inputs}.network.v3.ServerNameInput`);
export const filterState = (key: string) => extension(`${inputs}.network.v3.FilterStateInput`, { key });
export const metadata = (...keys: string[]) =>
  extension(`${inputs}.network.v3.DynamicMetadataInput`, {
    filter: 'jwt',
    path: keys.map((key) => ({ key })),
  });
export const header = (name: string) =>
  extension('envoy.type.matcher.v3.HttpRequestHeaderMatchInput', { header_name: name });

export function action(name: string, action?: 'ALLOW' | 'DENY' | 'LOG'): Json {
  return { action: extension('envoy.config.rbac.v3.Action', { name, ...(action && { action }) }) };
}

export const single = (input: Json, value_match: Json): Json => ({
  single_predicate: { input, value_match },
});
export const not = (predicate: Json): Json => ({ not_matcher: predicate });
export const both = (...predicate: Json[]): Json => ({ and_matcher: { predicate } });
export const either = (...predicate: Json[]): Json => ({ or_matcher: { predicate } });
export const metadataMatch = (input: Json, value: Json, more: Json = {}): Json => ({
  single_predicate: {
    input,
    custom_match: extension('envoy.extensions.matching.input_matchers.metadata.v3.Metadata', {
      value,
      ...more,
    }),
  },
});

export function list(
  entries: readonly (readonly [predicate: Json, onMatch: Json])[],
  otherwise?: Json,
): Json {
  return {
    matcher_list: { matchers: entries.map(([predicate, on_match]) => ({ predicate, on_match })) },
    ...(otherwise && { on_no_match: otherwise }),
  };
}

export function tree(kind: 'exact' | 'prefix', input: Json, map: Json, otherwise?: Json): Json {
  return {
    matcher_tree: { input, [`${kind}_match_map`]: { map } },
    ...(otherwise && { on_no_match: otherwise }),
  };
}

export function rules(
  policies: Readonly<Record<string, readonly [permission: Json, principal: Json]>>,
  action?: string,
): Json {
  const named = Object.entries(policies).map(([name, [permission, principal]]) => [
    name,
    { permissions: [permission], principals: [principal] },
  ]);
  return { ...(action && { action }), policies: Object.fromEntries(named) };
}

export const any: Json = { any: true };
export const principalName = (matcher: Json): Json => ({ authenticated: { principal_name: matcher } });
const mtlsType = 'envoy.extensions.rbac.principals.mtls_authenticated.v3.Config';
export const mtls = (matcher: Json): Json => ({
  custom: extension(mtlsType, { san_matcher: { san_type: 'URI', matcher } }),
});
export const anyMtls: Json = { custom: extension(mtlsType, { any_validated_client_certificate: true }) };
