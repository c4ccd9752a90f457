import { byText } from '../../pdp/model/text.ts';
import { type Expression, isAll, isAny, isLeaf, isNot, type Leaf } from './expression.ts';
import type { JsonObject } from './json.ts';
import { typed } from './json.ts';

/** Expressions as predicates of Envoy's matching API. Constants are settled before. */

export const inputs = {
  id: {
    name: 'envoy.matching.inputs.uri_san',
    typed_config: typed('envoy.extensions.matching.common_inputs.ssl.v3.UriSanInput'),
  },
  sni: {
    name: 'envoy.matching.inputs.server_name',
    typed_config: typed('envoy.extensions.matching.common_inputs.network.v3.ServerNameInput'),
  },
  method: header(':method'),
  path: header(':path'),
} as const satisfies Record<string, JsonObject>;

function header(name: string): JsonObject {
  return {
    name: 'envoy.matching.inputs.request_headers',
    typed_config: typed('envoy.type.matcher.v3.HttpRequestHeaderMatchInput', { header_name: name }),
  };
}

export function predicate(one: Expression): JsonObject {
  if (typeof one === 'boolean') throw new Error(`a predicate cannot be ${one}`);
  if (isLeaf(one)) return alternatives(textsOf(one), (text) => compared(one, text));
  if (isNot(one)) return { not_matcher: predicate(one.not) };
  if (isAll(one)) return { and_matcher: { predicate: one.all.map(predicate) } };
  return { or_matcher: { predicate: flattened(one) } };
}

/** What one leaf comes to by several texts stands beside its alternatives, not below them. */
function flattened(one: Expression): JsonObject[] {
  if (isAny(one)) return one.any.flatMap(flattened);
  if (typeof one === 'object' && isLeaf(one)) return textsOf(one).map((text) => compared(one, text));
  return [predicate(one)];
}

/** At least two stand in a list; one stands for itself. */
function alternatives<T>(list: readonly T[], make: (one: T) => JsonObject): JsonObject {
  const [only] = list;
  if (list.length === 1) return make(only as T);
  return { or_matcher: { predicate: list.map(make) } };
}

function single(input: JsonObject, text: JsonObject): JsonObject {
  return { single_predicate: { input, value_match: text } };
}

/** Over metadata a `value_match` is taken and never holds: it has a matcher of its own. */
function compared(leaf: Leaf, text: JsonObject): JsonObject {
  return leaf.at === undefined ? single(inputOf(leaf), text) : overMetadata(leaf.at, text);
}

function overMetadata([filter = '', ...keys]: readonly string[], text: JsonObject): JsonObject {
  return {
    single_predicate: {
      input: {
        name: 'envoy.matching.inputs.dynamic_metadata',
        typed_config: typed('envoy.extensions.matching.common_inputs.network.v3.DynamicMetadataInput', {
          filter,
          path: keys.map((key) => ({ key })),
        }),
      },
      custom_match: {
        name: 'envoy.matching.matchers.metadata_matcher',
        typed_config: typed('envoy.extensions.matching.input_matchers.metadata.v3.Metadata', {
          value: { string_match: text },
        }),
      },
    },
  };
}

function inputOf({ of }: Leaf): JsonObject {
  if (of === 'metadata') throw new Error('metadata without its place');
  if (of === 'san') throw new Error('a matcher reads all URIs as one text');
  return inputs[of];
}

/** `:path` has the query, which policies do not read. */
function textsOf(leaf: Leaf): readonly JsonObject[] {
  const { of, match, value } = leaf;
  if (match === 'regex') return [regex(value)];
  if (match === 'prefix') return [{ prefix: value }];
  const query = of === 'path' ? [{ prefix: `${value}?` }] : [];
  const below = match === 'under' ? [{ prefix: `${value}/` }] : [];
  return [{ exact: value }, ...query, ...below];
}

export function regex(value: string): JsonObject {
  return { safe_regex: { google_re2: {}, regex: value } };
}

/** Keys of a map in an order that no input decides. */
export function sortedMap(entries: Iterable<readonly [string, JsonObject]>): JsonObject {
  // Without a prototype: `__proto__` is a text like any other.
  const map: JsonObject = Object.create(null);
  for (const [key, value] of [...entries].sort(([a], [b]) => byText(a, b))) map[key] = value;
  return map;
}
