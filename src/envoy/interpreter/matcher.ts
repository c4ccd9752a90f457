import { type Cursor, chosen, type Fields, required, whole } from './cursor.ts';
import type { Result, Seen, Test } from './evidence.ts';
import { type FilterKind, readInput } from './inputs.ts';
import { readPredicate } from './predicate.ts';

/** What a matcher comes to; undefined where nothing in it matched, and its owner goes on elsewhere. */
export type Match = (seen: Seen) => Result | undefined;

const action = 'envoy.config.rbac.v3.Action';

/** `xds.type.matcher.v3.Matcher`, as RBAC filters use it. */
export function readMatcher(cursor: Cursor, filter: FilterKind): Match | undefined {
  const fields = cursor.fields('matcher_list', 'matcher_tree', 'on_no_match');
  if (fields === undefined) return undefined;
  const otherwise = fields.get('on_no_match');
  const noMatch = otherwise && readOnMatch(otherwise, filter);
  if (fields.has('matcher_list') && fields.has('matcher_tree')) {
    return cursor.refuse('conflict', 'got matcher_list and matcher_tree, want one of them');
  }
  const inner = fields.has('matcher_list') || fields.has('matcher_tree') ? readKind(fields, filter) : nothing;
  if (inner === undefined || (otherwise !== undefined && noMatch === undefined)) return undefined;
  return (seen) => inner(seen) ?? noMatch?.(seen);
}

const nothing: Match = () => undefined;

function readKind(fields: Fields, filter: FilterKind): Match | undefined {
  const list = fields.get('matcher_list');
  return list === undefined ? readTree(fields.get('matcher_tree')!, filter) : readList(list, filter);
}

function readOnMatch(cursor: Cursor, filter: FilterKind): Match | undefined {
  const fields = cursor.fields('matcher', 'action', 'keep_matching');
  const found = fields && chosen(cursor, fields, ['matcher', 'action']);
  if (fields?.get('keep_matching')?.flag()) {
    return fields.get('keep_matching')!.refuse('value', 'got keep_matching, which RBAC refuses');
  }
  if (found === undefined) return undefined;
  const [kind, config] = found;
  if (kind === 'matcher') return readMatcher(config, filter);
  const result = readAction(config);
  return result && (() => result);
}

function readAction(cursor: Cursor): Result | undefined {
  const extension = cursor.extension();
  if (extension === undefined) return undefined;
  if (extension.type !== action) return cursor.unknown(`the action ${extension.type}`);
  const fields = extension.config.fields('name', 'action');
  const policy = fields && required(extension.config, fields, 'name')?.text(1);
  const given = fields?.get('action');
  const effect = given === undefined ? 'ALLOW' : given.choice('ALLOW', 'DENY', 'LOG');
  if (policy === undefined || effect === undefined) return undefined;
  return { action: effect === 'DENY' ? 'DENY' : 'ALLOW', policy };
}

/** The first entry whose predicate holds and that comes to anything. */
function readList(cursor: Cursor, filter: FilterKind): Match | undefined {
  const fields = cursor.fields('matchers');
  const list = fields && required(cursor, fields, 'matchers');
  const entries = whole(list?.items(1)?.map((entry) => readEntry(entry, filter)));
  return (
    entries &&
    ((seen) => {
      for (const { test, match } of entries) {
        const result = test(seen) ? match(seen) : undefined;
        if (result !== undefined) return result;
      }
      return undefined;
    })
  );
}

function readEntry(cursor: Cursor, filter: FilterKind): { test: Test; match: Match } | undefined {
  const fields = cursor.fields('predicate', 'on_match');
  const predicate = fields && required(cursor, fields, 'predicate');
  const onMatch = fields && required(cursor, fields, 'on_match');
  const test = predicate && readPredicate(predicate, filter);
  const match = onMatch && readOnMatch(onMatch, filter);
  return test && match && { test, match };
}

function readTree(cursor: Cursor, filter: FilterKind): Match | undefined {
  const kinds = ['exact_match_map', 'prefix_match_map', 'custom_match'];
  const fields = cursor.fields('input', ...kinds);
  const place = fields && required(cursor, fields, 'input');
  const found = fields && chosen(cursor, fields, kinds);
  const input = place && readInput(place, filter);
  if (found === undefined) return undefined;
  const [kind, config] = found;
  if (kind === 'custom_match') return config.unknown('a custom tree');
  const children = readMap(config, filter);
  if (children === undefined || input === undefined) return undefined;
  // As under a value_match: what is no text never matches.
  if (input.kind === 'metadata') return nothing;
  const look = kind === 'exact_match_map' ? exactly : byPrefix;
  return (seen) => {
    const key = input.read(seen);
    return key === undefined ? undefined : look(children, key, seen);
  };
}

type Children = ReadonlyMap<string, Match>;

function readMap(cursor: Cursor, filter: FilterKind): Children | undefined {
  const fields = cursor.fields('map');
  const map = fields && required(cursor, fields, 'map');
  const entries = map?.entries();
  if (entries === undefined) return undefined;
  if (entries.length === 0) return map!.refuse('empty', 'got a map with nothing in it');
  const children = whole(
    entries.map(([key, child]): [string, Match] | undefined => {
      const match = readOnMatch(child, filter);
      return match && [key, match];
    }),
  );
  return children && new Map(children);
}

function exactly(children: Children, key: string, seen: Seen): Result | undefined {
  return children.get(key)?.(seen);
}

/** The longest prefix first; where it comes to nothing the next shorter one is tried (Envoy 1.35). */
function byPrefix(children: Children, key: string, seen: Seen): Result | undefined {
  for (let length = key.length; length >= 0; length--) {
    const result = children.get(key.slice(0, length))?.(seen);
    if (result !== undefined) return result;
  }
  return undefined;
}
