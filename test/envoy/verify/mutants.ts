import { invalidSource } from './spiffe-world.ts';

/** Mistakes that an exporter could make, each planted in filters that are right. */
export interface Mutant {
  readonly name: string;
  readonly world: 'list' | 'trees' | 'tags';
  readonly plant: (filters: Json[]) => void;
}

export type Json = { [key: string]: Json } & Json[] & string;

interface Entry {
  readonly [key: string]: Json;
}

const typed = (filters: Json[], at = 0): Json => (filters[at] as Json)['typed_config'] as Json;
const entriesOf = (filters: Json[], which = 'matcher'): Json[] =>
  ((typed(filters)[which] as Json)['matcher_list'] as Json)['matchers'] as Json;
const actionOf = (entry: Entry): string =>
  JSON.stringify(entry['on_match']).match(/"name":"([^"]+)","action":"DENY"|"name":"([^"]+)"\}/)?.[1] ??
  'allow';

/** Walks all of a configuration; what the visitor gives back takes the place of what it was given. */
function rewrite(value: unknown, visit: (value: unknown, key: string) => unknown, key = ''): unknown {
  const seen = visit(value, key);
  if (Array.isArray(seen)) return seen.map((one) => rewrite(one, visit));
  if (typeof seen !== 'object' || seen === null) return seen;
  return Object.fromEntries(Object.entries(seen).map(([name, one]) => [name, rewrite(one, visit, name)]));
}

function replaceAll(filters: Json[], visit: (value: unknown, key: string) => unknown): void {
  const changed = rewrite(filters, visit) as Json[];
  if (JSON.stringify(changed) === JSON.stringify(filters)) throw new Error('the mutant changes nothing');
  filters.splice(0, filters.length, ...changed);
}

const texts = (from: string, to: string) => (filters: Json[]) =>
  replaceAll(filters, (value) => (value === from ? to : value));

/** Alternatives without the ones that a test picks out; Envoy wants two of them at least. */
const without = (test: (predicate: string) => boolean) => (filters: Json[]) =>
  replaceAll(filters, (value, key) => {
    if (key !== 'predicate' || !Array.isArray(value)) return value;
    const rest = value.filter(
      (one) => JSON.stringify(one).includes('_matcher') || !test(JSON.stringify(one)),
    );
    return rest.length === 1 ? [rest[0], rest[0]] : rest;
  });

const drop =
  (name: string, which: readonly string[] = ['matcher', 'shadow_matcher']) =>
  (filters: Json[]) => {
    for (const one of which) {
      const entries = entriesOf(filters, one);
      const at = entries.findIndex((entry) => actionOf(entry) === name);
      if (at < 0) throw new Error(`no entry ${name}`);
      entries.splice(at, 1);
    }
  };

function effect(from: string, to: string, name: string) {
  return (filters: Json[]) =>
    replaceAll(filters, (value) => {
      const action = value as { name?: string; action?: string };
      if (typeof value !== 'object' || value === null || action.name !== name) return value;
      if (JSON.stringify(value).includes('typed_config')) return value;
      return (action.action ?? 'ALLOW') === from ? { ...value, action: to } : value;
    });
}

export const mutants: readonly Mutant[] = [
  { name: 'privileged deny dropped', world: 'list', plant: drop('banned') },
  {
    name: 'deny after allow',
    world: 'list',
    plant: (filters) => {
      const entries = entriesOf(filters);
      const at = entries.findIndex((entry) => actionOf(entry) === 'deny');
      entries.push(...entries.splice(at, 1));
    },
  },
  { name: 'deny exported as allow', world: 'list', plant: effect('DENY', 'ALLOW', 'deny') },
  {
    name: 'action left out, so that a deny allows',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        const { action, ...rest } = value as { action?: unknown; name?: string };
        return typeof value === 'object' && value !== null && action === 'DENY' && rest.name === 'banned'
          ? rest
          : value;
      }),
  },
  {
    name: 'query form of an exact path dropped',
    world: 'list',
    plant: without((one) => one.includes('"prefix":"/metrics/secret?"')),
  },
  {
    name: 'query form of a path prefix dropped',
    world: 'list',
    plant: without((one) => one.includes('"prefix":"/metrics?"')),
  },
  { name: 'path prefix without its slash', world: 'list', plant: texts('/metrics/', '/metrics') },
  {
    name: 'identity prefix without its slash',
    world: 'list',
    plant: texts('spiffe://td/ns/a/', 'spiffe://td/ns/a'),
  },
  {
    name: 'segment itself not matched',
    world: 'trees',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'spiffe://td/ns/a'))
          return value;
        const { 'spiffe://td/ns/a': _, ...rest } = value as Record<string, unknown>;
        return rest;
      }),
  },
  { name: 'guard of the source missing', world: 'list', plant: drop('invalid-source') },
  { name: 'guard of the path missing', world: 'list', plant: drop('ambiguous-path') },
  {
    name: 'guard of the source after the rules',
    world: 'list',
    plant: (filters) => {
      const entries = entriesOf(filters);
      entries.push(entries.shift() as Json);
    },
  },
  { name: 'guard missing in the shadow', world: 'list', plant: drop('invalid-source', ['shadow_matcher']) },
  { name: 'guard not anchored to a whole name', world: 'list', plant: texts(guardOf(), `${guardOf()}.*`) },
  {
    name: 'guard looks into the query',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value) =>
        typeof value === 'string' && value.startsWith('[^/?]') ? '[^/].*|.*%2[fF].*' : value,
      ),
  },
  {
    name: 'a nested on_no_match that stops the search',
    world: 'trees',
    plant: (filters) =>
      replaceAll(filters, (value, key) => {
        const matcher = value as { matcher_list?: unknown; on_no_match?: unknown };
        if (key !== 'matcher' || matcher.matcher_list === undefined || matcher.on_no_match !== undefined)
          return value;
        return { ...matcher, on_no_match: { action: denyAction() } };
      }),
  },
  {
    name: 'shadow merged away',
    world: 'list',
    plant: (filters) => {
      typed(filters)['shadow_matcher'] = structuredClone(typed(filters)['matcher']) as Json;
    },
  },
  {
    name: 'shadow left out',
    world: 'list',
    plant: (filters) => {
      delete typed(filters)['shadow_matcher'];
    },
  },
  {
    name: 'shadow enforced',
    world: 'list',
    plant: (filters) => {
      typed(filters)['matcher'] = structuredClone(typed(filters)['shadow_matcher']) as Json;
    },
  },
  {
    name: 'shadow as in the papers: denials only',
    world: 'list',
    plant: (filters) => {
      const entries = entriesOf(filters, 'shadow_matcher');
      entries.splice(0, entries.length, ...entries.filter((entry) => actionOf(entry) !== 'allow'));
    },
  },
  {
    name: 'no final deny, and the last rule is the default',
    world: 'list',
    plant: (filters) => {
      (typed(filters)['matcher'] as Json)['on_no_match'] = {
        action: {
          name: 'a',
          typed_config: { '@type': 'type.googleapis.com/envoy.config.rbac.v3.Action', name: 'default' },
        },
      } as unknown as Json;
    },
  },
  { name: 'method forgotten', world: 'list', plant: without((one) => one.includes('":method"')) },
  {
    name: 'server name forgotten',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value, key) => {
        if (key !== 'predicate' || !Array.isArray(value) || !JSON.stringify(value).includes('admin.example'))
          return value;
        return value.length === 2 && !JSON.stringify(value[0]).includes('_matcher')
          ? [value[0], value[0]]
          : value;
      }),
  },
  {
    name: 'and written as or',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        const { and_matcher, ...rest } = value as { and_matcher?: unknown };
        return typeof value === 'object' && value !== null && and_matcher !== undefined
          ? { ...rest, or_matcher: and_matcher }
          : value;
      }),
  },
  {
    name: 'privileged deny below the allows',
    world: 'list',
    plant: (filters) => {
      const entries = entriesOf(filters);
      const at = entries.findIndex((entry) => actionOf(entry) === 'banned');
      entries.push(...entries.splice(at, 1));
    },
  },
  {
    name: 'exact exported as prefix',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        const { exact } = value as { exact?: unknown };
        return typeof value === 'object' && value !== null && exact === 'spiffe://td/ns/a/sa/bad'
          ? { prefix: exact }
          : value;
      }),
  },
  {
    name: 'case ignored',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        const { exact } = value as { exact?: unknown };
        return typeof value === 'object' && value !== null && exact === '/metrics'
          ? { exact, ignore_case: true }
          : value;
      }),
  },
  {
    name: 'negation without the mesh beside it',
    world: 'tags',
    plant: (filters) =>
      replaceAll(filters, (value, key) =>
        key === 'ids' && Array.isArray(value) && value.length > 2
          ? value.filter((one) => !JSON.stringify(one).includes('safe_regex'))
          : value,
      ),
  },
  {
    name: 'negation forgotten',
    world: 'tags',
    plant: (filters) =>
      replaceAll(filters, (value, key) =>
        key === 'ids' && Array.isArray(value) && value.length > 2
          ? value.filter((one) => !JSON.stringify(one).includes('not_id'))
          : value,
      ),
  },
  {
    name: 'catch-all deny before the allows (tier 4 as tier 2)',
    world: 'tags',
    plant: (filters) => {
      const rules = typed(filters)['rules'] as Json;
      (rules['policies'] as Json)['4-all'] = {
        permissions: [{ any: true }],
        principals: [{ any: true }],
      } as unknown as Json;
    },
  },
  {
    name: 'names matched by principal_name, which DNS names and subjects meet too',
    world: 'tags',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        const matcher = (value as { custom?: { typed_config?: { san_matcher?: { matcher?: unknown } } } })
          ?.custom?.typed_config?.san_matcher?.matcher;
        return matcher === undefined ? value : { authenticated: { principal_name: matcher } };
      }),
  },
  {
    name: 'second filter left out',
    world: 'tags',
    plant: (filters) => {
      filters.pop();
    },
  },
  {
    name: 'first filter left out',
    world: 'tags',
    plant: (filters) => {
      filters.shift();
    },
  },
  {
    name: 'deny filter allows what it names',
    world: 'tags',
    plant: (filters) => {
      (typed(filters)['rules'] as Json)['action'] = 'ALLOW' as Json;
    },
  },
  {
    name: 'shadow of the list in rank order of what is enforced',
    world: 'tags',
    plant: (filters) => {
      typed(filters)['shadow_rules'] = structuredClone(typed(filters, 1)['rules']) as Json;
    },
  },
];

function guardOf(): string {
  return JSON.parse(JSON.stringify(invalidSource[0])).not_matcher.single_predicate.value_match.safe_regex
    .regex;
}

function denyAction() {
  return {
    name: 'a',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.config.rbac.v3.Action',
      name: 'stop',
      action: 'DENY',
    },
  };
}
