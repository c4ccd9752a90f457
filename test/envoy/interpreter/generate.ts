import { Random } from '../../oracle/random.ts';
import { Rules } from './generate-rules.ts';
import { ids, type Json, methods, paths, prefixes, snis, type, Values } from './generate-values.ts';

/** Random RBAC filters. */
const ssl = 'envoy.extensions.matching.common_inputs.ssl.v3.';
const network = 'envoy.extensions.matching.common_inputs.network.v3.';

export class Filters {
  readonly #values: Values;
  readonly #rules: Rules;
  readonly #http: boolean;

  constructor(seed: number, kind: 'http' | 'network') {
    this.#values = new Values(new Random(seed));
    this.#http = kind === 'http';
    this.#rules = new Rules(this.#values, this.#http);
  }

  /** The configuration of one filter. */
  config(): Record<string, Json> {
    const random = this.#values.random;
    const config: Record<string, Json> = {
      '@type': type(`envoy.extensions.filters.${this.#http ? 'http' : 'network'}.rbac.v3.RBAC`),
    };
    if (!this.#http) config['stat_prefix'] = 'fuzz.';
    const roll = random.next();
    if (roll < 0.55) config['matcher'] = this.#matcher(random.between(1, 4));
    else if (roll < 0.97) config['rules'] = this.#rules.rules();
    if (roll > 0.94) config['matcher'] = this.#matcher(2);
    const shadow = random.below(3);
    if (shadow === 1) config['shadow_matcher'] = this.#matcher(2);
    if (shadow === 2) config['shadow_rules'] = this.#rules.rules();
    return config;
  }

  #matcher(depth: number): Json {
    const random = this.#values.random;
    const matcher: Record<string, Json> = {};
    const roll = random.next();
    if (roll < 0.5) {
      matcher['matcher_list'] = {
        matchers: this.#values.times(1, 3, () => ({
          predicate: this.#predicate(2),
          on_match: this.#onMatch(depth),
        })),
      };
    } else if (roll < 0.97) {
      const input = this.#input();
      const map: Record<string, Json> = {};
      const exact = random.chance(0.5);
      for (const key of this.#values.some(exact ? input.values : [...input.prefixes, ''], 4)) {
        map[key] = this.#onMatch(depth);
      }
      matcher['matcher_tree'] = {
        input: input.json,
        [exact ? 'exact_match_map' : 'prefix_match_map']: { map },
      };
    }
    if (random.chance(0.55)) matcher['on_no_match'] = this.#onMatch(depth);
    return matcher;
  }

  #onMatch(depth: number): Json {
    const random = this.#values.random;
    if (depth > 0 && random.chance(0.45)) return { matcher: this.#matcher(depth - 1) };
    const action = random.pick(['ALLOW', 'DENY', 'LOG', 'ALLOW', 'DENY', undefined]);
    return {
      action: {
        name: 'envoy.filters.rbac.action',
        typed_config: {
          '@type': type('envoy.config.rbac.v3.Action'),
          name: `p${random.below(1000)}`,
          ...(action === undefined ? {} : { action }),
        },
      },
    };
  }

  #predicate(depth: number): Json {
    const random = this.#values.random;
    const roll = depth > 0 ? random.next() : 0;
    if (roll < 0.5) return { single_predicate: this.#single() };
    if (roll < 0.65) return { not_matcher: this.#predicate(depth - 1) };
    const parts = this.#values.times(2, 3, () => this.#predicate(depth - 1));
    return { [roll < 0.82 ? 'or_matcher' : 'and_matcher']: { predicate: parts } };
  }

  #single(): Json {
    const input = this.#input();
    const random = this.#values.random;
    if (input.metadata && random.chance(0.9)) {
      return {
        input: input.json,
        custom_match: {
          name: 'envoy.matching.matchers.metadata_matcher',
          typed_config: {
            '@type': type('envoy.extensions.matching.input_matchers.metadata.v3.Metadata'),
            value: this.#values.value(1),
            ...(random.chance(0.3) ? { invert: true } : {}),
          },
        },
      };
    }
    return { input: input.json, value_match: this.#values.text(input.values, input.prefixes, true) };
  }

  #input(): { json: Json; values: readonly string[]; prefixes: readonly string[]; metadata?: boolean } {
    const random = this.#values.random;
    const roll = random.next();
    const extension = (name: string, of: string, more: object = {}) => ({
      name,
      typed_config: { '@type': type(of), ...more },
    });
    if (roll < 0.4) return { json: extension('uri', `${ssl}UriSanInput`), values: ids, prefixes };
    if (roll < 0.47) return { json: extension('dns', `${ssl}DnsSanInput`), values: ids, prefixes };
    if (roll < 0.54) return { json: extension('subject', `${ssl}SubjectInput`), values: ids, prefixes };
    if (roll < 0.64 || !this.#http) {
      return {
        json: extension('sni', `${network}ServerNameInput`),
        values: snis,
        prefixes: ['a', 'b.', 'A'],
      };
    }
    const header = (name: string) =>
      extension(name, 'envoy.type.matcher.v3.HttpRequestHeaderMatchInput', { header_name: name });
    if (roll < 0.78)
      return { json: header(':path'), values: paths, prefixes: ['/', '/metrics', '/metrics?', '/metrics/'] };
    if (roll < 0.84) return { json: header(':method'), values: methods, prefixes: ['G', 'P', 'DEL'] };
    if (roll < 0.9) return { json: header('x-a'), values: ['one', 'two', ''], prefixes: ['o', 't'] };
    if (roll < 0.93) {
      return {
        json: extension('fs', `${network}FilterStateInput`, { key: 'fs' }),
        values: ['one', 'two'],
        prefixes: ['o', 't'],
      };
    }
    const keys = random.pick([
      ['a', 's'],
      ['a', 'n'],
      ['a', 'l'],
      ['a', 'b'],
      ['a', 'z'],
      ['a', 'none'],
      ['a'],
      ['a', 's', 'x'],
    ]);
    return {
      json: extension('metadata', `${network}DynamicMetadataInput`, {
        filter: random.chance(0.9) ? 'meta' : 'nobody',
        path: keys.map((key) => ({ key })),
      }),
      values: ['prod-1', 'x'],
      prefixes: ['prod', 'x'],
      metadata: true,
    };
  }
}
