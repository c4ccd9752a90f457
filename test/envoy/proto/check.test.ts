import { describe, expect, test } from 'vitest';
import { formatViolation } from '../../../src/pdp/model/violation.ts';
import { checkFilter, checkHttpRbac, checkMessage, checkNetworkRbac } from './check.ts';

const type = (name: string) => `type.googleapis.com/${name}`;
const allow = { name: 'rbac', typed_config: { '@type': type('envoy.config.rbac.v3.Action'), name: 'a' } };
const uriSan = {
  name: 'uri_san',
  typed_config: { '@type': type('envoy.extensions.matching.common_inputs.ssl.v3.UriSanInput') },
};
const single = { single_predicate: { input: uriSan, value_match: { exact: 'spiffe://td/a' } } };
const listed = (predicate: object) => ({
  matcher: { matcher_list: { matchers: [{ predicate, on_match: { action: allow } }] } },
});

const faults = (json: unknown) => checkHttpRbac(json).map(formatViolation);

describe('what Envoy accepts', () => {
  const principal = {
    custom: {
      name: 'envoy.rbac.principals.mtls_authenticated',
      typed_config: {
        '@type': type('envoy.extensions.rbac.principals.mtls_authenticated.v3.Config'),
        san_matcher: { san_type: 'URI', matcher: { exact: 'spiffe://td/a' } },
      },
    },
  };
  const metadata = {
    single_predicate: {
      input: {
        name: 'claim',
        typed_config: {
          '@type': type('envoy.extensions.matching.common_inputs.network.v3.DynamicMetadataInput'),
          filter: 'envoy.filters.http.jwt_authn',
          path: [{ key: 'jwt_payload' }, { key: 'k8s:ns' }],
        },
      },
      custom_match: {
        name: 'value',
        typed_config: {
          '@type': type('envoy.extensions.matching.input_matchers.metadata.v3.Metadata'),
          value: { string_match: { prefix: 'prod' } },
        },
      },
    },
  };
  const tree = {
    matcher: {
      matcher_tree: { input: uriSan, exact_match_map: { map: { 'spiffe://td/a': { action: allow } } } },
      on_no_match: { action: allow },
    },
  };
  const rules = {
    action: 'DENY',
    policies: { p: { permissions: [{ any: true }], principals: [principal] } },
  };

  test.each([
    ['nothing', {}],
    ['a list', listed(single)],
    [
      'the names of JSON',
      { matcher: { matcherList: { matchers: listed(single).matcher.matcher_list.matchers } } },
    ],
    ['a tree', tree],
    ['rules with a principal that is newer than the installed definitions', { rules }],
    ['a condition on a claim', listed(metadata)],
    ['null for what is not there', { matcher: null, rules: null }],
  ])('[DEF1] [DEF2] %s', (_, json) => expect(faults(json)).toEqual([]));
});

describe('what it does not', () => {
  const two = (more: object) => ({ or_matcher: { predicate: [single, single] }, ...more });
  const custom = (typed_config: object) => ({
    rules: {
      policies: {
        p: { permissions: [{ any: true }], principals: [{ custom: { name: 'c', typed_config } }] },
      },
    },
  });
  const at = 'matcher.matcher_list.matchers[0].predicate';

  test.each([
    [
      '[DEF1] a misspelt field',
      { matchr: {} },
      ['matchr: no field of envoy.extensions.filters.http.rbac.v3.RBAC (did you mean matcher?)'],
    ],
    ['[DEF1] a text for an object', { matcher: 'x' }, ['matcher: got a string, want an object']],
    [
      '[DEF1] an object for a list',
      { matcher: { matcher_list: { matchers: {} } } },
      ['matcher.matcher_list.matchers: got an object, want a list'],
    ],
    [
      '[DEF1] a word that is none of an enumeration',
      { rules: { action: 'DENNY' } },
      ['rules.action: cannot decode enum envoy.config.rbac.v3.RBAC.Action from JSON: "DENNY"'],
    ],
    [
      '[DEF1] two of what is one',
      listed(two({ not_matcher: single })),
      [`${at}: got or_matcher and not_matcher, of which one may be there`],
    ],
    [
      '[DEF1] one field in both spellings',
      { shadow_rules_stat_prefix: 'a', shadowRulesStatPrefix: 'b' },
      ['shadowRulesStatPrefix: the same field as shadow_rules_stat_prefix'],
    ],
    [
      '[DEF1] a field inside an Any',
      custom({
        '@type': type('envoy.extensions.rbac.principals.mtls_authenticated.v3.Config'),
        any_validated_client_certificate: true,
        san: 1,
      }),
      [
        'rules.policies.p.principals[0].custom.typed_config.san: no field of envoy.extensions.rbac.principals.mtls_authenticated.v3.Config',
      ],
    ],
    [
      '[DEF1] an Any of a type that nobody knows',
      custom({ '@type': type('a.B') }),
      [
        'rules.policies.p.principals[0].custom.typed_config["@type"]: got "type.googleapis.com/a.B", unknown here (type.googleapis.com/ and the full name of a message)',
      ],
    ],
    [
      '[DEF1] an Any without a type',
      custom({}),
      ['rules.policies.p.principals[0].custom.typed_config["@type"]: want the type of what is here'],
    ],
    [
      '[DEF1] a key that every object has',
      { ['__proto__']: 1, constructor: 1, toString: 1 },
      [
        '__proto__: no field of envoy.extensions.filters.http.rbac.v3.RBAC',
        'constructor: no field of envoy.extensions.filters.http.rbac.v3.RBAC',
        'toString: no field of envoy.extensions.filters.http.rbac.v3.RBAC',
      ],
    ],
    [
      '[DEF2] an alternative of one',
      listed({ or_matcher: { predicate: [single] } }),
      [`${at}.or_matcher.predicate: got 1 in the list, want at least 2`],
    ],
    [
      '[DEF2] an empty list',
      { matcher: { matcher_list: { matchers: [] } } },
      ['matcher.matcher_list.matchers: got 0 in the list, want at least 1'],
    ],
    [
      '[DEF2] an empty prefix',
      listed({ single_predicate: { input: uriSan, value_match: { prefix: '' } } }),
      [`${at}.single_predicate.value_match.prefix: got an empty string`],
    ],
    [
      '[DEF2] no predicate at all',
      listed({}),
      [`${at}: got none of single_predicate, or_matcher, and_matcher, not_matcher, want one`],
    ],
    [
      '[DEF2] a part that is required',
      { matcher: { matcher_list: { matchers: [{ predicate: single }] } } },
      ['matcher.matcher_list.matchers[0].on_match: not there, and it has to be'],
    ],
    [
      '[DEF1] [DEF2] all of it at once',
      { a: 1, matcher: { on_no_match: {} }, rules: { action: 1.5 } },
      [
        'a: no field of envoy.extensions.filters.http.rbac.v3.RBAC',
        'matcher.on_no_match: got none of matcher, action, want one',
        'rules.action: cannot decode enum envoy.config.rbac.v3.RBAC.Action from JSON: 1.5',
      ],
    ],
  ])('%s', (_, json, wanted) => {
    expect(faults(json).sort()).toEqual([...wanted].sort());
  });
});

test('[DEF1] a filter of the network has a prefix for its counters, and filters have a name', () => {
  expect(checkNetworkRbac({}).map(formatViolation)).toEqual(['stat_prefix: not there, and it has to be']);
  const filter = {
    typed_config: { '@type': type('envoy.extensions.filters.network.rbac.v3.RBAC'), stat_prefix: 'a.' },
  };
  expect(checkFilter(filter).map(formatViolation)).toEqual(['name: not there, and it has to be']);
  expect(checkFilter({ name: 'rbac', ...filter })).toEqual([]);
});

test('[DEF1] a message that is not among the definitions is a mistake of the program', () => {
  expect(() => checkMessage('a.B', {})).toThrow('no such message');
});

test('[DEF1] ten thousand entries are read, within the time that a test has', () => {
  const map = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, i) => [`spiffe://td/${i}`, { action: allow }]),
  );
  expect(faults({ matcher: { matcher_tree: { input: uriSan, exact_match_map: { map } } } })).toEqual([]);
});
