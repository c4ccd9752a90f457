import { type Expression, isAll, isAny, isLeaf, isNot, type Leaf } from './expression.ts';
import { type JsonObject, typed } from './json.ts';
import { regex } from './predicate.ts';

/** Expressions as principals of Envoy's policies, which look at the URIs of a certificate one at a time. */

export function principal(one: Expression): JsonObject {
  if (one === true) return { any: true };
  if (one === false) return { not_id: { any: true } };
  if (isLeaf(one)) return ofLeaf(one);
  if (isNot(one)) return { not_id: principal(one.not) };
  if (isAll(one)) return { and_ids: { ids: one.all.map(principal) } };
  return { or_ids: { ids: one.any.map(principal) } };
}

function ofLeaf(leaf: Leaf): JsonObject {
  const texts = textsOf(leaf).map((text) => ofText(leaf, text));
  return texts.length === 1 ? (texts[0] as JsonObject) : { or_ids: { ids: texts } };
}

function ofText({ of }: Leaf, text: JsonObject): JsonObject {
  switch (of) {
    case 'id':
    case 'san':
      return {
        custom: {
          name: 'envoy.rbac.principals.mtls_authenticated',
          typed_config: typed('envoy.extensions.rbac.principals.mtls_authenticated.v3.Config', {
            san_matcher: { san_type: 'URI', matcher: text },
          }),
        },
      };
    case 'method':
      return { header: { name: ':method', string_match: text } };
    case 'path':
      // A path with its query is read by its header alone; all others are compared without it.
      return 'safe_regex' in text
        ? { header: { name: ':path', string_match: text } }
        : { url_path: { path: text } };
    case 'metadata':
      throw new Error('what other filters left is read by matchers alone');
    case 'sni':
      throw new Error('a server name is a permission');
  }
}

function textsOf({ match, value }: Leaf): readonly JsonObject[] {
  if (match === 'regex') return [regex(value)];
  if (match === 'prefix') return [{ prefix: value }];
  return match === 'under' ? [{ exact: value }, { prefix: `${value}/` }] : [{ exact: value }];
}

export function permission(one: Expression): JsonObject {
  if (one === true) return { any: true };
  if (one === false) return { not_rule: { any: true } };
  if (isNot(one)) return { not_rule: permission(one.not) };
  if (isAll(one)) return { and_rules: { rules: one.all.map(permission) } };
  if (isAny(one)) return { or_rules: { rules: one.any.map(permission) } };
  const texts = textsOf(one).map((text) => ({ requested_server_name: text }));
  return texts.length === 1 ? (texts[0] as JsonObject) : { or_rules: { rules: texts } };
}
