import { describe, expect, test } from 'vitest';
import { isSound } from '../../../src/envoy/verify/verify.ts';
import * as b from '../interpreter/build.ts';
import * as config from './config.ts';
import { filters, inBootstrap, reports } from './configurations.ts';
import * as spiffe from './spiffe-world.ts';

/** What is in force before RBAC, or in its place. */

type Json = Readonly<Record<string, unknown>>;

const http = 'envoy.extensions.filters.http';

function failing(
  parts: Partial<config.Parts>,
  onConnection: readonly Json[] = [],
  more: readonly Json[] = [],
) {
  const listener = structuredClone(config.http({ filters, ...parts })) as {
    filter_chains: { filters: Json[] }[];
  };
  listener.filter_chains[0]!.filters.unshift(...onConnection);
  const [report] = reports(spiffe, [inBootstrap(listener), ...more]);
  const fails = report!.checks.flatMap(({ state, id, message }) =>
    state === 'fails' ? [`${id}: ${message}`] : [],
  );
  expect(isSound(report!)).toBe(fails.length === 0);
  return fails;
}

describe('before RBAC', () => {
  const metadata = (more: Json) => b.extension(`${http}.set_metadata.v3.Config`, more);
  const reading = (input: Json) => [
    {
      ...filters[0]!,
      ...b.http({
        matcher: b.list([[b.metadataMatch(input, { string_match: { exact: 'a' } }), b.action('a')]]),
      }),
      name: 'envoy.filters.http.rbac',
    },
  ];
  const writes = (found: readonly string[]) => found.filter((one) => one.includes('which RBAC reads'));

  test('[VER12] what writes metadata or filter state that RBAC reads', () => {
    const jwt = reading(b.metadata('ns'));
    const listed = metadata({ metadata: [{ metadata_namespace: 'other' }, { metadata_namespace: 'jwt' }] });
    const said = ['filter-order: Config: writes the metadata jwt, which RBAC reads'];
    const order = (rbac: readonly Json[], one: Json) => {
      const document = [inBootstrap(config.http({ filters: rbac, before: [one] }))];
      return writes(reports(spiffe, document)[0]!.checks.map(({ id, message }) => `${id}: ${message}`));
    };
    expect(order(jwt, listed)).toEqual(said);
    expect(order(jwt, metadata({ metadataNamespace: 'jwt' }))).toEqual(said);
    expect(order(jwt, metadata({ metadata: [{ metadata_namespace: 'other' }] }))).toEqual([]);
    expect(order(filters, listed)).toEqual([]);
    const set = b.extension(`${http}.set_filter_state.v3.Config`, {
      on_request_headers: [{ object_key: 'team', factory_key: 'envoy.string' }],
    });
    expect(order(reading(b.filterState('team')), set)).toEqual([
      'filter-order: Config: writes the filter state team, which RBAC reads',
    ]);
    expect(order(reading(b.filterState('other')), set)).toEqual([]);
  });

  test('[VER12] what a route switches on, or makes something else of', () => {
    const lua = { ...b.extension(`${http}.lua.v3.Lua`), disabled: true };
    const own = (name: string) => ({
      host: { typed_per_filter_config: { [name]: { '@type': 'x/envoy.config.route.v3.FilterConfig' } } },
    });
    expect(failing({ before: [lua] })).toEqual([]);
    expect(failing({ before: [lua], ...own('Lua') })).toEqual(['filter-order: Lua: before RBAC']);
    const jwt = b.extension(`${http}.jwt_authn.v3.JwtAuthentication`);
    expect(failing({ before: [jwt], ...own('JwtAuthentication') })).toEqual([]);
    expect(failing({ before: [metadata({})], ...own('Config') })).toEqual([
      'filter-order: Config: before RBAC, and a route has it otherwise',
    ]);
  });

  test('[VER12] filters of the connection come before those of its requests', () => {
    const answer = b.extension('envoy.extensions.filters.network.direct_response.v3.Config');
    expect(failing({}, [answer])).toEqual(['filter-order: Config: before RBAC']);
  });

  test('[VER12] nor is one passed over that stands in a list of filters', () => {
    const [report] = reports(spiffe, [
      { filters: [b.extension(`${http}.header_mutation.v3.HeaderMutation`), ...filters] },
    ]);
    expect(report?.checks.find(({ id }) => id === 'filter-order')?.state).toBe('fails');
  });
});

test('[VER12] [VER13] what is in force while discovered RBAC is not there', () => {
  const rbac = filters[0] as unknown as { name: string; typed_config: Json };
  const discovered = (more: Json) => ({
    name: rbac.name,
    config_discovery: { type_urls: [rbac.typed_config['@type']], ...more },
  });
  const delivered = {
    resources: [{ ...rbac, '@type': 'x/envoy.config.core.v3.TypedExtensionConfig' }],
  };
  const found = (more: Json) => failing({ filters: [discovered(more)] }, [], [delivered]);
  expect(found({})).toEqual([]);
  const { '@type': type, ...rest } = rbac.typed_config;
  expect(found({ default_config: { ...rest, '@type': type } })).toEqual([]);
  const said = [
    'delivered: envoy.filters.http.rbac: default_config is in force while its configuration is not there',
  ];
  expect(found({ default_config: { '@type': type } })).toEqual(said);
  expect(found({ defaultConfig: { '@type': type }, apply_default_config_without_warming: true })).toEqual(
    said,
  );
});
