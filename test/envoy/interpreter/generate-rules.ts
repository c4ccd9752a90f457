import {
  ids,
  type Json,
  methods,
  paths,
  prefixes,
  regexes,
  snis,
  type,
  type Values,
} from './generate-values.ts';

/** Random legacy rules: policies of permissions and principals. */
export class Rules {
  readonly #values: Values;
  readonly #http: boolean;

  constructor(values: Values, http: boolean) {
    this.#values = values;
    this.#http = http;
  }

  rules(): Json {
    const random = this.#values.random;
    const policies: Record<string, Json> = {};
    for (let i = random.below(4); i > 0; i--) {
      policies[random.pick(['Z', 'a', 'é', '\u{1f600}', '￿', 'p1', 'p10', 'p2'])] = {
        permissions: this.#values.times(1, 2, () => this.#permission(2)),
        principals: this.#values.times(1, 2, () => this.#principal(2)),
      };
    }
    const action = random.pick(['ALLOW', 'DENY', 'LOG', 'ALLOW', 'DENY', undefined]);
    return { ...(action === undefined ? {} : { action }), policies };
  }

  #permission(depth: number): Json {
    const random = this.#values.random;
    const roll = random.next();
    if (depth > 0 && roll < 0.12) return { not_rule: this.#permission(depth - 1) };
    if (depth > 0 && roll < 0.36) {
      return {
        [roll < 0.24 ? 'and_rules' : 'or_rules']: {
          rules: this.#values.times(1, 3, () => this.#permission(depth - 1)),
        },
      };
    }
    if (roll < 0.5) return { any: true };
    if (roll < 0.65)
      return { requested_server_name: this.#values.text([...snis, ''], ['a', 'A', 'b.'], false) };
    if (roll < 0.8)
      return { url_path: { path: this.#values.text(paths, ['/', '/metrics', '/metrics/'], false) } };
    if (roll < 0.86) return { metadata: this.#metadata() };
    return this.#http ? { header: this.#header() } : { any: true };
  }

  #principal(depth: number): Json {
    const random = this.#values.random;
    const roll = random.next();
    if (depth > 0 && roll < 0.15) return { not_id: this.#principal(depth - 1) };
    if (depth > 0 && roll < 0.36) {
      return {
        [roll < 0.26 ? 'and_ids' : 'or_ids']: {
          ids: this.#values.times(1, 3, () => this.#principal(depth - 1)),
        },
      };
    }
    if (roll < 0.45) return { any: true };
    if (roll < 0.5) return { authenticated: {} };
    if (roll < 0.72)
      return { authenticated: { principal_name: this.#values.text([...ids, ''], prefixes, false) } };
    if (roll < 0.9) return { custom: this.#mtls() };
    if (roll < 0.93) return { metadata: this.#metadata() };
    if (roll < 0.96) return { url_path: { path: this.#values.text(paths, ['/'], false) } };
    return this.#http ? { header: this.#header() } : { authenticated: {} };
  }

  #mtls(): Json {
    const random = this.#values.random;
    const any = random.chance(0.2);
    return {
      name: 'envoy.rbac.principals.mtls_authenticated',
      typed_config: {
        '@type': type('envoy.extensions.rbac.principals.mtls_authenticated.v3.Config'),
        ...(any ? { any_validated_client_certificate: true } : {}),
        ...(!any || random.chance(0.3)
          ? { san_matcher: { san_type: 'URI', matcher: this.#values.text(ids, prefixes, false) } }
          : {}),
      },
    };
  }

  #metadata(): Json {
    const random = this.#values.random;
    return {
      filter: random.chance(0.8) ? 'meta' : 'nobody',
      path: random
        .pick([
          ['a', 's'],
          ['a', 'n'],
          ['a', 'l'],
          ['a', 'b'],
          ['a', 'z'],
          ['a', 'none'],
        ])
        .map((key) => ({ key })),
      value: this.#values.value(1),
      ...(random.chance(0.3) ? { invert: true } : {}),
    };
  }

  #header(): Json {
    const random = this.#values.random;
    const name = random.pick([':method', ':path', 'x-a', 'X-A', 'x-none']);
    const values = name === ':method' ? methods : name === ':path' ? paths : ['one', 'two'];
    const match = random.pick<object>([
      { string_match: this.#values.text(values, ['/metrics', 'G', 'o'], false) },
      { string_match: this.#values.text(values, ['/metrics', 'G', 'o'], false) },
      { safe_regex_match: { regex: random.pick(regexes) } },
      { present_match: random.chance(0.5) },
      { exact_match: random.pick(values) },
      { prefix_match: random.pick(['/metrics', 'G', 'o']) },
      { suffix_match: 'e' },
      { contains_match: 'n' },
      {},
    ]);
    return {
      name,
      ...match,
      ...(random.chance(0.3) ? { invert_match: true } : {}),
      ...(random.chance(0.3) ? { treat_missing_header_as_empty: true } : {}),
    };
  }
}
