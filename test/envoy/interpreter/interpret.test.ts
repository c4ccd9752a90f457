import { describe, expect, test } from 'vitest';
import type { HttpRequest, Peer } from '../../../src/envoy/interpreter/evidence.ts';
import { interpret, NotInterpreted, readRbac } from '../../../src/envoy/interpreter/interpret.ts';
import * as b from './build.ts';

const peer = (uriSans: readonly string[], more: Partial<Peer> = {}): Peer => ({
  uriSans,
  dnsSans: [],
  presented: true,
  validated: true,
  ...more,
});
const a = peer(['spiffe://td/ns/a']);
const none: Peer = { uriSans: [], dnsSans: [], presented: false, validated: false };
const get: HttpRequest = { method: 'GET', path: '/metrics' };
const allow = b.action('allow');
const deny = b.action('deny', 'DENY');

function enforced(matcher: object, who: Peer = a, request: HttpRequest = get): string {
  const { action, policy } = interpret(b.http({ matcher }), who, request).enforced;
  return `${action} ${policy ?? '-'}`;
}
const holds = (predicate: Parameters<typeof b.not>[0], who?: Peer, request?: HttpRequest) =>
  enforced(b.list([[predicate, allow]], deny), who, request) === 'ALLOW allow';
const ruled = (rules: object, who: Peer = a, request: HttpRequest = get) =>
  interpret(b.http({ rules }), who, request).enforced;

function problems(json: unknown): string[] {
  const read = readRbac(json);
  return read.filter === undefined
    ? read.violations.map(({ path, message }) => `${path.slice(1).join('.')}: ${message}`)
    : [];
}

describe('what a matcher reads', () => {
  const exact = b.single(b.uri, { exact: 'spiffe://td/ns/a' });
  const prefix = b.single(b.uri, { prefix: 'spiffe://td/' });

  test('[VER3] all URI names of a certificate are one text, joined by commas', () => {
    expect(holds(exact)).toBe(true);
    const two = peer(['spiffe://td/ns/a', 'kuma://k/v']);
    expect(holds(exact, two)).toBe(false);
    expect(holds(prefix, two)).toBe(true);
    expect(holds(prefix, peer(['kuma://k/v', 'spiffe://td/ns/a']))).toBe(false);
    expect(holds(b.single(b.uri, { exact: 'spiffe://td/ns/a,kuma://k/v' }), two)).toBe(true);
  });

  test('[VER3] nothing to read makes every predicate false, and its negation true', () => {
    expect(holds(prefix, none)).toBe(false);
    expect(holds(b.not(prefix), none)).toBe(true);
    expect(holds(b.single(b.uri, { exact: '' }), none)).toBe(false);
    expect(enforced(b.tree('prefix', b.uri, { '': allow }, deny), none)).toBe('DENY deny');
  });

  test('[VER3] names are neither decoded nor folded; a server name is in lower case', () => {
    expect(holds(exact, peer(['spiffe://td/ns/%61']))).toBe(false);
    expect(holds(exact, peer(['SPIFFE://td/ns/a']))).toBe(false);
    expect(holds(b.single(b.serverName, { exact: 'a.example' }), { ...a, sni: 'A.Example' })).toBe(true);
    expect(holds(b.single(b.serverName, { exact: 'A.Example' }), { ...a, sni: 'A.Example' })).toBe(false);
  });

  test('[VER3] DNS names, subject, header, state and the path with its query', () => {
    const named = peer([], { dnsSans: ['x', 'y'], subject: 'CN=c' });
    expect(holds(b.single(b.dns, { exact: 'x,y' }), named)).toBe(true);
    expect(holds(b.single(b.subject, { exact: 'CN=c' }), named)).toBe(true);
    const query = { method: 'GET', path: '/metrics?a=1', headers: { 'x-a': '1' }, filterState: { k: 'v' } };
    expect(holds(b.single(b.header(':path'), { exact: '/metrics' }), a, query)).toBe(false);
    expect(holds(b.single(b.header(':path'), { prefix: '/metrics?' }), a, query)).toBe(true);
    expect(holds(b.single(b.header('X-A'), { exact: '1' }), a, query)).toBe(true);
    expect(holds(b.single(b.header('x-b'), { exact: '' }), a, query)).toBe(false);
    expect(holds(b.single(b.header('__proto__'), { prefix: '[' }), a, query)).toBe(false);
    expect(holds(b.single(b.filterState('k'), { exact: 'v' }), a, query)).toBe(true);
  });

  test('[VER3] ignore_case folds ASCII only', () => {
    expect(holds(b.single(b.uri, { prefix: 'SPIFFE://TD', ignore_case: true }))).toBe(true);
    const umlaut = b.single(b.header('x'), { exact: 'Ä', ignore_case: true });
    expect(holds(umlaut, a, { ...get, headers: { x: 'ä' } })).toBe(false);
  });
});

describe('metadata', () => {
  const seen = (value: HttpRequest['metadata']): HttpRequest => ({ ...get, metadata: value! });
  const prod = { string_match: { prefix: 'prod' } };
  const ns = b.metadata('attributes', 'k8s:ns');
  const given = (value: never) => seen({ jwt: { attributes: { 'k8s:ns': value } } });

  test('[VER4] the metadata matcher reads strings; lists by list_match only', () => {
    expect(holds(b.metadataMatch(ns, prod), a, given('prod-1' as never))).toBe(true);
    expect(holds(b.metadataMatch(ns, prod), a, given(['prod-1'] as never))).toBe(false);
    expect(
      holds(b.metadataMatch(ns, { list_match: { one_of: prod } }), a, given(['x', 'prod-1'] as never)),
    ).toBe(true);
  });

  test('[VER4] inverted it holds for what is missing, a number, a list', () => {
    for (const value of [undefined, 3, ['prod-1'], null, { a: 'prod' }]) {
      expect(holds(b.metadataMatch(ns, prod, { invert: true }), a, given(value as never))).toBe(true);
      expect(holds(b.not(b.metadataMatch(ns, prod)), a, given(value as never))).toBe(true);
    }
  });

  test('[VER4] a text match or a tree over metadata never matches', () => {
    const request = given('prod-1' as never);
    expect(holds(b.single(ns, { prefix: 'prod' }), a, request)).toBe(false);
    expect(enforced(b.tree('prefix', ns, { prod: allow }, deny), a, request)).toBe('DENY deny');
  });
});

describe('trees and lists', () => {
  const is = (id: string) => b.single(b.uri, { exact: id });

  test('[VER5] the first entry decides that comes to anything', () => {
    const nested = { matcher: b.list([[is('spiffe://td/ns/b'), deny]]) };
    expect(
      enforced(
        b.list([
          [is('spiffe://td/ns/a'), nested],
          [is('spiffe://td/ns/a'), allow],
        ]),
      ),
    ).toBe('ALLOW allow');
  });

  test('[VER5] a prefix that comes to nothing gives way to a shorter one, unless it has its own on_no_match', () => {
    const never = b.list([[is('spiffe://td/ns/b'), deny]]);
    const map = { 'spiffe://td/ns/a': { matcher: never }, 'spiffe://': allow };
    expect(enforced(b.tree('prefix', b.uri, map, deny))).toBe('ALLOW allow');
    const stopped = {
      ...map,
      'spiffe://td/ns/a': { matcher: { ...never, on_no_match: b.action('stop', 'DENY') } },
    };
    expect(enforced(b.tree('prefix', b.uri, stopped, deny))).toBe('DENY stop');
    const onlyLong = { 'spiffe://td/ns/a': { matcher: never } };
    expect(enforced(b.tree('prefix', b.uri, onlyLong, allow))).toBe('ALLOW allow');
    expect(enforced(b.tree('exact', b.uri, onlyLong, allow))).toBe('ALLOW allow');
  });

  test('[VER6] without a match a matcher denies, without rules a filter allows, and a LOG allows', () => {
    expect(enforced({})).toBe('DENY -');
    expect(enforced(b.list([[is('x'), allow]]))).toBe('DENY -');
    expect(interpret(b.http({}), a, get)).toEqual({ enforced: { action: 'ALLOW' } });
    expect(enforced({ on_no_match: b.action('l', 'LOG') })).toBe('ALLOW l');
    expect(ruled({ action: 'LOG' })).toEqual({ action: 'ALLOW' });
    expect(ruled({})).toEqual({ action: 'DENY' });
    expect(ruled({ action: 'DENY' })).toEqual({ action: 'ALLOW' });
  });

  test('[VER6] beside a matcher, rules are ignored; shadows stand for themselves', () => {
    const both = {
      matcher: { on_no_match: allow },
      rules: {},
      shadow_rules: {},
      shadow_matcher: { on_no_match: deny },
    };
    expect(interpret(b.http(both), a, get)).toEqual({
      enforced: { action: 'ALLOW', policy: 'allow' },
      shadow: { action: 'DENY', policy: 'deny' },
    });
  });
});

describe('policies', () => {
  const by = (principal: Parameters<typeof b.not>[0], who: Peer) =>
    ruled(b.rules({ p: [b.any, principal] }), who).action;

  test('[VER7] principal_name meets any URI name, any DNS name, and the subject', () => {
    const a = b.principalName({ exact: 'spiffe://td/ns/a' });
    expect(by(a, peer(['kuma://k/v', 'spiffe://td/ns/a']))).toBe('ALLOW');
    expect(by(a, peer([], { dnsSans: ['spiffe://td/ns/a'] }))).toBe('ALLOW');
    expect(by(b.principalName({ exact: 'CN=x' }), peer(['spiffe://td/ns/b'], { subject: 'CN=x' }))).toBe(
      'ALLOW',
    );
    expect(by(b.principalName({ exact: '' }), none)).toBe('ALLOW');
    expect(by({ authenticated: {} }, none)).toBe('ALLOW');
    expect(by({ not_id: a }, none)).toBe('ALLOW');
  });

  test('[VER7] mtls_authenticated meets one URI name of a verified certificate and nothing else', () => {
    const a = b.mtls({ exact: 'spiffe://td/ns/a' });
    expect(by(a, peer(['kuma://k/v', 'spiffe://td/ns/a']))).toBe('ALLOW');
    expect(by(a, peer([], { dnsSans: ['spiffe://td/ns/a'] }))).toBe('DENY');
    expect(by(a, peer(['spiffe://td/ns/a'], { validated: false }))).toBe('DENY');
    expect(by(a, peer(['spiffe://td/ns/a,kuma://k/v']))).toBe('DENY');
    expect(by(b.anyMtls, peer([]))).toBe('ALLOW');
    expect(by(b.anyMtls, none)).toBe('DENY');
  });

  test('[VER7] url_path drops the query; no server name is an empty one', () => {
    const path = b.rules({ p: [{ url_path: { path: { exact: '/metrics' } } }, b.any] });
    expect(ruled(path, a, { method: 'GET', path: '/metrics?x' }).action).toBe('ALLOW');
    expect(ruled(path, a, { method: 'GET', path: '/metrics/' }).action).toBe('DENY');
    const sni = b.rules({ p: [{ requested_server_name: { exact: '' } }, b.any] });
    expect(ruled(sni).action).toBe('ALLOW');
    expect(ruled(sni, { ...a, sni: 'x' }).action).toBe('DENY');
  });

  test('[VER7] policies are asked in the order of the bytes of their names', () => {
    const all = [b.any, b.any] as const;
    expect(ruled(b.rules({ '￿': all, '\u{1f600}': all })).policy).toBe('￿');
    expect(ruled(b.rules({ a: all, Z: all })).policy).toBe('Z');
  });

  test('[VER7] a header that is missing matches neither a test nor its inversion', () => {
    const head = (more: object) => ruled(b.rules({ p: [{ header: { name: 'x', ...more } }, b.any] })).action;
    expect(head({ string_match: { exact: 'y' }, invert_match: true })).toBe('DENY');
    expect(
      head({ string_match: { exact: 'y' }, invert_match: true, treat_missing_header_as_empty: true }),
    ).toBe('ALLOW');
    expect(head({ present_match: true, invert_match: true })).toBe('ALLOW');
    expect(head({})).toBe('DENY');
  });
});

describe('what is refused', () => {
  const one = b.single(b.uri, { exact: 'x' });

  test('[VER1] both spellings of fields are read', () => {
    const camel = {
      name: 'x',
      typedConfig: {
        '@type': 'x/envoy.extensions.filters.http.rbac.v3.RBAC',
        shadowRules: { action: 'DENY' },
      },
    };
    expect(interpret(camel, a, get)).toEqual({ enforced: { action: 'ALLOW' }, shadow: { action: 'ALLOW' } });
  });

  test('[VER2] what Envoy refuses, all of it at once, with paths', () => {
    const matcher = b.list(
      [
        [either1, b.action('')],
        [b.single(b.uri, { prefix: '' }), { ...allow, keep_matching: true }],
        [b.single(b.uri, { safe_regex: { regex: 'a' } }), {}],
      ],
      {},
    );
    expect(problems(b.http({ matcher, foo: 1 }))).toMatchInlineSnapshot(`
      [
        "foo: got the unknown field "foo"",
        "matcher.on_no_match: got none of matcher, action, want one",
        "matcher.matcher_list.matchers.0.predicate.or_matcher.predicate: got 1 in the list, want at least 2",
        "matcher.matcher_list.matchers.0.on_match.action.typed_config.name: got an empty string",
        "matcher.matcher_list.matchers.1.predicate.single_predicate.value_match.prefix: got an empty string",
        "matcher.matcher_list.matchers.1.on_match.keep_matching: got keep_matching, which RBAC refuses",
        "matcher.matcher_list.matchers.2.predicate.single_predicate.value_match.safe_regex: "google_re2" is missing",
        "matcher.matcher_list.matchers.2.on_match: got none of matcher, action, want one",
      ]
    `);
  });
  const either1 = { or_matcher: { predicate: [one] } };

  test('[VER2] what is not evaluated is named, never guessed', () => {
    const source = { source_ip: { address_prefix: '10.0.0.0', prefix_len: 8 } };
    const cel = { permissions: [b.any], principals: [source], condition: {} };
    expect(problems(b.http({ rules: { policies: { p: cel } } }))).toMatchInlineSnapshot(`
      [
        "rules.policies.p.condition: the condition of a policy is not evaluated here",
      ]
    `);
    expect(problems(b.http({ rules: b.rules({ p: [b.any, source] }) }))).toMatchInlineSnapshot(`
      [
        "rules.policies.p.principals.0.source_ip: the principal source_ip is not evaluated here",
      ]
    `);
    expect(() => interpret(b.http({ rules: b.rules({ p: [b.any, source] }) }), a, get)).toThrow(
      NotInterpreted,
    );
  });

  test('[VER2] inputs of requests in a network filter, empty lists and maps', () => {
    expect(
      problems(b.network({ matcher: b.list([[b.single(b.header(':path'), { exact: '/' }), allow]]) })),
    ).toMatchInlineSnapshot(`
      [
        "matcher.matcher_list.matchers.0.predicate.single_predicate.input.typed_config: got the input envoy.type.matcher.v3.HttpRequestHeaderMatchInput in a network filter, which Envoy refuses",
      ]
    `);
    expect(problems(b.network({ matcher: b.tree('exact', b.uri, {}) }))).toMatchInlineSnapshot(`
      [
        "matcher.matcher_tree.exact_match_map.map: got a map with nothing in it",
      ]
    `);
    expect(problems(b.network({ matcher: { matcher_list: { matchers: [] } } }))).toMatchInlineSnapshot(`
      [
        "matcher.matcher_list.matchers: got 0 in the list, want at least 1",
      ]
    `);
  });

  test('[VER2] nesting that Envoy cannot load, however deep, without a stack of our own overflowing', () => {
    let deep: object = one;
    for (let i = 0; i < 100_000; i++) deep = b.not(deep as never);
    expect(problems(b.http({ matcher: b.list([[deep as never, allow]]) }))).toMatchInlineSnapshot(`
      [
        ": nested more than 90 levels, which Envoy cannot load",
      ]
    `);
  });
});
