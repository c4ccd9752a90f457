import type { Peer } from '../../../pdp/model/inventory.ts';
import { limits } from '../../../pdp/model/limits.ts';
import { trustDomainLeaves } from '../conditions.ts';
import { all, any, type Expression, not } from '../expression.ts';
import { type JsonObject, typed } from '../json.ts';
import { action, type Entry } from '../matcher.ts';
import { sortedMap } from '../predicate.ts';
import type { Filter } from '../types.ts';
import { script } from './script.ts';
import {
  anyGateway,
  checks,
  type Exchange,
  equals,
  hasPassed,
  headerKey,
  issuedBy,
  isText,
  jwtFilter,
  ofSubject,
  payloadKey,
  tokenHeader,
} from './token.ts';

/** What stands before RBAC, and in it before all rules, so that there is a token that holds (SPEC ENV19, ENV20). */

export const luaFilter = 'envoy.filters.http.lua';
const peerRefused = 'peer-refused';
const tokenRefused = 'token-refused';

/** Who signed is verified, then whose connection it is. */
export function tokenFilters({ peers, audience }: Exchange): readonly Filter[] {
  const providers = peers.map((peer) => [peer.name, providerOf(peer, audience)] as const);
  const each = peers.map(({ name }): JsonObject => ({ provider_name: name }));
  const requires = each.length === 1 ? each[0]! : { requires_any: { requirements: each } };
  return [
    {
      name: jwtFilter,
      typed_config: typed('envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication', {
        providers: sortedMap(providers),
        rules: [{ match: { prefix: '/' }, requires }],
      }),
    },
    {
      name: luaFilter,
      typed_config: typed('envoy.extensions.filters.http.lua.v3.Lua', {
        default_source_code: { inline_string: script },
      }),
    },
  ];
}

const algs = { EC: 'ES256', OKP: 'EdDSA' } as const;

function providerOf({ gateway, keys }: Peer, audience: string): JsonObject {
  const jwks = { keys: keys.map((key) => ({ ...key, alg: algs[key.kty] })) };
  return {
    issuer: gateway,
    audiences: [audience],
    local_jwks: { inline_string: JSON.stringify(jwks) },
    from_headers: [{ name: tokenHeader }],
    // The script takes it away, once it has seen how long it is.
    forward: true,
    payload_in_metadata: payloadKey,
    header_in_metadata: headerKey,
    clock_skew_seconds: limits.tokenSkewSeconds,
    require_expiration: true,
  };
}

/** A token that one of the checks does not pass is no token, in both worlds. */
export function exchangeGuards({ peers, audience, service }: Exchange): readonly Entry[] {
  const guard = (name: string, wanted: Expression): Entry => ({
    when: not(wanted),
    does: action(name, 'deny'),
  });
  const wanted = [
    ...checks.map(hasPassed),
    // For `jwt_authn` an audience with a slash behind it is the same.
    equals(['aud'], audience),
    equals(['export'], service),
    any(peers.map((peer) => all([issuedBy(peer), isOfPeer(peer)]))),
  ];
  return [guard(peerRefused, anyGateway(peers)), ...wanted.map((one) => guard(tokenRefused, one))];
}

/** It speaks of nobody by name, or of a workload of its own. */
function isOfPeer({ trustDomains }: Peer): Expression {
  const own = trustDomains.flatMap((value) => trustDomainLeaves({ match: 'exact', value }));
  return any([not(isText(['sub'])), ...own.map(ofSubject)]);
}
