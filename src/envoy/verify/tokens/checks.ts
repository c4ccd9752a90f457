import { createHash } from 'node:crypto';
import type { Inventory, Peer as Site } from '../../../pdp/model/inventory.ts';
import { limits } from '../../../pdp/model/limits.ts';
import type { Chain, FoundFilter } from '../chains.ts';
import { type Check, fails, holds, notShown } from '../check.ts';
import { entries, field, items, textOf } from '../json.ts';
import { unknownFields } from '../known-fields.ts';
import { payload, verifiedBy } from './token.ts';

const jwtType = 'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication';
const luaType = 'envoy.extensions.filters.http.lua.v3.Lua';
const tokenHeader = 'x-placet-token';
/** Where the script looks for the header of a token. */
const header = 'jwt_header';

/** The script that exports come with; another one may say what it likes. */
export const scriptHash = 'c55b52a77deac542cef15deae82eaff4930d6df2a3ab7a49f7c8b97a198fcce2';

export function isTokenScript({ type, json }: FoundFilter): boolean {
  if (type !== luaType) return false;
  const config = field(json, 'typed_config');
  const text = textOf(field(config, 'default_source_code', 'inline_string'));
  const more = entries(config).some(
    ([key]) => !['@type', 'default_source_code', 'defaultSourceCode'].includes(key),
  );
  return !more && text !== undefined && createHash('sha256').update(text).digest('hex') === scriptHash;
}

/** What stands in front of RBAC so that what it reads of a token is true. */
export function tokenChecks(chain: Chain, inventory: Inventory): Check[] {
  const filters = chain.httpFilters.filter(({ disabled }) => !disabled);
  const verifying = filters.filter(({ type }) => type === jwtType);
  const scripts = filters.filter(({ type }) => type === luaType);
  const rbac = filters.findIndex(({ type }) => type.endsWith('.http.rbac.v3.RBAC'));
  const [first] = verifying;
  const [script] = scripts;
  const ordered =
    first !== undefined && script !== undefined && filters.indexOf(first) < filters.indexOf(script);
  return [
    verification(verifying, inventory),
    scripts.length === 1 && script !== undefined && isTokenScript(script)
      ? holds('token-checks', 'the script that comes with the export says whose connection a token is for')
      : fails(
          'token-checks',
          `got ${scripts.length === 0 ? 'no filter in Lua' : 'a filter in Lua that is not the one of the export'}, so that nobody says whose connection a token is for`,
          'put envoy.filters.http.lua as it was exported behind jwt_authn',
        ),
    ordered && filters.indexOf(script) < rbac
      ? holds('token-order', 'tokens are verified, then looked at, then read')
      : fails('token-order', 'RBAC does not come behind jwt_authn and the script, in this order'),
    overrides(chain, [...verifying, ...scripts]),
    notShown('clock', `that the clock is right to within ${limits.tokenSkewSeconds} seconds`),
  ];
}

function verification(filters: readonly FoundFilter[], inventory: Inventory): Check {
  const [only] = filters;
  if (only === undefined || filters.length > 1)
    return fails('token-verification', `got ${filters.length} filters jwt_authn, want one`);
  const fault = faultOf(field(only.json, 'typed_config'), inventory);
  return fault === undefined
    ? holds('token-verification', 'tokens are verified by the keys of the peers')
    : fails('token-verification', fault, 'export it again, or mend the Peer documents');
}

/** Why a configuration of `jwt_authn` does not verify what is exported; undefined if it does. */
function faultOf(config: unknown, { site, peers }: Inventory): string | undefined {
  const [unknown] = unknownFields('jwt_authn', config);
  if (unknown !== undefined) return unknownFault(unknown);
  const providers = entries(field(config, 'providers'));
  const expected = [...(peers?.values() ?? [])];
  for (const peer of expected)
    if (!providers.some(([, one]) => field(one, 'issuer') === peer.gateway))
      return `nothing verifies the tokens of ${peer.name}`;
  for (const [name, provider] of providers) {
    const peer = expected.find(({ gateway }) => gateway === field(provider, 'issuer'));
    if (peer === undefined) return `${name} is nobody's whom a Peer document names`;
    const fault = providerFault(provider, peer, site.gateway);
    if (fault !== undefined) return `${name}: ${fault}`;
  }
  const [rule, ...more] = items(field(config, 'rules'));
  const narrowed = [...unknownFields('the rule', rule), ...unknownFields('its match', field(rule, 'match'))];
  if (more.length > 0 || narrowed.length > 0 || field(rule, 'match', 'prefix') !== '/')
    return 'not all requests are asked for a token by one rule';
  const required = requiredBy(field(rule, 'requires'));
  const all = providers.map(([name]) => name);
  return required !== undefined && all.every((name) => required.includes(name))
    ? undefined
    : 'a request may come without a token, or not with that of every peer';
}

function requiredBy(requires: unknown): readonly string[] | undefined {
  const one = textOf(field(requires, 'provider_name'));
  if (one !== undefined) return [one];
  const names = items(field(requires, 'requires_any', 'requirements')).map((inner) =>
    textOf(field(inner, 'provider_name')),
  );
  return names.length > 0 && names.every((name) => name !== undefined) ? names : undefined;
}

function providerFault(provider: unknown, peer: Site, audience: string | undefined): string | undefined {
  const audiences = items(field(provider, 'audiences'));
  if (audience === undefined || audiences.length !== 1 || audiences[0] !== audience)
    return "the audience is not this site's gateway";
  if (!hasKeys(textOf(field(provider, 'local_jwks', 'inline_string')), peer))
    return 'its keys are not those of the Peer document';
  const [from, ...others] = items(field(provider, 'from_headers'));
  const prefix = field(from, 'value_prefix') ?? '';
  const elsewhere = ['from_params', 'from_cookies'].some((name) => items(field(provider, name)).length > 0);
  if (others.length > 0 || elsewhere || field(from, 'name') !== tokenHeader || prefix !== '')
    return `it looks for tokens elsewhere than in ${tokenHeader}`;
  if (field(provider, 'payload_in_metadata') !== payload) return `it does not leave them in ${verifiedBy}`;
  if (field(provider, 'header_in_metadata') !== header)
    return `it does not leave their headers in ${verifiedBy}, where the script looks for them`;
  if (field(provider, 'forward') !== true) return 'it takes the token away before the script has seen it';
  if (field(provider, 'clock_skew_seconds') !== limits.tokenSkewSeconds)
    return `clocks may differ by other than ${limits.tokenSkewSeconds} seconds`;
  const [unknown] = unknownFields('the provider', provider);
  return unknown === undefined ? undefined : unknownFault(unknown);
}

function unknownFault(name: string): string {
  return `got ${name}, of which it is not known here what it does`;
}

function hasKeys(text: string | undefined, { keys }: Site): boolean {
  let jwks: unknown;
  try {
    jwks = JSON.parse(text ?? '');
  } catch {
    return false;
  }
  const found = items(field(jwks, 'keys')).map((key) =>
    JSON.stringify(['kty', 'crv', 'kid', 'x', 'y'].map((name) => field(key, name) ?? '')),
  );
  const wanted = keys.map(({ kty, crv, kid, x, y }) => JSON.stringify([kty, crv, kid, x, y ?? '']));
  return JSON.stringify(found.sort()) === JSON.stringify(wanted.sort());
}

function overrides({ routes }: Chain, filters: readonly FoundFilter[]): Check {
  const changed = routes.filter((route) => filters.some(({ name }) => route.overrides.has(name)));
  return changed.length === 0
    ? holds('token-overrides', 'no route has its own way with tokens')
    : fails(
        'token-overrides',
        `${changed.map(({ at }) => at).join(', ')}: has its own way with tokens`,
        'leave jwt_authn and the script to the listener',
      );
}
